//! Every limit of the crate, by name. A limit that a host may set stands in its configuration; what stands here is
//! its default, or a bound that no host needs to move. Nothing else in the crate may wait or keep without one of these.

use std::time::Duration;

/// From the start of a server to its answer to `initialize`; then its tree is killed.
pub(crate) const INITIALIZE: Duration = Duration::from_secs(45);
/// One request, unless its caller says otherwise.
pub(crate) const REQUEST: Duration = Duration::from_secs(20);
/// How long a query waits for a server that is still loading.
pub(crate) const READINESS: Duration = Duration::from_secs(45);
/// How long a server that tells its loading by progress has to begin to tell it.
pub(crate) const FIRST_PROGRESS: Duration = Duration::from_secs(5);
/// How long a server has to answer `shutdown` before it is told to exit all the same.
pub(crate) const SHUTDOWN: Duration = Duration::from_secs(2);
/// A request that the server calls outdated is asked again so often …
pub(crate) const RETRIES: usize = 3;
/// … with this pause in between.
pub(crate) const RETRY_PAUSE: Duration = Duration::from_millis(200);
/// Documents a server holds open at once.
pub(crate) const OPEN_DOCUMENTS: usize = 64;
/// Bytes of a file that is given to a server.
pub(crate) const DOCUMENT: u64 = 8 * 1024 * 1024;
/// Bytes kept of a server's error stream.
pub(crate) const STDERR_TAIL: usize = 64 * 1024;
