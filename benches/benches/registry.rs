//! What a call costs on its way to the tool, bare and through layers, beside a direct call in the same process; and
//! what a registry and a run weigh with nothing started. It measures the way, so the tool does almost nothing.
#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::sync::Arc;
use std::time::{Duration, Instant};

use outrigger::tool::{
    About, Arguments, BoxFuture, Call, Error, Output, ReadContext, Registry, Spec, Surface, Tier, Tool,
    TypedTool, tool,
};
use outrigger::{Grammars, Run, workspace::Workspace};
use rustix::time::{ClockId, clock_gettime};
use schemars::JsonSchema;
use serde::Deserialize;

const CALLS: u32 = 200_000;
const ROUNDS: usize = 7;
const LAYERS: usize = 6;
const COPIES: usize = 200;
const SENT: &str = r#"{"path": "src/main.rs", "pattern": "fn main", "start": 10, "lines": 40}"#;

#[derive(Clone, Deserialize, JsonSchema)]
struct Look {
    /// The file.
    path: String,
    /// What to look for.
    pattern: Option<String>,
    /// The first line.
    start: Option<u32>,
    /// How many lines.
    lines: Option<u32>,
}

/// The work itself, the same on every way.
#[expect(clippy::unused_async, reason = "a direct call is an async call too")]
async fn look(args: Look) -> Result<Output, Error> {
    let read = args.pattern.map_or(0, |pattern| pattern.len());
    let lines = args.start.unwrap_or(1) + args.lines.unwrap_or(1);
    std::hint::black_box((args.path, read, lines));
    Ok(Output::text("ok"))
}

struct Looker;

impl TypedTool for Looker {
    type Args = Look;
    type Context = ReadContext;

    fn about(&self) -> About {
        About::new("look", "Looks at a file.")
    }

    async fn call(&self, args: Look, _: ReadContext) -> Result<Output, Error> {
        look(args).await
    }
}

/// A layer that adds nothing but itself.
struct PassThrough(Arc<dyn Tool>);

impl Tool for PassThrough {
    fn spec(&self) -> &Spec {
        self.0.spec()
    }

    fn call(&self, call: Call) -> BoxFuture<'_, Result<Output, Error>> {
        Box::pin(async move { self.0.call(call).await })
    }
}

fn registry(layers: usize) -> Registry {
    let builder = (0..layers).fold(Registry::builder(), |builder, _| {
        builder.layer(|inner| -> Arc<dyn Tool> { Arc::new(PassThrough(inner)) })
    });
    let registry = builder.build();
    registry.attach("bench", vec![tool(Looker)]).expect("attaches");
    registry
}

async fn direct(text: &str) -> Result<Output, Error> {
    let args: Look = serde_json::from_str(text).map_err(|error| Error::bad_arguments(error.to_string()))?;
    look(args).await
}

async fn by_text(surface: &Surface) -> Result<Output, Error> {
    surface.call("look", Arguments::parse(SENT)?).await
}

async fn by_value(surface: &Surface, arguments: &Arguments) -> Result<Output, Error> {
    surface.call("look", arguments.clone()).await
}

/// Processor time of this process.
fn cpu() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    let seconds = u64::try_from(time.tv_sec).expect("not negative");
    Duration::new(seconds, u32::try_from(time.tv_nsec).expect("below a second"))
}

/// Wall and processor time of one call, in microseconds: the best of several rounds.
async fn measure<F: Future<Output = Result<Output, Error>>>(call: impl Fn() -> F) -> (f64, f64) {
    let (mut wall, mut busy) = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        let (began, spent) = (Instant::now(), cpu());
        for _ in 0..CALLS {
            std::hint::black_box(call().await.expect("the tool answers"));
        }
        wall = wall.min(began.elapsed());
        busy = busy.min(cpu().saturating_sub(spent));
    }
    let each = |time: Duration| time.as_secs_f64() * 1e6 / f64::from(CALLS);
    (each(wall), each(busy))
}

/// Resident memory in KiB, where the system tells.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// What the first and each further one of `make`'s values weighs, in KiB.
fn weigh<T>(make: impl Fn() -> T) -> Option<(u64, f64)> {
    let before = resident()?;
    let mut kept = vec![make()];
    let first = resident()?;
    kept.extend((0..COPIES).map(|_| make()));
    let all = resident()?;
    // Kept for good: memory that is given back would make the next row look light.
    std::mem::forget(kept);
    #[expect(clippy::cast_precision_loss, reason = "memory in KiB is far below 2^52")]
    let each = all.saturating_sub(first) as f64 / COPIES as f64;
    Some((first.saturating_sub(before), each))
}

fn print_weight(what: &str, weight: Option<(u64, f64)>) {
    match weight {
        Some((first, each)) => println!("{what:<44} {first:>9} KiB {each:>8.1} KiB"),
        None => println!("{what:<44} {:>13} {:>12}", "not told here", ""),
    }
}

async fn times() {
    let arguments = Arguments::parse(SENT).expect("JSON");
    let (bare, layered) = (registry(0).surface(Tier::Read), registry(LAYERS).surface(Tier::Read));
    let rows = [
        ("peer: serde_json::from_str, then an async fn", measure(|| direct(SENT)).await),
        ("registry, JSON text", measure(|| by_text(&bare)).await),
        ("registry, parsed arguments", measure(|| by_value(&bare, &arguments)).await),
        ("registry, JSON text, 6 layers", measure(|| by_text(&layered)).await),
        ("registry, parsed arguments, 6 layers", measure(|| by_value(&layered, &arguments)).await),
    ];
    println!("\n{:<44} {:>10} {:>10}", "one call, one thread", "wall", "processor");
    for (what, (wall, busy)) in rows {
        println!("{what:<44} {wall:>7.3} µs {busy:>7.3} µs");
    }
    let layer = (rows[4].1.0 - rows[2].1.0) * 1000.0 / 6.0;
    println!("{:<44} {layer:>7.0} ns", "one pass-through layer");
}

fn main() {
    // Memory first: nothing has been allocated and given back yet.
    let weights = [
        ("a registry with one tool", weigh(|| registry(0))),
        ("a registry with one tool and six layers", weigh(|| registry(LAYERS))),
        ("a run with syntax, nothing started", weigh(run)),
    ];
    println!("{:<44} {:>13} {:>12}", "memory", "the first", "each more");
    for (what, weight) in weights {
        print_weight(what, weight);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(times());
}

fn run() -> Run {
    let workspace = Workspace::open(".").expect("a folder");
    Run::builder(workspace).syntax(Grammars::bundled()).build().expect("builds")
}
