//! The guardian of one child on Linux: a fork of the host that never executes anything, adopts every descendant of
//! the child, and kills them all when the host asks, closes the control pipe, or dies, even by SIGKILL.
//!
//! Everything below [`start`] runs between fork and exec in a copy of a process that has other threads: no
//! allocation, no lock, no panic, no libc function with state; system calls alone. This is the crate's only unsafe
//! file.
//!
//! What the kernel gives, and how it is used:
//! - The guardian is a *child subreaper*: an orphan below it becomes its child, `setsid` or not.
//! - It leads a session of its own, so a process group of any descendant holds descendants only, and a whole group can
//!   be killed in one step, which a fork bomb cannot outrun.
//! - A pid stays its owner's until it is reaped, and only the guardian reaps: it never signals a stranger.
//! - The child carries a parent-death signal, so that it does not outlive a guardian killed by SIGKILL.
//!
//! The price: a start copies the host's page tables twice (some tens of milliseconds for each gigabyte the host has in
//! use), and a guardian keeps about a quarter of a megabyte.
#![expect(unsafe_code, reason = "the work is done between fork and exec, where only system calls are sound")]

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process;

use libc::{c_int, c_long, pid_t};

use crate::lifeline::{CLOSE, FAREWELL, LEFT, Streams, Theirs};
use crate::maps::MapsLine;

/// Descriptor numbers in the guardian, which has no standard streams.
const CONTROL: c_int = 0;
const STATUS: c_int = 1;
const SIGNALS: c_int = 2;
/// One more than the largest pid Linux can give.
const PID_LIMIT: pid_t = 4_194_304;
/// Time between two rounds of killing: enough for what was killed to be gone, short enough not to be noticed.
const FIRST_ROUND_MS: c_long = 2;
const LAST_ROUND_MS: c_long = 200;
/// Descriptors closed one by one where the kernel has no `close_range` (before 5.9; before 5.11 it cannot mark): as
/// many as the host may open, but no fewer and no more than these.
const FEWEST_DESCRIPTORS: usize = 65_536;
const MOST_DESCRIPTORS: usize = 1_048_576;

/// Starts `command` below a new guardian. What is returned is the guardian; the child's pid comes first on the status
/// pipe, its wait status later, and the end of that pipe says that no descendant is left.
pub(crate) fn start(
    command: &mut process::Command,
    theirs: Theirs,
) -> io::Result<(Streams, Option<process::Child>)> {
    let (control, status) = (theirs.control.as_raw_fd(), theirs.status.as_raw_fd());
    // SAFETY: `divide` keeps to the rules in this file's head, and both descriptors are open until `spawn` returns.
    unsafe { command.pre_exec(move || divide(control, status)) };
    let mut guardian = command.spawn()?;
    Ok((Streams::take(&mut guardian), Some(guardian)))
}

/// Runs in the forked process: it becomes the guardian and never returns; its own fork returns, to be the program.
fn divide(control: RawFd, status: RawFd) -> io::Result<()> {
    plain(libc::SYS_setsid, 0, 0, 0)?;
    prctl(libc::PR_SET_CHILD_SUBREAPER, 1)?;
    // The control pipe may be held open by a fork of the host; this signal does not depend on it.
    prctl(libc::PR_SET_PDEATHSIG, libc::SIGHUP as usize)?;
    default_dispositions();
    set_mask(u64::MAX);
    let (host, guardian) = (getppid(), getpid());
    match fork()? {
        0 => {
            become_program(guardian)?;
            Ok(())
        }
        child => {
            settle(control, status);
            Guardian { child, child_alive: true, host, own: guardian, closing: false, left_told: false }.run()
        }
    }
}

fn become_program(guardian: pid_t) -> io::Result<()> {
    plain(libc::SYS_setpgid, 0, 0, 0)?;
    prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as usize)?;
    if getppid() != guardian {
        exit(1);
    }
    set_mask(0);
    // Not closed but marked: std still has to report a failed exec through one of them.
    if plain(libc::SYS_close_range, 3, u32::MAX as usize, libc::CLOSE_RANGE_CLOEXEC as usize).is_err() {
        for descriptor in 3..descriptor_limit() {
            let _ = plain(libc::SYS_fcntl, descriptor, libc::F_SETFD as usize, libc::FD_CLOEXEC as usize);
        }
    }
    Ok(())
}

/// Where to stop when descriptors are closed one by one.
fn descriptor_limit() -> usize {
    let mut limit = libc::rlimit64 { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit lives through the call, which sets nothing where the new limit is null.
    unsafe { libc::syscall(libc::SYS_prlimit64, 0, libc::RLIMIT_NOFILE, 0usize, &raw mut limit) };
    usize::try_from(limit.rlim_cur).unwrap_or(MOST_DESCRIPTORS).clamp(FEWEST_DESCRIPTORS, MOST_DESCRIPTORS)
}

/// Leaves the guardian with three descriptors, no folder and a name of its own, which does not begin like the host's:
/// what ends the host by its name should not end the guardian.
fn settle(control: RawFd, status: RawFd) {
    let _ = plain(libc::SYS_dup3, descriptor(control), CONTROL as usize, 0);
    let _ = plain(libc::SYS_dup3, descriptor(status), STATUS as usize, 0);
    if plain(libc::SYS_close_range, SIGNALS as usize, u32::MAX as usize, 0).is_err() {
        for descriptor in SIGNALS as usize..descriptor_limit() {
            let _ = plain(libc::SYS_close, descriptor, 0, 0);
        }
    }
    let watched: u64 = bit(libc::SIGCHLD) | bit(libc::SIGHUP);
    // SAFETY: the mask lives through the call, which takes its size in bytes; the lowest free descriptor is SIGNALS.
    unsafe { libc::syscall(libc::SYS_signalfd4, -1, &raw const watched, 8usize, libc::SFD_NONBLOCK) };
    // SAFETY: both are constant strings with their final zero.
    unsafe {
        libc::syscall(libc::SYS_prctl, libc::PR_SET_NAME, c"tree-guard".as_ptr(), 0, 0, 0);
        libc::syscall(libc::SYS_chdir, c"/".as_ptr());
    }
}

struct Guardian {
    child: pid_t,
    /// Whether the child is still unreaped, so that its pid and group are certainly its own.
    child_alive: bool,
    host: pid_t,
    own: pid_t,
    closing: bool,
    left_told: bool,
}

impl Guardian {
    fn run(mut self) -> ! {
        report(self.child);
        release_memory();
        let mut round = FIRST_ROUND_MS;
        loop {
            self.reap();
            if self.closing {
                self.kill_all();
                wait_for_event(Some(round));
                round = round.saturating_mul(2).min(LAST_ROUND_MS);
            } else {
                wait_for_event(None);
                self.obey();
            }
            drain_signals();
        }
    }

    /// Reaps whatever has ended, reports the child's end, and leaves when nothing is left.
    fn reap(&mut self) {
        loop {
            let mut status: c_int = 0;
            // SAFETY: the status lives through the call.
            let pid = unsafe {
                libc::syscall(libc::SYS_wait4, -1, &raw mut status, libc::WNOHANG | libc::__WALL, 0usize)
            };
            if pid < 0 {
                report(FAREWELL);
                exit(0);
            }
            if pid == 0 {
                self.tell_what_is_left();
                return;
            }
            // Once reaped, the child's pid may be given to another descendant.
            if self.child_alive && pid == c_long::from(self.child) {
                self.child_alive = false;
                report(status);
            }
        }
    }

    fn tell_what_is_left(&mut self) {
        if !self.child_alive && !self.left_told {
            self.left_told = true;
            report(LEFT);
        }
    }

    /// Reads orders: each byte is a signal for the child's group; the order to close, end of file, or an orphaned
    /// guardian, means the end.
    fn obey(&mut self) {
        if getppid() != self.host {
            self.closing = true;
            return;
        }
        if !readable(CONTROL) {
            return;
        }
        let mut orders = [0u8; 16];
        match read(CONTROL, &mut orders) {
            0 => self.closing = true,
            1.. => self.pass_on(orders),
            _ => {}
        }
    }

    /// To the child's group, or, when the child is gone, to what it left behind. What was not read is zero, which is
    /// no signal.
    fn pass_on(&mut self, orders: [u8; 16]) {
        for order in orders {
            let signal = c_int::from(order);
            match order {
                0 => {}
                CLOSE => self.closing = true,
                _ if self.child_alive => kill(self.child.wrapping_neg(), signal),
                _ => each_child(|pid| kill(pid, signal)),
            }
        }
    }

    /// One round: every process directly below, and its group. What these had below them is ours in the next round.
    fn kill_all(&self) {
        each_child(|pid| {
            let group = plain(libc::SYS_getpgid, descriptor(pid), 0, 0).unwrap_or(0);
            if let Ok(group) = pid_t::try_from(group)
                && group > 1
                && group != self.own
            {
                kill(group.wrapping_neg(), libc::SIGKILL);
            }
            kill(pid, libc::SIGKILL);
        });
    }
}

/// Calls `visit` for every process directly below, among them adopted orphans. A process that is being born or dying
/// meanwhile may be missed: the caller goes round again until there is none.
fn each_child(mut visit: impl FnMut(pid_t)) {
    let file = open(c"/proc/thread-self/children");
    if file < 0 {
        // No /proc, or a kernel built without this list: ask about every pid there can be.
        (2..PID_LIMIT).filter(|pid| is_child(*pid)).for_each(visit);
        return;
    }
    let mut pid: pid_t = 0;
    each_byte(file, |byte| {
        if byte.is_ascii_digit() {
            pid = pid.wrapping_mul(10).wrapping_add(pid_t::from(byte & 0x0f));
        } else {
            // A /proc of another pid namespace would list numbers that mean other processes here.
            if pid > 1 && is_child(pid) {
                visit(pid);
            }
            pid = 0;
        }
    });
    close(file);
}

fn is_child(pid: pid_t) -> bool {
    let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT | libc::__WALL;
    // SAFETY: the kernel takes no result pointer to mean that no result is wanted.
    let answer = unsafe { libc::syscall(libc::SYS_waitid, libc::P_PID, pid, 0usize, options, 0usize) };
    answer == 0
}

/// Gives back the private anonymous memory inherited from the host, of which the guardian would otherwise keep a copy of every
/// page the host changes. The mapping with this thread's stack and thread-local data stays.
fn release_memory() {
    let file = open(c"/proc/self/maps");
    if file < 0 {
        return;
    }
    let here = 0u8;
    let stack = (&raw const here) as usize;
    let mut line = MapsLine::default();
    each_byte(file, |byte| {
        if byte != b'\n' {
            line.push(byte);
            return;
        }
        if line.is_private_memory() && !(line.start..line.end).contains(&stack) {
            let length = line.end.wrapping_sub(line.start);
            let _ = plain(libc::SYS_madvise, line.start, length, libc::MADV_DONTNEED as usize);
        }
        line = MapsLine::default();
    });
    close(file);
}

/// Waits until the control pipe or a signal has something to say, at most `limit` milliseconds. While a tree is being
/// killed (a limit is given) the control pipe has nothing more to say, and is left out.
fn wait_for_event(limit: Option<c_long>) {
    let control = if limit.is_some() { -1 } else { CONTROL };
    let mut polled = [readable_entry(control), readable_entry(SIGNALS)];
    poll(&mut polled, limit);
}

fn readable(descriptor: c_int) -> bool {
    let mut polled = [readable_entry(descriptor)];
    poll(&mut polled, Some(0)) > 0
}

fn readable_entry(fd: c_int) -> libc::pollfd {
    libc::pollfd { fd, events: libc::POLLIN, revents: 0 }
}

fn poll(polled: &mut [libc::pollfd], limit: Option<c_long>) -> c_long {
    let time =
        limit.map(|milliseconds| libc::timespec { tv_sec: 0, tv_nsec: milliseconds.wrapping_mul(1_000_000) });
    let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: the entries and the time live through the call; a null time means no limit, a null mask no mask.
    unsafe { libc::syscall(libc::SYS_ppoll, polled.as_mut_ptr(), polled.len(), time, 0usize, 8usize) }
}

fn drain_signals() {
    let mut records = [0u8; 1024];
    while read(SIGNALS, &mut records) > 0 {}
}

/// Four bytes to the host: the child's pid, its wait status, and what became of the rest. A host that is gone does not matter.
fn report(number: c_int) {
    let bytes = number.to_ne_bytes();
    // SAFETY: the bytes live through the call.
    unsafe { libc::syscall(libc::SYS_write, STATUS, bytes.as_ptr(), bytes.len()) };
}

fn each_byte(file: c_int, mut visit: impl FnMut(u8)) {
    let mut buffer = [0u8; 2048];
    loop {
        let length = read(file, &mut buffer);
        let Ok(length @ 1..) = usize::try_from(length) else { return };
        buffer.iter().take(length).for_each(|byte| visit(*byte));
    }
}

fn read(file: c_int, buffer: &mut [u8]) -> c_long {
    // SAFETY: the buffer lives through the call, which takes its length.
    unsafe { libc::syscall(libc::SYS_read, file, buffer.as_mut_ptr(), buffer.len()) }
}

fn open(path: &std::ffi::CStr) -> c_int {
    let flags = libc::O_RDONLY | libc::O_CLOEXEC;
    // SAFETY: the path ends with a zero and lives through the call.
    let file = unsafe { libc::syscall(libc::SYS_openat, libc::AT_FDCWD, path.as_ptr(), flags) };
    c_int::try_from(file).unwrap_or(-1)
}

fn close(file: c_int) {
    let _ = plain(libc::SYS_close, descriptor(file), 0, 0);
}

fn default_dispositions() {
    let default = [0u64; 8];
    for signal in 1..=64usize {
        // SAFETY: a kernel `sigaction` of zeros means the default; it is shorter than what is given on every platform.
        unsafe { libc::syscall(libc::SYS_rt_sigaction, signal, default.as_ptr(), 0usize, 8usize) };
    }
}

fn set_mask(blocked: u64) {
    // SAFETY: the mask lives through the call, which takes its size in bytes.
    unsafe { libc::syscall(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, &raw const blocked, 0usize, 8usize) };
}

/// `fork` without libc's locks and handlers.
fn fork() -> io::Result<pid_t> {
    let signal = libc::SIGCHLD as usize;
    // The one architecture with the stack before the flags.
    let (first, second) = if cfg!(target_arch = "s390x") { (0, signal) } else { (signal, 0) };
    // SAFETY: with no stack and no flag but the exit signal this is a plain fork: nothing is shared.
    let pid = unsafe { libc::syscall(libc::SYS_clone, first, second, 0usize, 0usize, 0usize) };
    if pid < 0 { Err(io::Error::last_os_error()) } else { Ok(pid_t::try_from(pid).unwrap_or(-1)) }
}

fn prctl(option: c_int, value: usize) -> io::Result<()> {
    plain(libc::SYS_prctl, descriptor(option), value, 0).map(drop)
}

fn kill(pid: pid_t, signal: c_int) {
    // SAFETY: takes two numbers and touches no memory of ours.
    unsafe { libc::syscall(libc::SYS_kill, pid, signal) };
}

fn getpid() -> pid_t {
    plain(libc::SYS_getpid, 0, 0, 0).ok().and_then(|pid| pid_t::try_from(pid).ok()).unwrap_or(0)
}

fn getppid() -> pid_t {
    plain(libc::SYS_getppid, 0, 0, 0).ok().and_then(|pid| pid_t::try_from(pid).ok()).unwrap_or(0)
}

fn exit(code: usize) -> ! {
    loop {
        let _ = plain(libc::SYS_exit_group, code, 0, 0);
    }
}

/// A system call that takes numbers only.
fn plain(number: c_long, first: usize, second: usize, third: usize) -> io::Result<c_long> {
    // SAFETY: none of the calls made through here reads or writes memory by an address among its arguments, but for
    // `madvise`, whose range is of memory that nothing in the guardian uses.
    let answer = unsafe { libc::syscall(number, first, second, third, 0usize, 0usize) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

/// A small non-negative number (descriptor, pid, option) as a system call's argument.
fn descriptor(number: c_int) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn bit(signal: c_int) -> u64 {
    1u64.wrapping_shl(signal.unsigned_abs().wrapping_sub(1))
}
