//! Whatever the help and the pages show as a command can be typed as it stands.

use super::common::{fresh, ludwright};
use std::collections::VecDeque;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// What still runs by then without a complaint is believed: a server, a long count.
const ENOUGH: Duration = Duration::from_secs(8);

/// A line that somebody may type, and where it stands.
struct Example {
    place: String,
    line: String,
}

/// The words of a line as a shell would take them, and what it would do with the input.
#[derive(Debug, PartialEq)]
struct Typed {
    words: Vec<String>,
    input: Option<String>,
    from: Option<String>,
}

/// The words of a line; quotes keep blanks together, and a remark ends it.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut open: Option<char> = None;
    let mut fresh = true;
    for c in line.chars() {
        match open {
            Some(quote) if c == quote => open = None,
            None if c == '"' || c == '\'' => {
                open = Some(c);
                if fresh {
                    words.push(String::new());
                    fresh = false;
                }
            }
            None if c == '#' && fresh => break,
            None if c == ' ' => fresh = true,
            _ => {
                if fresh {
                    words.push(String::new());
                    fresh = false;
                }
                words.last_mut().unwrap().push(c);
            }
        }
    }
    words
}

fn typed(line: &str) -> Typed {
    let words = words(&line.replace("cargo run --release --", "ludwright").replace("cargo run --", "ludwright"));
    let mut parts = words.split(|word| word == "|");
    let (first, second) = (parts.next().unwrap().to_vec(), parts.next());
    // What `ludwright` writes may go on into any program; what comes into it is `echo`.
    let (mut command, input) = match second {
        Some(second) if first[0] == "echo" => (second.to_vec(), Some(first[1..].join(" "))),
        _ => (first, None),
    };
    let mut from = None;
    while let Some(at) = command.iter().position(|word| word == "<" || word == ">") {
        let file = command.remove(at + 1);
        if command.remove(at) == "<" {
            from = Some(file);
        }
    }
    assert_eq!(command.remove(0), "ludwright", "{line}");
    Typed { words: bounded(command), input, from }
}

/// The same for less: few games, short times, any port.
fn bounded(mut words: Vec<String>) -> Vec<String> {
    for at in 1..words.len() {
        let most = match words[at - 1].as_str() {
            "-n" => "2",
            "--seconds" => "0.1",
            "--minutes" => "0.01",
            "--games" => "2",
            "--port" => "0",
            _ => continue,
        };
        words[at] = most.to_owned();
    }
    if words[0] == "serve" && !words.contains(&"--port".to_owned()) {
        words.extend(["--port".to_owned(), "0".to_owned()]);
    }
    words
}

/// The longest block of a page that is a rule file and has some words.
fn rule_file(page: &str, with: &str) -> String {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let blocks = text.split("```game\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned());
    blocks.filter(|block| block.contains(with)).max_by_key(String::len).unwrap()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// A folder with the files that the examples speak of.
fn prepare(folder: &Path) {
    fs::create_dir_all(folder.join("state/ludwright/games")).unwrap();
    copy(&root().join("games"), &folder.join("games"));
    fs::write(folder.join("pinch.game"), rule_file("docs/tutorial.md", "game \"Pinch\"")).unwrap();
    fs::write(folder.join("small_pushpin.game"), rule_file("README.md", "extends pushpin")).unwrap();
    for line in [
        "new my.game",
        "play iqishiqi --save game.txt",
        "playout hex -o size=7 -n 2 --output games.jsonl",
        "tournament tic_tac_toe --players easy,random -n 2 --output tournament.jsonl",
        "playout hex -n 1000 --job job.json",
        "arena tic_tac_toe --players mcts:60,random -n 20 --job arena.json",
        "train tic_tac_toe --games 20 --output tic_tac_toe.weights",
        "playout hex -n 2 --shard 1/2 --output part1.jsonl",
        "playout hex -n 2 --shard 2/2 --output part2.jsonl",
    ] {
        let arguments: Vec<&str> = line.split(' ').collect();
        let output = ludwright().args(&arguments).current_dir(folder).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    for copy in ["saved.txt", "state/ludwright/games/iqishiqi.txt"] {
        fs::copy(folder.join("game.txt"), folder.join(copy)).unwrap();
    }
}

/// Runs an example in a copy of a folder; what it complains about.
fn run(example: &Example, files: &Path) -> Result<(), String> {
    let Typed { words, input, from } = typed(&example.line);
    let folder = fresh("example");
    copy(files, &folder);
    // A game is saved to a file that is not there yet.
    if words.contains(&"--save".to_owned()) {
        fs::remove_file(folder.join("game.txt")).unwrap();
    }
    if let Some(at) = words.iter().position(|word| word == "--output") {
        let _ = fs::remove_file(folder.join(&words[at + 1]));
    }
    let complaints = folder.join("complaints");
    let mut command = ludwright();
    command.args(&words).current_dir(&folder).env("XDG_STATE_HOME", folder.join("state")).stdout(Stdio::null());
    command.stderr(fs::File::create(&complaints).unwrap());
    command.stdin(match (&input, from.as_deref()) {
        (Some(_), _) => Stdio::piped(),
        (None, None | Some("/dev/null")) => Stdio::null(),
        (None, Some(file)) => fs::File::open(folder.join(file)).unwrap().into(),
    });
    // Seats may be taken by the program itself, by its name.
    let own = Path::new(env!("CARGO_BIN_EXE_ludwright")).parent().unwrap().display().to_string();
    command.env("PATH", format!("{own}:{}", std::env::var("PATH").unwrap_or_default()));
    let mut child = command.spawn().unwrap();
    if let Some(input) = input {
        child.stdin.take().unwrap().write_all(format!("{input}\n").as_bytes()).unwrap();
    }
    let begin = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break Some(status),
            None if begin.elapsed() > ENOUGH => {
                child.kill().unwrap();
                child.wait().unwrap();
                break None;
            }
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    };
    let said = fs::read_to_string(&complaints).unwrap();
    let _ = fs::remove_dir_all(&folder);
    match status {
        Some(status) if !status.success() => {
            Err(format!("{}: `{}` ends with {status}:\n{said}", example.place, example.line))
        }
        _ => Ok(()),
    }
}

fn run_all(examples: Vec<Example>, at_least: usize) {
    assert!(examples.len() >= at_least, "only {} examples were found", examples.len());
    let waiting = Mutex::new(VecDeque::from(examples));
    let wrong = Mutex::new(Vec::new());
    let files = fresh("examples");
    prepare(&files);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                loop {
                    let Some(example) = waiting.lock().unwrap().pop_front() else { return };
                    if let Err(complaint) = run(&example, &files) {
                        wrong.lock().unwrap().push(complaint);
                    }
                }
            });
        }
    });
    let _ = fs::remove_dir_all(&files);
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn help(words: &[&str]) -> String {
    let output = ludwright().args(words).arg("--help").output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// The commands that the help names.
fn commands() -> Vec<String> {
    let help = help(&[]);
    let listed = help.lines().skip_while(|line| !line.starts_with("Usage:")).take_while(|line| *line != "Options:");
    let lines = listed.filter(|line| line.starts_with("  "));
    lines.filter_map(|line| line.split_whitespace().next()).filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn every_example_of_the_help_can_be_run() {
    let mut examples = Vec::new();
    for command in std::iter::once(None).chain(commands().into_iter().map(Some)) {
        let words: Vec<&str> = command.as_deref().into_iter().collect();
        let place = format!("ludwright {} --help", words.join(" "));
        let help = help(&words);
        let lines =
            help.lines().skip_while(|line| *line != "Examples:").skip(1).take_while(|line| line.starts_with("  "));
        examples.extend(lines.map(|line| Example { place: place.clone(), line: line.trim().to_owned() }));
    }
    run_all(examples, 45);
}

/// The lines of the shell in the pages. Those of docs/pictures.md are drawn anew by another test.
#[test]
fn every_command_in_the_pages_can_be_run() {
    let mut examples = Vec::new();
    for page in [
        "README.md",
        "docs/data.md",
        "docs/many_machines.md",
        "docs/measures.md",
        "docs/opponents.md",
        "docs/performance.md",
        "docs/playing.md",
        "docs/protocols.md",
        "docs/serve.md",
        "docs/tournaments.md",
        "docs/tutorial.md",
    ] {
        let text = fs::read_to_string(root().join(page)).unwrap();
        for block in text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap()) {
            let ours = |line: &&str| {
                ["ludwright ", "cargo run -- ", "cargo run --release -- "].iter().any(|call| line.starts_with(call))
            };
            let lines = block.lines().filter(ours);
            examples.extend(lines.map(|line| Example { place: page.to_owned(), line: line.to_owned() }));
        }
    }
    run_all(examples, 25);
}

/// What pages and comments say of `cargo test` runs something.
#[test]
fn every_call_of_the_tests_names_some() {
    let mut sources = String::new();
    let mut texts = Vec::new();
    let mut waiting: Vec<_> =
        ["tests", "src", "docs", "benches", "editors"].iter().map(|name| root().join(name)).collect();
    for page in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        waiting.push(root().join(page));
    }
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let ending = path.extension().unwrap_or_default();
        if ending == "rs" || ending == "md" {
            let text = fs::read_to_string(&path).unwrap();
            if ending == "rs" {
                let module = path.with_extension("").to_string_lossy().replace(std::path::MAIN_SEPARATOR, "::");
                sources.push_str(&format!("{module}::\n{text}"));
            }
            texts.push((path, text));
        }
    }
    let mut found = 0;
    for (path, text) in texts.into_iter().filter(|(path, _)| !path.ends_with("program/examples.rs")) {
        for call in text.split("cargo test ").skip(1).map(|rest| rest.lines().next().unwrap()) {
            let call = call.split(['`', '"']).next().unwrap();
            // What stands before `--` and is no option is part of the names of tests.
            let mut words = call.split_whitespace().take_while(|word| *word != "--");
            while let Some(word) = words.next() {
                match word {
                    "--test" => assert_eq!(words.next(), Some("program"), "{}: {call}", path.display()),
                    _ if word.starts_with('-') || word.starts_with('#') => {}
                    name => {
                        let known = name.contains("::")
                            && sources.contains(&format!("::{name}").replace("::tests::", "::"))
                            || sources.contains(&format!("fn {name}"));
                        assert!(known, "{}: no test is called {name}: cargo test {call}", path.display());
                        found += 1;
                    }
                }
            }
        }
    }
    assert!(found >= 8, "only {found} calls");
}

#[test]
fn lines_are_read_as_a_shell_reads_them() {
    let of = |line: &str| typed(line).words.join(",");
    assert_eq!(of("ludwright why pushpin --move \"h5 9\"   # a remark"), "why,pushpin,--move,h5 9");
    assert_eq!(of("ludwright man | man -l -"), "man");
    assert_eq!(of("ludwright render oware > oware.svg"), "render,oware");
    assert_eq!(of("ludwright playout iqishiqi -n 1000"), "playout,iqishiqi,-n,2");
    let piped = typed("echo 'c6, q6' | ludwright replay iqishiqi - --json");
    assert_eq!(
        (piped.words.join(","), piped.input.as_deref()),
        ("replay,iqishiqi,-,--json".to_owned(), Some("c6, q6"))
    );
    assert_eq!(typed("ludwright fmt - < my.game").from.as_deref(), Some("my.game"));
}
