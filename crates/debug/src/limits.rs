//! Every limit of this crate, each with its reason. It must never hold a rule that is not a number.

use std::time::Duration;

use peer::Ladder;

/// Frames shown of a stack.
pub(crate) const FRAMES: usize = 30;
/// Frames asked for where an adapter does not say how many there are.
pub(crate) const COUNTED_FRAMES: usize = 1_000;
/// Children shown of a variable.
pub(crate) const CHILDREN: usize = 50;
/// Characters shown of a value.
pub(crate) const VALUE: usize = 400;
/// Characters shown of a name, a type or a message of an adapter.
pub(crate) const NAME: usize = 200;
/// Characters shown of what an adapter said when a start failed: a compiler's first errors.
pub(crate) const FAILURE: usize = 4_000;
/// Threads shown.
pub(crate) const THREADS: usize = 100;
/// Bytes kept of the program's output.
pub(crate) const OUTPUT: usize = 128 * 1024;
/// Bytes kept of what the adapter says for itself.
pub(crate) const CONSOLE: usize = 32 * 1024;
/// Bytes of the largest message read.
pub(crate) const MESSAGE: usize = 64 << 20;
/// Messages that wait to be written; one more means that the adapter has stopped reading.
pub(crate) const QUEUED: usize = 256;
/// Bytes of a source file of which lines are shown.
pub(crate) const SOURCE: u64 = 8 << 20;
/// Bytes of a program that are searched for the language it was compiled from.
pub(crate) const PROGRAM: u64 = 512 << 20;
/// Bytes that an adapter may write before it announces its port.
pub(crate) const ANNOUNCEMENT: usize = 64 * 1024;

/// The life of a session, from its launch.
pub(crate) const LIFE: Duration = Duration::from_mins(30);
/// How long a call waits for a stop.
pub(crate) const WAIT: Duration = Duration::from_secs(30);
/// For the adapter's own start: its announcement, the connection, `initialize`.
pub(crate) const INITIALIZE: Duration = Duration::from_secs(15);
/// From the start request to `initialized`: some adapters compile the program first.
pub(crate) const INITIALIZED: Duration = Duration::from_mins(3);
/// For any other request.
pub(crate) const REQUEST: Duration = Duration::from_secs(30);
/// For what asks whether an adapter works.
pub(crate) const PROBE: Duration = Duration::from_secs(20);
/// For a failed start's own answer, when a later request failed first.
pub(crate) const REAL_ERROR: Duration = Duration::from_millis(500);
/// Between `exited` and `terminated`, in either order, and for the last output.
pub(crate) const LAST_WORDS: Duration = Duration::from_secs(1);
/// Between `terminated` and an `exited` that may never come.
pub(crate) const EXIT_CODE: Duration = Duration::from_millis(200);
/// For `terminate` and `disconnect`, each. An adapter that waits for the output of a process that the program has left
/// behind answers neither.
pub(crate) const FAREWELL: Duration = Duration::from_secs(1);
/// How an adapter is ended that has been asked to: it has had its time, and so has the program.
pub(crate) const LADDER: Ladder = Ladder {
    after_end_of_input: Duration::from_millis(500),
    after_terminate: Duration::from_millis(300),
    after_kill: Duration::from_secs(5),
};
/// How long an adapter may take to read anything of what is written to it.
pub(crate) const WRITE_STALL: Duration = Duration::from_secs(10);
