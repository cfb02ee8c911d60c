#!/usr/bin/env python3
"""Whether the tests of the library would notice a mistake in its code: conditions made always true, or never.

    python3 tests/mutation/mutants.py --rooms program,engine --minutes 60

A tool that builds the crate once for each mistake takes a minute or two for each. Here all mistakes are built into one copy
of the sources (in `--folder`), every one behind a switch: the variable MUTANT of the environment says which one is on. Each
test runs alone first, and notes which conditions it comes to; a mistake is then shown only to tests that come to it, the
quickest first, until one of them fails. Results are lines of JSON in `FOLDER/results.jsonl`, and a run goes on with those
that are there. What survives is listed in the end; it is for people to say whether nothing but speed hangs on it.
"""

import argparse
import concurrent.futures
import glob
import json
import os
import re
import resource
import subprocess
import sys
import time

# `if CONDITION {` on a line of its own, and a guard of an arm: both without bindings.
PLAIN_IF = re.compile(r"^(\s*(?:\} else )?if )([^{]*?)( \{)$")
GUARD = re.compile(r"^(\s*[^|/][^/]*? if )([^{]*?)( =>.*)$")

SWITCH = '''
/// Which mistake is on, and which conditions were come to.
#[allow(missing_docs)]
pub mod mutant {
    use std::io::Write;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicBool, Ordering};
    static ON: OnceLock<(u32, u8)> = OnceLock::new();
    static NOTES: OnceLock<Option<std::fs::File>> = OnceLock::new();
    static REACHED: [AtomicBool; COUNT] = [const { AtomicBool::new(false) }; COUNT];
    #[must_use]
    pub fn at(condition: u32) -> u8 {
        let on = ON.get_or_init(|| {
            let text = std::env::var("MUTANT").unwrap_or_default();
            let mut parts = text.split(':').filter_map(|part| part.parse::<u32>().ok());
            (parts.next().unwrap_or(u32::MAX), parts.next().unwrap_or(0) as u8)
        });
        if on.0 == u32::MAX && !REACHED[condition as usize].swap(true, Ordering::Relaxed) {
            let notes = NOTES.get_or_init(|| {
                let path = std::env::var("REACHED").ok()?;
                std::fs::OpenOptions::new().create(true).append(true).open(path).ok()
            });
            if let Some(mut notes) = notes.as_ref() {
                let _ = notes.write_all(format!("{condition}\\n").as_bytes());
            }
        }
        if on.0 == condition { on.1 } else { 0 }
    }
}
'''

# A mistake may ask for any amount of memory.
MOST_MEMORY = 6 << 30


def copy_sources(folder):
    """The files that git knows, as they stand now."""
    for path in subprocess.check_output(["git", "ls-files", "-z"], text=True).split("\0"):
        if path and os.path.isfile(path):
            there = os.path.join(folder, path)
            os.makedirs(os.path.dirname(there), exist_ok=True)
            with open(path, "rb") as read, open(there, "wb") as write:
                write.write(read.read())


def put_in(folder, rooms, refused):
    """Puts a switch at every condition but those refused; what stands where, by number."""
    conditions = []
    for room in rooms:
        for path in sorted(glob.glob(f"src/{room}/**/*.rs", recursive=True)):
            lines = open(path).read().split("\n")
            for at, line in enumerate(lines):
                if line.strip() == "mod tests {":
                    break
                if line.lstrip().startswith("//") or "const fn" in line:
                    continue
                found = PLAIN_IF.match(line) or ("=>" in line and GUARD.match(line))
                if not found or f"{path}:{at + 1}" in refused:
                    continue
                head, text, tail = found.groups()
                if re.search(r"\blet\b", text) or text.count("(") != text.count(")") or '"' in head or "//" in text:
                    continue
                switch = f"match crate::mutant::at({len(conditions)}) {{ 0 => {text}, 1 => true, _ => false }}"
                lines[at] = f"{head}({switch}){tail}"
                conditions.append({"path": path, "line": at + 1, "text": text})
            with open(os.path.join(folder, path), "w") as write:
                write.write("\n".join(lines))
    with open("src/lib.rs") as read, open(os.path.join(folder, "src/lib.rs"), "w") as write:
        write.write(read.read() + SWITCH.replace("COUNT]", f"{len(conditions)}]").replace("COUNT;", f"{len(conditions)};"))
    return conditions


def build(folder, rooms):
    """The test program with all switches that compile, and what stands where."""
    refused = set()
    while True:
        conditions = put_in(folder, rooms, refused)
        command = ["cargo", "test", "--locked", "--no-run", "--lib", "--message-format=json"]
        built = subprocess.run(command, cwd=folder, capture_output=True, text=True)
        messages = [json.loads(line) for line in built.stdout.splitlines() if line.startswith("{")]
        if built.returncode == 0:
            programs = [one["executable"] for one in messages if one.get("executable")]
            return programs[-1], conditions
        before = len(refused)
        for message in messages:
            if message.get("reason") == "compiler-message" and message["message"]["level"] == "error":
                refused |= {f"{span['file_name']}:{span['line_start']}" for span in message["message"]["spans"]}
        if len(refused) == before:
            sys.exit("the copy does not compile:\n" + built.stderr[-2000:])


def run(program, folder, tests, most, **variables):
    """Whether these tests pass within so many seconds."""
    def limits():
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    environment = {**os.environ, **variables}
    command = [program, "--exact", "--test-threads", "1", *tests]
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    try:
        return subprocess.run(command, cwd=folder, env=environment, timeout=most, preexec_fn=limits, **quiet).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def survey(program, folder, jobs):
    """For every test that passes how long it takes, and the conditions that it comes to."""
    listed = subprocess.check_output([program, "--list", "--format", "terse"], cwd=folder, text=True)
    ignored = subprocess.check_output([program, "--list", "--format", "terse", "--ignored"], cwd=folder, text=True)
    tests = [line.removesuffix(": test") for line in listed.splitlines() if line.endswith(": test")]
    left_out = {line.removesuffix(": test") for line in ignored.splitlines()}

    def one(test):
        notes = os.path.join(folder, f"reached.{test.replace('::', '.')}")
        began = time.monotonic()
        passed = run(program, folder, [test], 600, REACHED=notes)
        took = time.monotonic() - began
        reached = []
        if os.path.exists(notes):
            reached = [int(line) for line in open(notes)]
            os.remove(notes)
        return {"test": test, "seconds": took, "passed": passed, "reached": sorted(set(reached))}

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, [test for test in tests if test not in left_out]))


def try_out(program, folder, condition, way, tests, most):
    """The first tests that notice, or none; the quickest ones are asked first, and no more than fit into the time."""
    spent, group, asked = 0.0, [], 0
    for at, test in enumerate(tests):
        group.append(test)
        last = at + 1 == len(tests) or spent + tests[at + 1]["seconds"] > most
        usual = sum(one["seconds"] for one in group)
        if last or len(group) == 8 or usual > 2:
            asked += len(group)
            names = [one["test"] for one in group]
            if not run(program, folder, names, 10 + 5 * usual, MUTANT=f"{condition}:{way}"):
                return names, asked
            group = []
        spent += test["seconds"]
        if last:
            break
    return None, asked


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rooms", default="rules,check,program,engine", help="folders of src")
    parser.add_argument("--folder", default="target/mutants", help="where the copy and the results lie")
    parser.add_argument("--minutes", type=float, default=60, help="how long mistakes are tried")
    parser.add_argument("--most", type=float, default=30, help="seconds of tests for each mistake")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    wishes = parser.parse_args()
    folder = os.path.abspath(wishes.folder)
    os.makedirs(folder, exist_ok=True)
    known = os.path.join(folder, "survey.json")
    if os.path.exists(known):
        told = json.load(open(known))
        program, conditions, tests = told["program"], told["conditions"], told["tests"]
    else:
        copy_sources(folder)
        program, conditions = build(folder, wishes.rooms.split(","))
        print(f"{len(conditions)} conditions are built in", flush=True)
        tests = survey(program, folder, wishes.jobs)
        with open(known, "w") as write:
            json.dump({"program": program, "conditions": conditions, "tests": tests}, write)
    tests = sorted((test for test in tests if test["passed"]), key=lambda test: test["seconds"])
    comes = [[] for _ in conditions]
    for test in tests:
        for condition in test["reached"]:
            comes[condition].append(test)
    path = os.path.join(folder, "results.jsonl")
    results = {}
    if os.path.exists(path):
        for line in open(path):
            result = json.loads(line)
            results[result["condition"], result["way"]] = result
    # Every n-th first, so that a run that ends early has looked everywhere.
    order = sorted(range(len(conditions)), key=lambda at: (at * 61) % 1009)
    todo = [(at, way) for at in order for way in (1, 2) if comes[at] and (at, way) not in results]
    until = time.monotonic() + 60 * wishes.minutes

    def one(at, way):
        if time.monotonic() > until:
            return None
        noticed, asked = try_out(program, folder, at, way, comes[at], wishes.most)
        return {"condition": at, "way": way, "noticed": noticed, "asked": asked, "comes": len(comes[at])}

    with concurrent.futures.ThreadPoolExecutor(wishes.jobs) as pool, open(path, "a") as write:
        for result in pool.map(lambda wish: one(*wish), todo):
            if result:
                results[result["condition"], result["way"]] = result
                write.write(json.dumps(result) + "\n")
                write.flush()
    print_summary(conditions, comes, results)


def print_summary(conditions, comes, results):
    survivors = {key: result for key, result in results.items() if not result["noticed"]}
    for (at, way), result in sorted(survivors.items()):
        condition = conditions[at]
        says = "always" if way == 1 else "never"
        asked = "" if result["asked"] == result["comes"] else f" ({result['asked']} of {result['comes']} tests asked)"
        print(f"{condition['path']}:{condition['line']}: {says} `{condition['text']}`{asked}")
    for at, condition in enumerate(conditions):
        if not comes[at]:
            print(f"{condition['path']}:{condition['line']}: no test comes to `{condition['text']}`")
    rooms = sorted({condition["path"].split("/")[1] for condition in conditions})
    print(f"{'room':10} conditions  not come to  tried  noticed  survived")
    for room in rooms:
        of = [at for at, condition in enumerate(conditions) if condition["path"].split("/")[1] == room]
        tried = [result for (at, _), result in results.items() if at in set(of)]
        noticed = sum(1 for result in tried if result["noticed"])
        unseen = sum(1 for at in of if not comes[at])
        print(f"{room:10} {len(of):10}  {unseen:11}  {len(tried):5}  {noticed:7}  {len(tried) - noticed:8}")


if __name__ == "__main__":
    main()
