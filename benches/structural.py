#!/usr/bin/env python3
"""Structural search beside ast-grep's command line and ripgrep, in one run, on real sources.

usage: structural.py OUTRIGGER CORPORA [--runs N]

Prints a table: processor seconds (user and system), wall seconds, peak memory, and matches, each the median of N runs
after one to warm the page cache. ripgrep looks for the pattern's rarest literal: the physical limit. Where the two
structural tools differ, the number of places that only one of them names follows, with an example.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

# corpus, language, ast-grep's language, extensions, literal, pattern, kind
ROWS = [
    ("dart", "dart", "dart", "*.dart", "DateTimeIndex", None, "rare"),
    ("dart", "dart", "dart", "*.dart", "unawaited", "unawaited($X)", "rare"),
    ("dart", "dart", "dart", "*.dart", ".addAll(", "$X.addAll($Y)", "call"),
    ("dart", "dart", "dart", "*.dart", "==", "$A == $A", "common"),
    ("rust", "rust", "rust", "*.rs", "unwrap_unchecked", "$X.unwrap_unchecked()", "rare"),
    ("rust", "rust", "rust", "*.rs", ".unwrap()", "$X.unwrap()", "call"),
    ("rust", "rust", "rust", "*.rs", "==", "$A == $A", "common"),
    ("python", "python", "python", "*.py", "mpmathify", "mpmathify($X)", "rare"),
    ("python", "python", "python", "*.py", "isinstance(", "isinstance($X, $Y)", "call"),
    ("python", "python", "python", "*.py", "==", "$A == $A", "common"),
    ("typescript", "typescript", "ts", "*.{ts,mts,cts}", "queueMicrotask(", "queueMicrotask($X)", "rare"),
    ("typescript", "typescript", "ts", "*.{ts,mts,cts}", ".subscribe(", "$X.subscribe($$$A)", "call"),
    ("typescript", "typescript", "ts", "*.{ts,mts,cts}", "===", "$A === $A", "common"),
    ("c", "c", "c", "*.{c,h}", "strtoumax", "strtoumax($$$A)", "rare"),
    ("c", "c", "c", "*.{c,h}", "free(", "free($X);", "call"),
    ("c", "c", "c", "*.{c,h}", "==", "$A == $A", "common"),
]


def measure(command, cwd, runs, out):
    """Median processor seconds, wall seconds and peak MiB of `command`, and its last output."""
    figures = []
    for turn in range(runs + 1):
        with open(out, "wb") as sink:
            start = time.perf_counter()
            pid = subprocess.Popen(command, cwd=cwd, stdout=sink, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL).pid
            _, status, usage = os.wait4(pid, 0)
            wall = time.perf_counter() - start
        if turn:
            figures.append((usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024))
    code = os.waitstatus_to_exitcode(status)
    return tuple(statistics.median(column) for column in zip(*figures)), code


def places_of_ours(path):
    answer = json.loads(path.read_text())
    if answer["is_error"]:
        return None, answer["error"]["message"].splitlines()[0], answer
    data = answer["data"]
    return {(m["path"], m["range"]["start"]["byte"], m["range"]["end"]["byte"]) for m in data["matches"]}, data["total"], answer


def places_of_ast_grep(path):
    found = set()
    for line in path.read_text().splitlines():
        match = json.loads(line)
        span = match["range"]["byteOffset"]
        found.add((match["file"].removeprefix("./"), span["start"], span["end"]))
    return found


def row(name, figures, matches):
    cpu, wall, peak = figures
    print(f"    {name:<12}{cpu:>9.2f}{wall:>9.2f}{peak:>8.0f}  {matches}")


def compare(outrigger, corpora, scratch, runs, spec):
    corpus, language, theirs, glob, literal, pattern, kind = spec
    pattern = pattern or literal
    folder = corpora / corpus
    print(f"\n{corpus}: `{pattern}` ({kind})")
    out = scratch / "ours.json"
    environment = {**os.environ, "OUTRIGGER_STATE": str(scratch / "state")}
    os.environ.update(environment)
    shown = {"pattern": pattern, "language": language}
    ours, _ = measure([outrigger, "call", "ast_grep", json.dumps(shown), "--json"], folder, runs, out)
    _, total, _ = places_of_ours(out)
    row("outrigger", ours, total)
    sink = scratch / "theirs.jsonl"
    peer = str(corpora / "peers/bin/ast-grep")
    other, _ = measure([peer, "run", "-l", theirs, "-p", pattern, "--json=stream", "."], folder, runs, sink)
    found = places_of_ast_grep(sink)
    row("ast-grep", other, len(found))
    lines = scratch / "rg.txt"
    limit, _ = measure(["rg", "-F", "-n", "-g", glob, "--no-config", literal, "."], folder, runs, lines)
    row("ripgrep", limit, f"{sum(1 for _ in lines.open('rb'))} lines")
    print(f"    processor: {ours[0] / max(other[0], 0.01):.2f} of ast-grep; wall: {ours[1] / max(limit[1], 0.001):.1f} of ripgrep; memory: {ours[2] / other[2]:.2f} of ast-grep")
    differences(outrigger, folder, scratch, shown, found)


def differences(outrigger, folder, scratch, arguments, theirs):
    """Every place that only one of the two names."""
    out = scratch / "all.json"
    everything = {**arguments, "max_results": 100_000}
    with open(out, "wb") as sink:
        subprocess.run([outrigger, "call", "ast_grep", json.dumps(everything), "--json"], cwd=folder, stdout=sink, stderr=subprocess.DEVNULL, check=False)
    ours, said, answer = places_of_ours(out)
    if ours is None:
        print(f"    refused: {said}")
        return
    data = answer["data"]
    told = {key: data[key] for key in ("near_misses", "other_readings") if data.get(key)}
    only_ours, only_theirs = sorted(ours - theirs), sorted(theirs - ours)
    print(f"    reading {[it['reading'] for it in data['languages']]}; only outrigger: {len(only_ours)}, only ast-grep: {len(only_theirs)}; {told or ''}")
    for name, places in (("outrigger", only_ours), ("ast-grep", only_theirs)):
        if places:
            path, start, end = places[len(places) // 2]
            text = (folder / path).read_bytes()[start:end][:100].decode(errors="replace").replace("\n", "⏎")
            print(f"      only {name}, e.g. {path}:{start}: {text}")


def warm(outrigger, corpora, scratch):
    """The first and the second search of one run, behind the pipe: what the caches save."""
    print("\ntwo searches in one run (processor seconds of the process)")
    for corpus, language, _, _, _, pattern, kind in ROWS:
        if kind == "rare" or pattern is None:
            continue
        command = [outrigger, "serve", "--tier", "read", "--workspace", str(corpora / corpus)]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        used = []
        for turn in range(3):
            call = {"name": "ast_grep", "arguments": {"pattern": pattern, "language": language}}
            message = {"jsonrpc": "2.0", "id": turn, "method": "tools/call", "params": call}
            before = ticks(child.pid)
            child.stdin.write(json.dumps(message).encode() + b"\n")
            child.stdin.flush()
            while json.loads(child.stdout.readline()).get("id") != turn:
                pass
            used.append(ticks(child.pid) - before)
        child.stdin.close()
        child.wait()
        print(f"    {corpus:<12}{pattern:<22}" + "".join(f"{seconds:>8.2f}" for seconds in used))


def ticks(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    outrigger, corpora = os.path.realpath(sys.argv[1]), Path(sys.argv[2])
    runs = int(sys.argv[sys.argv.index("--runs") + 1]) if "--runs" in sys.argv else 3
    scratch = Path("/tmp") / f"outrigger-bench-{os.getpid()}"
    scratch.mkdir()
    print(f"    {'':<12}{'cpu s':>9}{'wall s':>9}{'MiB':>8}  matches   (median of {runs}; load {os.getloadavg()[0]:.1f})")
    for spec in ROWS:
        if (corpora / spec[0]).is_dir():
            compare(outrigger, corpora, scratch, runs, spec)
        else:
            print(f"\n{spec[0]}: skipped, the corpus could not be brought")
    warm(outrigger, corpora, scratch)
    subprocess.run(["rm", "-r", str(scratch)], check=True)


main()
