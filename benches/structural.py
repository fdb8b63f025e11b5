#!/usr/bin/env python3
"""Structural search beside ast-grep's command line and ripgrep, in one run, on real sources.

usage: structural.py OUTRIGGER CORPORA [--runs N] [--only CORPUS] [--examples]

Prints three tables in Markdown: the figures of one search each (processor seconds are user and system; the median of N
runs after one that warms the page cache, where N is more than 1; ripgrep looks for the literal alone, the physical
limit), the places that only one of the two structural tools names, and what later searches of one run cost.

The process that measures stays small, since a child's peak memory counts from its parent's size on: what is large is
read by children of their own, which are this script again.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

GLOBS = {"dart": "*.dart", "rust": "*.rs", "python": "*.py", "typescript": "*.{ts,mts,cts}", "c": "*.{c,h}"}
THEIR_NAMES = {"typescript": "ts"}
MOST_SHOWN = 1_000

# corpus and language, kind, literal, pattern, why the matches differ
ROWS = [
    ("dart", "rare", "HttpOverrides", "HttpOverrides", "the bare word is a syntax error to ast-grep, which finds nothing"),
    ("dart", "call", ".addAll(", "$X.addAll($Y)", "ast-grep reads the fragment as the declaration of an external function"),
    ("dart", "call", ".toString()", "$X.toString()", "the same"),
    ("dart", "common", "==", "$A == $A", "the second variable is lost when ast-grep parses the fragment bare: every `==` matches, such as `m.length == 16`"),
    ("rust", "rare", "unwrap_unchecked", "unwrap_unchecked", "ast-grep reads the bare word as a value; the name of a method is another kind of node"),
    ("rust", "rare", "assume_init_ref", "$X.assume_init_ref()", "arguments of macros, which ast-grep does not enter"),
    ("rust", "call", ".unwrap()", "$X.unwrap()", "arguments of macros, which ast-grep does not enter"),
    ("rust", "common", "==", "$A == $A", "arguments of macros, such as `assert!(a == a)`, which ast-grep does not enter"),
    ("python", "rare", "mpmathify", "mpmathify", ""),
    ("python", "rare", "force_bytes(", "force_bytes($X)", ""),
    ("python", "call", "isinstance(", "isinstance($X, $Y)", ""),
    ("python", "common", "==", "$A == $A", "ast-grep skips what follows in a chain: `a == a == 6`"),
    ("typescript", "rare", "dedupeWith", "dedupeWith", ""),
    ("typescript", "call", ".subscribe(", "$X.subscribe($$$A)", ""),
    ("typescript", "call", "expect(", "expect($X)", ""),
    ("typescript", "common", "===", "$A === $A", ""),
    ("typescript", "common", "(", "$F($A)", "inside what the parser reports as syntax errors, in files where they are large; they are named in the answer"),
    ("c", "rare", "strtoumax", "strtoumax", "the value of a `#define`, which ast-grep does not enter"),
    ("c", "rare", "xstrdup(", "xstrdup($X)", "without `;` ast-grep reads the fragment as a type made by a macro"),
    ("c", "call", "free(", "free($X);", ""),
    ("c", "common", "==", "$A == $A", ""),
]


def measure(command, cwd, runs, out):
    """Median processor seconds, wall seconds and peak MiB of `command`; its last output is in `out`."""
    figures = []
    for turn in range(-1 if runs > 1 else 0, runs):
        with open(out, "wb") as sink:
            start = time.perf_counter()
            pid = subprocess.Popen(command, cwd=cwd, stdout=sink, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL).pid
            _, _, usage = os.wait4(pid, 0)
            wall = time.perf_counter() - start
        if turn >= 0:
            figures.append((usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024))
    return tuple(statistics.median(column) for column in zip(*figures))


def child(*words):
    """What this script answers in a process of its own."""
    return json.loads(subprocess.run([sys.executable, __file__, *map(str, words)], stdout=subprocess.PIPE, check=True).stdout)


def differ(ours_file, theirs_file, folder):
    """The places that only one of the two names, as far as ours are shown in full."""
    answer = json.loads(Path(ours_file).read_text())
    if answer["is_error"]:
        return {"refused": answer["error"]["message"].splitlines()[0]}
    data = answer["data"]
    ours = {(m["path"], m["range"]["start"]["byte"], m["range"]["end"]["byte"]) for m in data["matches"]}
    theirs = set()
    for line in Path(theirs_file).read_text().splitlines():
        match = json.loads(line)
        span = match["range"]["byteOffset"]
        theirs.add((match["file"].removeprefix("./"), span["start"], span["end"]))
    found = {"ours": data["total"], "theirs": len(theirs), "reading": ", ".join(it["reading"] for it in data["languages"])}
    found["told"] = {key: data[key] for key in ("near_misses", "other_readings") if data.get(key)}
    # Bytes, not characters, are the order in which paths are shown.
    order = lambda place: (place[0].encode(), place[1:])
    if data["total"] > len(ours):
        last = max(ours, key=order)[0].encode()
        ours, theirs = ({it for it in places if it[0].encode() < last} for places in (ours, theirs))
    found["compared"] = len(ours | theirs)

    def sample(places):
        places = sorted(places, key=order)
        step = max(1, len(places) // 3)
        shown = []
        for path, start, end in places[::step][:3]:
            text = (Path(folder) / path).read_bytes()[start:end][:70].decode(errors="replace")
            shown.append(f"{path}:{start} `{' '.join(text.split())}`")
        return {"count": len(places), "examples": shown}

    return found | {"only_ours": sample(ours - theirs), "only_theirs": sample(theirs - ours)}


def lines(path):
    with open(path, "rb") as file:
        return sum(1 for _ in file)


def compare(outrigger, corpora, scratch, runs, spec):
    language, kind, literal, pattern, why = spec
    folder, peer = corpora / language, corpora / "peers/bin/ast-grep"
    ours_file, theirs_file, sink = scratch / "ours.json", scratch / "theirs.jsonl", scratch / "rg.txt"
    shown = {"pattern": pattern, "language": language}
    ours = measure([outrigger, "call", "ast_grep", json.dumps(shown), "--json"], folder, runs, ours_file)
    theirs = measure(
        [str(peer), "run", "-l", THEIR_NAMES.get(language, language), "-p", pattern, "--json=stream", "."], folder, runs, theirs_file
    )
    limit = measure(["rg", "-F", "-n", "-g", GLOBS[language], "--no-config", literal, "."], folder, runs, sink)
    everything = {**shown, "max_results": MOST_SHOWN}
    with open(ours_file, "wb") as file:
        command = [outrigger, "call", "ast_grep", json.dumps(everything), "--json"]
        subprocess.run(command, cwd=folder, stdout=file, stderr=subprocess.DEVNULL, check=False)
    found = child("--differ", ours_file, theirs_file, folder)
    three = lambda it: f"{it[0]:.2f} / {it[1]:.2f} / {it[2]:.0f}"
    cells = [language, kind, f"`{pattern}`", three(ours), three(theirs), three(limit)]
    cells += [f"{ours[0] / max(theirs[0], 0.01):.2f}", f"{ours[1] / max(limit[1], 0.001):.1f}", f"{ours[2] / theirs[2]:.2f}"]
    cells += [found.get("ours", "refused"), found.get("theirs", ""), lines(sink)]
    print("| " + " | ".join(map(str, cells)) + " |", flush=True)
    return language, pattern, found, why


def differences(rows):
    print("\nOnly one of the two names, of those compared (where there are more than ours shows, the paths it shows in full):\n")
    print("| corpus | pattern | reading | compared | only outrigger | only ast-grep | why |")
    print("|---|---|---|---|---|---|---|")
    for language, pattern, found, why in rows:
        if "refused" in found:
            print(f"| {language} | `{pattern}` | refused | | | | {found['refused']} |")
            continue
        ours, theirs = found["only_ours"], found["only_theirs"]
        why = why if ours["count"] + theirs["count"] else ""
        print(f"| {language} | `{pattern}` | {found['reading']} | {found['compared']} | {ours['count']} | {theirs['count']} | {why} |")
    if "--examples" in sys.argv:
        for language, pattern, found, _ in rows:
            for name in ("only_ours", "only_theirs"):
                for example in found.get(name, {}).get("examples", []):
                    print(f"    {language} {pattern} {name}: {example}")
            if found.get("told"):
                print(f"    {language} {pattern} told: {json.dumps(found['told'])[:300]}")


class Served:
    """A run behind its pipe."""

    def __init__(self, outrigger, folder):
        command = [outrigger, "serve", "--tier", "write", "--approve", "auto", "--workspace", str(folder)]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.turn = 0

    def call(self, name, arguments):
        """Processor seconds of one call."""
        self.turn += 1
        params = {"name": name, "arguments": arguments}
        message = {"jsonrpc": "2.0", "id": self.turn, "method": "tools/call", "params": params}
        before = self.ticks()
        self.child.stdin.write(json.dumps(message).encode() + b"\n")
        self.child.stdin.flush()
        while json.loads(self.child.stdout.readline()).get("id") != self.turn:
            pass
        return self.ticks() - before

    def ticks(self):
        fields = Path(f"/proc/{self.child.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def peak(self):
        status = Path(f"/proc/{self.child.pid}/status").read_text()
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))) / 1024

    def end(self):
        self.child.stdin.close()
        self.child.wait()


def warm(outrigger, corpora, only):
    print("\nSeveral calls of one run (processor seconds of the process):\n")
    print("| corpus | pattern | first search | the same again | another pattern | peak MiB |")
    print("|---|---|---|---|---|---|")
    for language, kind, _, pattern, _ in ROWS:
        if kind == "rare" or only not in (None, language) or not (corpora / language).is_dir():
            continue
        run = Served(outrigger, corpora / language)
        other = "$A + $A" if kind == "common" else "$X == $X"
        used = [run.call("ast_grep", {"pattern": it, "language": language}) for it in (pattern, pattern, other)]
        print(f"| {language} | `{pattern}` | " + " | ".join(f"{it:.2f}" for it in used) + f" | {run.peak():.0f} |", flush=True)
        run.end()


def option(name, otherwise):
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else otherwise


def main():
    if sys.argv[1] == "--differ":
        json.dump(differ(*sys.argv[2:5]), sys.stdout)
        return
    outrigger, corpora = os.path.realpath(sys.argv[1]), Path(sys.argv[2]).resolve()
    runs, only = int(option("--runs", 3)), option("--only", None)
    scratch = Path("/tmp") / f"outrigger-bench-{os.getpid()}"
    scratch.mkdir()
    os.environ["OUTRIGGER_STATE"] = str(scratch / "state")
    print(f"Median of {runs}, load {os.getloadavg()[0]:.1f}, {os.cpu_count()} cores; cells are processor s / wall s / peak MiB.\n")
    print("| corpus | kind | pattern | outrigger | ast-grep | ripgrep | cpu of ast-grep | wall of ripgrep | memory of ast-grep | matches | theirs | lines |")
    print("|" + "---|" * 12)
    done = []
    for spec in ROWS:
        if only in (None, spec[0]):
            if (corpora / spec[0]).is_dir():
                done.append(compare(outrigger, corpora, scratch, runs, spec))
            else:
                print(f"| {spec[0]} | skipped: the corpus could not be brought |")
    differences(done)
    warm(outrigger, corpora, only)
    subprocess.run(["rm", "-r", str(scratch)], check=True)


main()
