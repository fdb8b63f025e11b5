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
/// How long after the end of a piece of work the next may begin.
pub(crate) const BETWEEN_PROGRESS: Duration = Duration::from_millis(100);
/// How long a request waits for a preview that has given the server other texts.
pub(crate) const OVERLAY: Duration = Duration::from_secs(10);
/// How long the reason for a server's end is waited for once its answers have stopped.
pub(crate) const LAST_WORDS: Duration = Duration::from_millis(500);
/// Times a file is read again because it changed meanwhile.
pub(crate) const READS: usize = 4;
/// Words of a server to its user that are kept.
pub(crate) const MESSAGES: usize = 8;
/// Bytes kept of one of them.
pub(crate) const MESSAGE: usize = 2 * 1024;
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
/// Checkers of `diagnostics "*"` that run at once.
pub(crate) const CHECKERS_AT_ONCE: usize = 2;
/// One run of a checker.
pub(crate) const CHECKER: Duration = Duration::from_mins(2);
/// How long a checker's streams may stay open after its end.
pub(crate) const CHECKER_STREAMS: Duration = Duration::from_secs(2);
/// Bytes of each stream of a checker.
pub(crate) const CHECKER_OUTPUT: usize = 32 * 1024 * 1024;
/// Lines quoted of a checker that is no evidence.
pub(crate) const CHECKER_LAST_LINES: usize = 8;
/// Projects of one language that are checked, those nearest to the root first.
pub(crate) const CHECKED_PROJECTS: usize = 32;
/// Units of a compilation database that are checked.
pub(crate) const CHECKED_UNITS: usize = 200;
/// Diagnostics of checkers that are shown.
pub(crate) const CHECKER_DIAGNOSTICS: usize = 50;
/// Characters of one message that are shown.
pub(crate) const CHECKER_MESSAGE: usize = 1_000;
/// Files whose diagnostics are kept of one server, and diagnostics of one report.
pub(crate) const DIAGNOSED_FILES: usize = 4_096;
pub(crate) const FILE_DIAGNOSTICS: usize = 1_000;
/// A server that has told nothing new for so long after its last word about a file, where that word is not the last
/// by itself: clangd is idle for a moment between two steps.
pub(crate) const IDLE: Duration = Duration::from_millis(40);
/// A preamble that clangd needed longer for than this was built anew; one that is used again takes a tenth.
pub(crate) const PREAMBLE_REUSED: Duration = Duration::from_millis(2);
/// How long another check may take to begin where one check answers several saves.
pub(crate) const NEXT_CHECK: Duration = Duration::from_millis(700);
/// How long a server that offers no pulls, though its row says so, has to be quiet.
pub(crate) const QUIET: u64 = 500;
/// How long a question for the diagnostics of a file waits for them to settle.
pub(crate) const EXPLICIT: Duration = Duration::from_secs(10);
/// How long a question that only gives them along waits for them.
pub(crate) const BESIDE: Duration = Duration::from_secs(2);
/// Servers that run at once.
pub(crate) const SERVERS: usize = 8;
/// How long a server may be left alone before it is stopped.
pub(crate) const IDLE_SERVER: Duration = Duration::from_mins(15);
/// The first pause before a server that ended is started again; doubled each time …
pub(crate) const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// … up to this.
pub(crate) const LONGEST_PAUSE: Duration = Duration::from_mins(1);
/// A server that ran so long before it ended is started again after the first pause.
pub(crate) const HEALTHY: Duration = Duration::from_mins(5);
/// So many ends …
pub(crate) const ENDS: usize = 5;
/// … within this, and the server stays down.
pub(crate) const ENDS_WITHIN: Duration = Duration::from_mins(10);
/// Folders that are looked at to say which servers could serve the workspace.
pub(crate) const STATUS_FOLDERS: usize = 2_000;
/// How long the result of a write waits for servers …
pub(crate) const AFTER_WRITE: Duration = Duration::from_secs(2);
/// … and while a check runs that the write started.
pub(crate) const AFTER_WRITE_CHECK: Duration = Duration::from_secs(8);
/// How long is waited in the background for what is told with a later result.
pub(crate) const LATER: Duration = Duration::from_mins(2);
/// New diagnostics that are shown of written files, and of others.
pub(crate) const WRITTEN_SHOWN: usize = 20;
pub(crate) const OTHERS_SHOWN: usize = 10;
/// How long a proposal is checked.
pub(crate) const PREVIEW: Duration = Duration::from_secs(10);
/// How long what cannot be talked to any more has between SIGTERM and SIGKILL.
pub(crate) const AT_ONCE: Duration = Duration::from_millis(200);
/// Files that are named of those whose errors may be old.
pub(crate) const DOUBTFUL_SHOWN: usize = 5;
