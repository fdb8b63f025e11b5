//! Visits many files on every core and gives the answers back in the order of the files.
//! It must never let the timing of its threads show in an answer, and never outlive its caller.

use std::num::NonZero;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

/// A report every this many milliseconds at most.
const REPORT_EVERY_MS: u64 = 300;

/// Told how many files are done, of how many.
pub(crate) type Report<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// How a sweep is run.
pub(crate) struct Sweep<'a> {
    pub(crate) threads: NonZero<usize>,
    /// No further file is begun once it says yes.
    pub(crate) stop: &'a (dyn Fn() -> bool + Sync),
    pub(crate) report: Report<'a>,
}

/// As many threads as there are cores.
pub(crate) fn cores() -> NonZero<usize> {
    thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN)
}

impl Sweep<'_> {
    /// Calls `visit` for each of `0..sizes.len()`, the largest outliers first so that no thread is left alone with
    /// one at the end. `None` where the sweep was stopped before.
    pub(crate) fn run<T: Send>(&self, sizes: &[u64], visit: impl Fn(usize) -> T + Sync) -> Vec<Option<T>> {
        let order = order(sizes);
        let next = AtomicUsize::new(0);
        let progress = Progress::new(order.len(), self.report);
        let work = || {
            let mut answers = Vec::new();
            while !(self.stop)() {
                let Some(index) = order.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                answers.push((*index, visit(*index)));
                progress.step();
            }
            answers
        };
        let threads = self.threads.get().min(order.len()).max(1);
        let mut all: Vec<Option<T>> = Vec::new();
        all.resize_with(sizes.len(), || None);
        thread::scope(|scope| {
            let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
            let mut place = |answers: Vec<(usize, T)>| {
                for (index, answer) in answers {
                    all[index] = Some(answer);
                }
            };
            place(work());
            for other in others {
                match other.join() {
                    Ok(answers) => place(answers),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
        });
        all
    }
}

/// Outliers by size, then the rest as they come: in path order, which is how the answers are shown.
fn order(sizes: &[u64]) -> Vec<usize> {
    const OUTLIER: u64 = 1 << 20;
    let (mut outliers, rest): (Vec<usize>, Vec<usize>) =
        (0..sizes.len()).partition(|index| sizes[*index] >= OUTLIER);
    outliers.sort_by_key(|index| std::cmp::Reverse(sizes[*index]));
    outliers.extend(rest);
    outliers
}

struct Progress<'a> {
    total: usize,
    done: AtomicUsize,
    started: Instant,
    /// Milliseconds since the start.
    reported: AtomicU64,
    report: Report<'a>,
}

impl<'a> Progress<'a> {
    fn new(total: usize, report: Report<'a>) -> Self {
        let (done, reported) = (AtomicUsize::new(0), AtomicU64::new(0));
        Self { total, done, started: Instant::now(), reported, report }
    }

    fn step(&self) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let last = self.reported.load(Ordering::Relaxed);
        let due = now >= last.saturating_add(REPORT_EVERY_MS);
        if due && self.reported.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            (self.report)(done, self.total);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use super::*;

    fn sweep(threads: usize) -> Sweep<'static> {
        Sweep { threads: NonZero::new(threads).unwrap(), stop: &|| false, report: &|_, _| {} }
    }

    #[test]
    fn answers_stand_in_the_order_of_the_files() {
        let sizes: Vec<u64> = (0..100).map(|index| if index % 7 == 0 { 2 << 20 } else { index }).collect();
        let squares: Vec<Option<usize>> = (0..100).map(|index| Some(index * index)).collect();
        for threads in [1, 2, 8, 300] {
            assert_eq!(sweep(threads).run(&sizes, |index| index * index), squares);
        }
        assert!(sweep(2).run(&[], |index| index).is_empty());
    }

    #[test]
    fn outliers_are_begun_first() {
        assert_eq!(order(&[5, 2 << 20, 6, 3 << 20]), [3, 1, 0, 2]);
    }

    #[test]
    fn nothing_is_begun_after_the_stop() {
        let visited = AtomicUsize::new(0);
        let stop = || visited.load(Ordering::SeqCst) >= 3;
        let answers =
            Sweep { stop: &stop, ..sweep(1) }.run(&[0; 10], |_| visited.fetch_add(1, Ordering::SeqCst));
        assert_eq!(answers.iter().flatten().count(), 3);
    }

    #[test]
    fn progress_is_told_a_few_times_a_second() {
        let told = Mutex::new(Vec::new());
        let report = |done, total| told.lock().unwrap().push((done, total));
        let started = Instant::now();
        Sweep { report: &report, ..sweep(1) }.run(&[0; 7], |_| thread::sleep(Duration::from_millis(60)));
        let most = started.elapsed().as_millis() / u128::from(REPORT_EVERY_MS);
        let told = told.into_inner().unwrap();
        assert!(!told.is_empty() && told.len() as u128 <= most, "{told:?}");
        assert!(told.iter().all(|(done, total)| *done <= 7 && *total == 7));
    }
}
