//! What an author does with the program: begin a file, check it, read about a mistake, have it mended.

use super::common::{fresh, ludwright};
use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of its own for each test, gone afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = fresh(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = ludwright();
        command.args(args).env_remove("NO_COLOR").current_dir(&self.0).stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let Output { status, stdout, stderr } = self.command(args).output().unwrap();
        (status.code().unwrap(), String::from_utf8(stdout).unwrap(), String::from_utf8(stderr).unwrap())
    }

    fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.run(args).1).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const SOUND: &str = "game \"Put\" by \"A. Player\" 2026
players Black, White
board square(3)
piece stone of each player
move put \"{cell}\" { cell : empty; cell becomes stone of mover }
turn { put }
end { mover wins when line(3, own, directions); draw when stuck }
";

#[test]
fn codes_are_explained_by_any_of_their_names() {
    let folder = Folder::new("explain");
    let (status, page, _) = folder.run(&["explain", "LW201"]);
    assert_eq!(status, 0);
    assert!(page.starts_with("# LW201: unknown word\n") && page.contains("```game"));
    assert_eq!(folder.run(&["explain", "lw201"]).1, page);
    assert!(folder.run(&["explain", "unused"]).1.starts_with("# LW903"));
    let (status, shown, says) = folder.run(&["explain", "unusd"]);
    assert_eq!((status, shown.as_str()), (1, ""));
    assert!(says.contains("did you mean `unused`?"), "{says}");
    let colored = folder.run(&["explain", "LW201", "--color", "always"]).1;
    assert!(colored.starts_with("\u{1b}[1mLW201: unknown word\u{1b}[0m") && !colored.contains("```"));
    assert!(folder.run(&["explain", "--list"]).1.contains("LW907  warning  a game that may have no end (unbounded)"));
    assert_eq!(folder.run(&["explain"]).0, 2);
}

#[test]
fn warnings_are_allowed_and_denied_by_name() {
    let folder = Folder::new("lints");
    folder.write("a.game", &format!("{SOUND}word spare = edge\n"));
    let check = |more: &[&str]| folder.run(&[&["check", "a.game", "--format", "short"], more].concat());
    let (status, shown, _) = check(&[]);
    assert_eq!(status, 0);
    assert!(shown.starts_with("a.game:8:6: warning[LW903 unused]: the word `spare` is never used"), "{shown}");
    assert_eq!(check(&["--deny", "unused"]).0, 1);
    assert_eq!(check(&["--deny", "LW903,unbounded"]).0, 1);
    assert_eq!(check(&["--deny", "warnings"]).0, 1);
    assert_eq!(check(&["--deny", "unbounded"]).0, 0);
    assert_eq!(check(&["--allow", "unused", "--deny", "warnings"]), (0, String::new(), String::new()));
    let (status, _, says) = check(&["--deny", "unusd"]);
    assert!(status == 1 && says.contains("did you mean `unused`?"), "{says}");
    for line in ["allow unused", "allow unused in spare \"for variants\"", "allow LW903 in other, spare"] {
        folder.write("a.game", &format!("{SOUND}word spare = edge\n{line}\n"));
        assert_eq!(check(&["--deny", "warnings"]), (0, String::new(), String::new()), "{line}");
    }
    folder.write("a.game", &format!("{SOUND}word spare = edge\nallow unused in put\nallow unsued\nallow LW201\n"));
    let (_, shown, _) = check(&[]);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines.len(), 4, "{shown}");
    assert!(lines[1].contains("9:1: warning[LW912 bad-allow]: `unused` warns of nothing here"), "{shown}");
    assert!(lines[2].contains("there is no lint `unsued` (did you mean `unused`?)"), "{shown}");
    assert!(lines[3].contains("LW201 is an error, which no file can allow"), "{shown}");
}

#[test]
fn play_shows_what_proofs_do_not() {
    let folder = Folder::new("play");
    let text = SOUND.replace("cell : empty;", "cell : empty, count(enemy next_to cell) < 9;").replace(
        "turn { put }",
        "move take \"{cell}\" { cell : empty corner; cell becomes stone of next }\nturn { put or take }",
    );
    folder.write("a.game", &text);
    let codes = |args: &[&str]| -> Vec<String> {
        let found = folder.json(args);
        let found = found["files"][0]["diagnostics"].as_array().unwrap().clone();
        found.iter().map(|found| found["code"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(codes(&["check", "a.game", "--format", "json"]), Vec::<String>::new());
    assert_eq!(codes(&["check", "a.game", "--format", "json", "--play"]), ["LW911", "LW902"]);
    // What is known without play is told once, and first.
    folder.write("b.game", &format!("{text}word spare = edge\n"));
    let (_, shown, _) = folder.run(&["check", "b.game", "--format", "short", "--play"]);
    let told: Vec<&str> = shown.lines().filter_map(|line| line.split("warning[").nth(1)?.get(..5)).collect();
    assert_eq!(told, ["LW903", "LW911", "LW902"], "{shown}");
}

/// The part of the schema of SARIF 2.1.0 that we write: for each object its properties, those that it must have marked `!`.
/// The schema allows no others. Behind a colon is what a property holds; several of it, if the name ends with `s`.
const SARIF: &[(&str, &str)] = &[
    ("log", "$schema:text version!:version runs!:run"),
    ("run", "tool!:tool columnKind:columns results:result"),
    ("tool", "driver!:driver"),
    ("driver", "name!:text semanticVersion:text rules:rule"),
    ("rule", "id!:text name:text shortDescription:page help:page defaultConfiguration:configuration"),
    ("page", "text!:text markdown:text"),
    ("configuration", "level:level"),
    (
        "result",
        "ruleId:text ruleIndex:index level:level message!:message locations:location relatedLocations:location fixes:fix",
    ),
    ("message", "text:text"),
    ("location", "physicalLocation:physical message:message"),
    ("physical", "artifactLocation:artifact region:region"),
    ("artifact", "uri:uri"),
    ("region", "startLine:number startColumn:number endLine:number endColumn:number"),
    ("fix", "description:message artifactChanges!:change"),
    ("change", "artifactLocation!:artifact replacements!:replacement"),
    ("replacement", "deletedRegion!:region insertedContent:message"),
];

/// Asserts that a value is what the schema says.
fn assert_sarif_shape(value: &Value, kind: &str) {
    let Some((_, properties)) = SARIF.iter().find(|(known, _)| *known == kind) else {
        let text = value.as_str();
        let right = match kind {
            "version" => text == Some("2.1.0"),
            "columns" => text == Some("unicodeCodePoints"),
            "level" => text.is_some_and(|level| ["none", "note", "warning", "error"].contains(&level)),
            "uri" => text
                .is_some_and(|uri| uri.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>\"{}|\\^`".contains(&byte))),
            "number" => value.as_u64().is_some_and(|number| number >= 1),
            "index" => value.is_u64(),
            _ => text.is_some(),
        };
        assert!(right, "{value} is no {kind}");
        return;
    };
    let object = value.as_object().unwrap_or_else(|| panic!("{value} is no {kind}"));
    let known: Vec<(&str, bool, &str)> = properties
        .split(' ')
        .filter_map(|property| property.split_once(':'))
        .map(|(name, holds)| (name.trim_end_matches('!'), name.ends_with('!'), holds))
        .collect();
    for (name, _, _) in known.iter().filter(|(_, needed, _)| *needed) {
        assert!(object.contains_key(*name), "{kind} without {name}");
    }
    for (name, value) in object {
        let (_, _, holds) =
            known.iter().find(|(known, ..)| known == name).unwrap_or_else(|| panic!("{kind} has no {name}"));
        match value.as_array() {
            Some(values) if name.ends_with('s') => values.iter().for_each(|value| assert_sarif_shape(value, holds)),
            _ => assert_sarif_shape(value, holds),
        }
    }
}

/// What a log of SARIF 2.1.0 has to be: as the schema says, and numbers of rules that are theirs.
fn assert_sarif(log: &Value) -> usize {
    assert_sarif_shape(log, "log");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let found = run["results"].as_array().unwrap();
    for result in found {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    found.len()
}

#[test]
fn every_mistake_can_be_said_in_sarif() {
    let folder = Folder::new("sarif");
    let broken = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/broken");
    let mut files = Vec::new();
    for entry in fs::read_dir(broken).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "game") {
            // A name that has to be written differently in a URI.
            let name = format!("\u{e4} {}", path.file_name().unwrap().to_str().unwrap());
            fs::copy(&path, folder.0.join(&name)).unwrap();
            files.push(name);
        }
    }
    let args: Vec<&str> = ["check", "--format", "sarif"].into_iter().chain(files.iter().map(String::as_str)).collect();
    assert!(assert_sarif(&folder.json(&args)) > 150);
}

#[test]
fn programs_read_diagnostics_in_three_formats() {
    let folder = Folder::new("formats");
    folder.write(
        "a b.game",
        &SOUND
            .replace("cell : empty;", "cell : emtpy;")
            .replace("turn { put }", "turn { put }\nword w = 1\nword w = 2"),
    );
    let found = folder.json(&["check", "a b.game", "--format", "json"]);
    assert_eq!((&found["errors"], &found["warnings"]), (&json!(2), &json!(0)));
    assert_eq!(found["files"][0]["path"], "a b.game");
    let first = &found["files"][0]["diagnostics"][0];
    assert_eq!(
        *first,
        json!({
            "code": "LW201", "name": null, "severity": "error", "message": "unknown word `emtpy`", "help": "did you mean `empty`?",
            "file": "a b.game", "span": { "start": 122, "end": 127 },
            "start": { "line": 5, "column": 28 }, "end": { "line": 5, "column": 33 },
            "labels": [{ "span": { "start": 122, "end": 127 }, "file": "a b.game",
                         "message": "neither defined in this file nor a word of the language" }],
            "fixes": [{ "title": "write `empty`", "applicability": "safe", "span": { "start": 122, "end": 127 },
                        "replacement": "empty" }],
        })
    );
    assert_eq!(assert_sarif(&folder.json(&["check", "a b.game", "--format", "sarif"])), 2);
    let github = folder.run(&["check", "a b.game", "--format", "github"]).1;
    let first = "::error file=a b.game,line=5,col=28,endLine=5,endColumn=33,title=LW201::unknown word `emtpy` (help: did you mean `empty`?)";
    assert_eq!(github.lines().next(), Some(first));
    assert_eq!(github.lines().count(), 2);
}

#[test]
fn what_is_certain_is_mended_and_nothing_gets_worse() {
    let folder = Folder::new("fix");
    let broken = SOUND
        .replace("cell : empty;", "cell : emtpy && not corner;")
        .replace("turn { put }", "turn { putt")
        .replace("draw", "drwa")
        + "word spare = edge // unused\n";
    folder.write("a.game", &broken);
    let (status, _, says) = folder.run(&["check", "a.game", "--fix"]);
    assert_eq!(status, 0, "{says}");
    let mended = SOUND.replace("cell : empty;", "cell : empty and not corner;") + "word spare = edge // unused\n";
    assert_eq!(folder.read("a.game"), mended, "{says}");
    assert!(
        says.contains("fixed a.game:5:") && says.contains("write `empty`") && says.contains("1 by `--unsafe-fixes`"),
        "{says}"
    );
    // A second run has nothing to do, and does not touch the file.
    let (_, _, says) = folder.run(&["check", "a.game", "--fix"]);
    assert!(!says.contains("fixed"), "{says}");
    let (status, _, says) = folder.run(&["check", "a.game", "--unsafe-fixes", "--deny", "warnings"]);
    assert_eq!(status, 0, "{says}");
    assert!(!folder.read("a.game").contains("spare"), "{}", folder.read("a.game"));
    // What is in the program cannot be written.
    assert_eq!(folder.run(&["check", "hex", "--fix"]).0, 0);
    // Mistakes that nobody can mend for certain stay, in the very same file.
    let hopeless = SOUND.replace("cell : empty;", "cell : zzz;");
    folder.write("b.game", &hopeless);
    assert_eq!(folder.run(&["check", "b.game", "--unsafe-fixes"]).0, 1);
    assert_eq!(folder.read("b.game"), hopeless);
}

#[test]
fn a_new_file_checks_plays_and_overwrites_nothing() {
    let folder = Folder::new("new");
    for args in
        [&["new", "red_hedges"][..], &["new", "mine.game", "--from", "hex"], &["new", "ours", "--from", "mine.game"]]
    {
        let (status, shown, says) = folder.run(args);
        assert_eq!(status, 0, "{says}");
        let path = shown.trim_end();
        assert!(Path::new(path).extension().is_some_and(|extension| extension == "game"));
        assert_eq!(
            folder.run(&["check", path, "--play", "--deny", "warnings"]).0,
            0,
            "{}",
            folder.run(&["check", path, "--play"]).1
        );
        assert_eq!(folder.run(&["test", path]).0, 0);
        assert_eq!(folder.run(&["fmt", "--check", path]).0, 0, "{}", folder.run(&["fmt", "--check", path]).1);
        assert_eq!(folder.run(&["playout", path, "-n", "5"]).0, 0);
    }
    assert!(folder.read("red_hedges.game").starts_with("game \"Red Hedges\"\n"));
    let before = folder.read("mine.game");
    let (status, _, says) = folder.run(&["new", "mine"]);
    assert!(status == 1 && says.contains("mine.game") && says.contains("already exists"), "{says}");
    assert_eq!(folder.read("mine.game"), before);
    let (status, _, says) = folder.run(&["new", "yours", "--from", "hx"]);
    assert!(status == 1 && says.contains("did you mean `hex`?"), "{says}");
    assert_eq!(folder.run(&["new", "no/such/folder/x"]).0, 1);
    assert_eq!(folder.run(&["new", "..."]).0, 1);
}

#[test]
fn shells_and_manuals_know_every_command() {
    let folder = Folder::new("shells");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (status, text, _) = folder.run(&["completions", shell]);
        assert!(status == 0 && text.contains("explain") && text.contains("unsafe-fixes"), "{shell}");
    }
    let (status, page, _) = folder.run(&["man"]);
    assert!(status == 0 && page.contains(".TH ludwright") && page.contains("explain"));
    assert!(folder.run(&["man", "check"]).1.contains("unsafe"));
    assert_eq!(folder.run(&["man", "chek"]).0, 1);
}

#[test]
fn a_watched_file_is_checked_again_when_it_changes() {
    let folder = Folder::new("watch");
    folder.write("a.game", SOUND);
    let mut child = folder
        .command(&["check", "a.game", "--watch", "--format", "json"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut errors =
        || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap()["errors"].as_u64().unwrap();
    assert_eq!(errors(), 0);
    folder.write("a.game", &SOUND.replace("empty", "emtpy and some"));
    assert!(errors() > 0);
    // A file that is being written may be seen while it is empty.
    folder.write("a.game", SOUND);
    assert!((0..3).any(|_| errors() == 0));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn lints_find_what_does_nothing() {
    let folder = Folder::new("find");
    let cases = [
        ("turn {", "region goal = edge\nturn {", "LW903 the region `goal` is never used"),
        ("turn {", "option pace : slow, fast = slow\nturn {", "LW903 the option `pace` is never used"),
        ("piece stone", "piece stone, pawn", "LW903 the piece `pawn` is never used"),
        ("board", "order Black\nboard", "LW903 the player `White` never has a turn"),
        ("turn {", "phases early, late\nturn in early { put }\nturn {", "LW903 the game is never in the phase `late`"),
        ("turn {", "move hold \"-\" { }\nturn {", "LW903 the move `hold` is never used"),
        ("empty;", "empty, count(own next_to cell) > 4;", "LW904 this is never true"),
        ("empty;", "empty, any own next_to cell, no own next_to cell;", "LW904 this is never true together"),
        ("empty;", "empty, cell in edge and cell not in edge;", "LW904 this is never true together"),
        ("turn { put }", "turn { pass else put }", "LW908 this is never offered"),
        ("draw when stuck }", "draw; next loses when stuck }", "LW908 this line is never read"),
        ("draw when stuck }", "draw when stuck; draw when stuck }", "LW908 this line never decides"),
        ("mover wins", "Black wins", "LW909 White can never win"),
    ];
    for (old, new, wanted) in cases {
        folder.write("a.game", &SOUND.replacen(old, new, 1));
        let found = folder.json(&["check", "a.game", "--format", "json"]);
        let found: Vec<String> = found["files"][0]["diagnostics"]
            .as_array()
            .unwrap()
            .iter()
            .map(|found| format!("{} {}", found["code"].as_str().unwrap(), found["message"].as_str().unwrap()))
            .collect();
        assert!(found.first().is_some_and(|first| first.starts_with(wanted)), "{new}: {found:?}");
    }
}
