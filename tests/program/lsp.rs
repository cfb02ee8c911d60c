//! The language server, as an editor talks to it: the real program over standard input and output.

use super::common::{fresh, ludwright, wish};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Nothing takes nearly as long; a test that waits in vain is to end.
const PATIENCE: Duration = Duration::from_secs(60);

struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// What came while something else was waited for.
    aside: Vec<Value>,
    next: i64,
    cache: PathBuf,
}

impl Editor {
    fn silent() -> Self {
        // Each editor has a folder of its own, which goes with it.
        let cache = fresh("lsp");
        let mut child = ludwright()
            .arg("lsp")
            .env("XDG_CACHE_HOME", &cache)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let (send, messages) = channel();
        std::thread::spawn(move || {
            loop {
                let mut length = 0;
                loop {
                    let mut line = String::new();
                    if output.read_line(&mut line).unwrap_or(0) == 0 {
                        return;
                    }
                    if line == "\r\n" {
                        break;
                    }
                    length = line.strip_prefix("Content-Length: ").unwrap().trim().parse().unwrap();
                }
                let mut body = vec![0; length];
                output.read_exact(&mut body).unwrap();
                if send.send(serde_json::from_slice(&body).unwrap()).is_err() {
                    return;
                }
            }
        });
        let input = child.stdin.take();
        Self { child, input, messages, aside: Vec::new(), next: 0, cache }
    }

    fn with(capabilities: &Value) -> (Self, Value) {
        let mut editor = Self::silent();
        let result = editor.ask("initialize", json!({ "capabilities": capabilities })).unwrap();
        editor.tell("initialized", json!({}));
        (editor, result)
    }

    fn new() -> Self {
        Self::with(&json!({})).0
    }

    fn raw(&mut self, body: &str) {
        let input = self.input.as_mut().unwrap();
        write!(input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        input.flush().unwrap();
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.raw(&json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string());
    }

    fn send(&mut self, method: &str, params: Value) -> i64 {
        self.next += 1;
        self.raw(&json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }).to_string());
        self.next
    }

    fn answer(&mut self, id: i64) -> Result<Value, Value> {
        let message = self.wait(|message| message["id"] == id);
        match message.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(message["result"].clone()),
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.send(method, params);
        self.answer(id)
    }

    fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.aside.iter().position(&wanted) {
            return self.aside.remove(at);
        }
        loop {
            let message = self.messages.recv_timeout(PATIENCE).expect("the server says nothing");
            if wanted(&message) {
                return message;
            }
            self.aside.push(message);
        }
    }

    /// Waits until the diagnostics of a text are as wanted.
    fn diagnostics(&mut self, uri: &str, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let published = |message: &Value| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == uri
                && wanted(message["params"]["diagnostics"].as_array().unwrap())
        };
        self.wait(published)["params"]["diagnostics"].as_array().unwrap().clone()
    }

    fn open(&mut self, uri: &str, text: &str) {
        self.tell(
            "textDocument/didOpen",
            json!({ "textDocument": { "uri": uri, "languageId": "ludwright", "version": 1, "text": text } }),
        );
    }

    fn change(&mut self, uri: &str, text: &str) {
        self.tell(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [{ "text": text }] }),
        );
    }

    /// Asks about a place.
    fn at(&mut self, method: &str, uri: &str, position: Value) -> Value {
        let context = json!({ "includeDeclaration": true, "triggerKind": 1, "isRetrigger": false });
        self.ask(method, json!({ "textDocument": { "uri": uri }, "position": position, "context": context })).unwrap()
    }

    fn hover(&mut self, uri: &str, text: &str, needle: &str) -> String {
        let result = self.at("textDocument/hover", uri, place(text, needle));
        result["contents"]["value"].as_str().unwrap_or_default().to_owned()
    }

    /// The labels offered behind a text, best first.
    fn offers(&mut self, uri: &str, text: &str, needle: &str) -> Vec<String> {
        let mut position = place(text, needle);
        position["character"] = json!(position["character"].as_u64().unwrap() + needle.len() as u64);
        let result = self.at("textDocument/completion", uri, position);
        let mut items: Vec<(String, String)> = result
            .as_array()
            .unwrap()
            .iter()
            .map(|item| (item["sortText"].as_str().unwrap().to_owned(), item["label"].as_str().unwrap().to_owned()))
            .collect();
        items.sort();
        items.into_iter().map(|(_, label)| label).collect()
    }

    fn end(mut self) -> Option<i32> {
        self.ask("shutdown", Value::Null).unwrap();
        self.tell("exit", Value::Null);
        let status = self.child.wait().unwrap();
        let mut complaints = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut complaints).unwrap();
        assert_eq!(complaints, "");
        status.code()
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.cache);
    }
}

/// Line and column of the first place that reads so; the texts of these tests are ASCII there.
fn place(text: &str, needle: &str) -> Value {
    let at = text.find(needle).unwrap_or_else(|| panic!("`{needle}` is not there"));
    let line = text[..at].matches('\n').count();
    json!({ "line": line, "character": at - text[..at].rfind('\n').map_or(0, |at| at + 1) })
}

/// The text after edits of whole protocol form.
fn edited(text: &str, edits: &[Value]) -> String {
    let offset = |position: &Value| {
        let line = position["line"].as_u64().unwrap() as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        start + position["character"].as_u64().unwrap() as usize
    };
    let mut edits: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            (offset(&range["start"]), offset(&range["end"]), edit["newText"].as_str().unwrap())
        })
        .collect();
    edits.sort_unstable();
    let mut out = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        out.replace_range(start..end, new);
    }
    out
}

fn games() -> Vec<(String, String)> {
    fn walk(folder: &Path, found: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, found);
            } else if path.extension().is_some_and(|kind| kind == "game") {
                found.push((format!("file://{}", path.display()), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join("games"), &mut found);
    found.sort();
    found
}

const URI: &str = "file:///tmp/no/such/folder/hedges.game";
const HEDGES: &str = r#"game "Hedges" 2026
option side : 2..6 = 3                                          "cells along one edge"
option style : plain, wild = plain                              "how they grow"
players Green, Gold
board hexagon(side)
piece bush of each player
start { centre becomes bush of Green }
word crowded(x) "two bushes or more beside x" = count(own next_to x) >= 2
word reach(x, far: number) = ahead(x, directions, far)
move plant "{cell}" "a bush" {
  cell : empty not crowded, no enemy next_to cell
  wide = count(own next_to cell)
  cell becomes bush of mover   when style is plain
}
move creep "{from}-{to}" {
  from : own
  to   : empty next_to from, to in reach(from, 1)
  from -> to
}
pattern act = plant or creep
turn { act or pass }
end {
  next loses when stuck
  draw when turn > 100
}
test "first" { set style wild, side 2; expect no piece but centre }
"#;

#[test]
fn a_conversation_begins_and_ends_as_agreed() {
    let (mut editor, result) = Editor::with(&json!({ "general": { "positionEncodings": ["utf-16", "utf-8"] } }));
    assert_eq!(result["capabilities"]["positionEncoding"], "utf-8");
    assert_eq!(result["serverInfo"]["name"], "ludwright");
    editor.open(URI, HEDGES);
    assert_eq!(editor.diagnostics(URI, |_| true), Vec::<Value>::new());
    assert_eq!(editor.end(), Some(0));

    let mut hasty = Editor::silent();
    let refused = hasty.ask("textDocument/hover", json!({})).unwrap_err();
    assert_eq!(refused["code"], -32002);
    hasty.tell("exit", Value::Null);
    assert_eq!(hasty.child.wait().unwrap().code(), Some(1), "not shut down before");

    let mut gone = Editor::new();
    gone.input = None;
    assert_eq!(gone.child.wait().unwrap().code(), Some(1));
}

#[test]
fn diagnostics_are_those_of_check_and_go_when_mended() {
    let mut editor = Editor::new();
    let broken = HEDGES.replace("empty next_to from", "emtpy next_to from");
    editor.open(URI, &broken);
    let found = editor.diagnostics(URI, |found| !found.is_empty());
    assert_eq!(found[0]["code"], "LW201", "{found:?}");
    assert_eq!(found[0]["range"]["start"], place(&broken, "emtpy"));
    assert!(found[0]["message"].as_str().unwrap().contains("did you mean `empty`"));

    // What mends it.
    let range = found[0]["range"].clone();
    let context = json!({ "diagnostics": [found[0]] });
    let actions = editor
        .ask("textDocument/codeAction", json!({ "textDocument": { "uri": URI }, "range": range, "context": context }))
        .unwrap();
    let edits = actions[0]["edit"]["changes"][URI].as_array().unwrap().clone();
    assert_eq!(actions[0]["title"], "Write `empty`");
    assert_eq!(edited(&broken, &edits), HEDGES);

    // Mended letter by letter, as it is typed.
    let mut start = place(&broken, "emtpy");
    for letter in ["", "e", "m", "p", "t", "y"] {
        let end = if letter.is_empty() {
            start["character"].as_u64().unwrap() + 5
        } else {
            start["character"].as_u64().unwrap()
        };
        let range = json!({ "start": start, "end": { "line": start["line"], "character": end } });
        editor.tell(
            "textDocument/didChange",
            json!({ "textDocument": { "uri": URI, "version": 3 }, "contentChanges": [{ "range": range, "text": letter }] }),
        );
        start["character"] = json!(start["character"].as_u64().unwrap() + letter.len() as u64);
    }
    editor.diagnostics(URI, <[Value]>::is_empty);

    // What only a ruleset shows comes with the whole check.
    let late = HEDGES.replace("players", "ruleset small { side 2 }\nplayers").replace("centre becomes", "c3 becomes");
    editor.change(URI, &late);
    let found = editor.diagnostics(URI, |found| !found.is_empty());
    assert!(
        found[0]["message"].as_str().unwrap().contains("small")
            || found[0]["message"].as_str().unwrap().contains("side"),
        "{found:?}"
    );
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    editor.diagnostics(URI, <[Value]>::is_empty);
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn hover_tells_types_docs_and_shows_boards() {
    let mut editor = Editor::new();
    editor.open(URI, HEDGES);
    let mut shown = String::new();
    for needle in [
        "crowded, no",
        "enemy next_to cell",
        "next_to cell\n",
        "cell\n  wide",
        "wide =",
        "hexagon",
        "bush of mover",
        "style is",
        "plain\n}",
        "Green }",
        "reach(from",
        "plant or",
        "act or",
        "far)",
        "mover   when",
        "board hex",
    ] {
        let text = editor.hover(URI, HEDGES, needle);
        assert!(!text.is_empty(), "nothing about `{needle}`");
        shown.push_str(&format!("---- {needle:?}\n{text}\n"));
    }
    insta::assert_snapshot!(shown);
    assert_eq!(editor.hover(URI, HEDGES, "2026"), "");
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn completion_knows_the_section_the_word_before_and_the_type() {
    let mut editor = Editor::new();
    let text = format!(
        "{HEDGES}\n\nmove drop_it \"{{x}}\" {{\n  x : \n  x becomes \n  if style is \n}}\nturn 2 {{ \n}}\ntest \"x\" {{ set \n}}\n"
    );
    editor.open(URI, &text);
    let first = |offers: &[String], count: usize| offers.iter().take(count).cloned().collect::<Vec<_>>();
    let offers = editor.offers(URI, &text, "no enemy next_to ");
    assert!(offers.contains(&"cell".to_owned()) && offers.contains(&"crowded".to_owned()), "{offers:?}");
    let offers = editor.offers(URI, &text, "becomes \n".trim_end_matches('\n'));
    assert_eq!(first(&offers, 1), ["bush"]);
    let position = {
        let mut position = place(&text, "  if style is \n");
        position["character"] = json!(14);
        position
    };
    let result = editor.at("textDocument/completion", URI, position);
    let values: Vec<&str> = result
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| item["sortText"].as_str().unwrap().starts_with('0'))
        .map(|item| item["label"].as_str().unwrap())
        .collect();
    assert!(values.contains(&"plain") && values.contains(&"wild"), "{values:?}");
    let offers = editor.offers(URI, &text, "turn 2 { ");
    assert_eq!(first(&offers, 4), ["act", "creep", "drop_it", "plant"]);
    let offers = editor.offers(URI, &text, "test \"x\" { set ");
    assert_eq!(first(&offers, 2), ["side", "style"]);
    let offers = editor.offers(URI, &text, "bush of ");
    assert!(first(&offers, 5).contains(&"Green".to_owned()), "{offers:?}");
    let result = editor.at("textDocument/completion", URI, json!({ "line": 26, "character": 0 }));
    assert!(result.as_array().unwrap().iter().any(|item| item["label"] == "pattern"));
    let offers = editor.offers(URI, &text, "  x : ");
    assert!(
        offers.iter().position(|offer| offer == "empty").unwrap()
            < offers.iter().position(|offer| offer == "turn").unwrap()
    );
    let offers = editor.offers(URI, &text, "board ");
    assert!(offers.contains(&"hexagon".to_owned()) && !offers.contains(&"bush".to_owned()));
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn definitions_are_found_here_in_the_prelude_and_in_other_files() {
    let mut editor = Editor::new();
    editor.open(URI, HEDGES);
    for (used, given) in [
        ("crowded, no", "crowded(x)"),
        ("cell\n  wide", "cell : empty"),
        ("plant or creep", "plant \""),
        ("style wild", "style : plain"),
        ("wild, side 2", "wild = plain"),
        ("Green }", "Green, Gold"),
        ("cell}", "cell : empty"),
    ] {
        let found = editor.at("textDocument/definition", URI, place(HEDGES, used));
        assert_eq!((&found["uri"], &found["range"]["start"]), (&json!(URI), &place(HEDGES, given)), "{used}");
    }
    let found = editor.at("textDocument/definition", URI, place(HEDGES, "enemy next_to"));
    let path = found["uri"].as_str().unwrap().strip_prefix("file://").unwrap().to_owned();
    let prelude = std::fs::read_to_string(&path).unwrap();
    assert!(std::fs::metadata(&path).unwrap().permissions().readonly());
    assert_eq!(found["range"]["start"], place(&prelude, "enemy \""));
    // Nothing is said about the copy when the editor opens it.
    editor.open(found["uri"].as_str().unwrap(), &prelude);
    assert!(editor.hover(found["uri"].as_str().unwrap(), &prelude, "mover\nword enemy").contains("player"));

    // A file that is open and not yet written.
    let variant = "game \"Low Hedges\" extends \"hedges.game\"\nword tight(x) = crowded(x)\n";
    let low = URI.replace("hedges.game", "low.game");
    editor.open(&low, variant);
    let found = editor.at("textDocument/definition", &low, place(variant, "crowded"));
    assert_eq!((&found["uri"], &found["range"]["start"]), (&json!(URI), &place(HEDGES, "crowded(x)")));
    let found = editor.at("textDocument/definition", &low, place(variant, "hedges.game"));
    assert_eq!(found["uri"], URI);
    // A shipped game.
    let pushed = URI.replace("hedges.game", "pin.game");
    let text = "game \"Pins\" extends pushpin\nword more = score(mover) + 1\nscore(p) = count(stone of p)\n";
    editor.open(&pushed, text);
    let found = editor.at("textDocument/definition", &pushed, place(text, "stone of p"));
    assert!(found["uri"].as_str().unwrap().ends_with("pushpin.game"), "{found}");
    let found = editor.at("textDocument/definition", &pushed, place(text, "pushpin"));
    assert!(found["uri"].as_str().unwrap().ends_with("pushpin.game"), "{found}");
    // The base file is closed, and was never on the disk.
    editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    editor.diagnostics(&low, |found| {
        found
            .iter()
            .any(|found| found["code"] == "LW106" || found["message"].as_str().unwrap().contains("cannot be read"))
    });
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn references_and_new_names() {
    let mut editor = Editor::new();
    editor.open(URI, HEDGES);
    let rename = |editor: &mut Editor, needle: &str, name: &str| {
        editor.ask(
            "textDocument/rename",
            json!({ "textDocument": { "uri": URI }, "position": place(HEDGES, needle), "newName": name }),
        )
    };
    let found = editor.at("textDocument/references", URI, place(HEDGES, "crowded, no"));
    assert_eq!(found.as_array().unwrap().len(), 2);
    let found = editor.at("textDocument/documentHighlight", URI, place(HEDGES, "bush of mover"));
    assert_eq!(found.as_array().unwrap().len(), 3);
    for (needle, name, count) in [
        ("cell : empty", "point", 5),
        ("style is", "growth", 3),
        ("plain\n}", "tame", 3),
        ("Green }", "Olive", 2),
        ("creep\n", "crawl", 2),
        ("bush of mover", "hedge", 3),
        ("x, directions", "start_at", 2),
    ] {
        let edit = rename(&mut editor, needle, name).unwrap();
        let edits = edit["changes"][URI].as_array().unwrap().clone();
        assert_eq!(edits.len(), count, "{needle}: {edits:?}");
        let text = edited(HEDGES, &edits);
        editor.change(URI, &text);
        editor.diagnostics(URI, <[Value]>::is_empty);
        editor.change(URI, HEDGES);
    }
    for (needle, name, why) in [
        ("empty not", "full", "word of the language"),
        ("enemy next_to", "foe", "inside the program"),
        ("cell : empty", "wide", "already"),
        ("cell : empty", "when", "cannot be a name"),
        ("cell : empty", "two words", "cannot be a name"),
        ("crowded(x)", "bush", "already"),
        ("crowded(x)", "mover", "already"),
        ("style is", "bush", "already"),
        ("style is", "mover", "already"),
        ("cell : empty", "enemy", "already"),
        ("2026", "x", "no name here"),
    ] {
        let error = rename(&mut editor, needle, name).unwrap_err();
        assert!(error["message"].as_str().unwrap().contains(why), "{needle} -> {name}: {error}");
    }
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn sections_fold_names_are_found_in_all_files_and_tests_are_run() {
    let mut editor = Editor::new();
    let text = "// two lines\n// of comment\ngame \"Row\"\nplayers A, B\nboard square(3)\npiece man of each player\nmove put \"{cell}\" {\n  cell : empty\n  cell becomes man of mover\n}\nturn { put }\nend { next loses when stuck }\ntest \"fine\" { play a1 }\ntest \"wrong\" {\n  play a1\n  legal a1\n}\n";
    editor.open(URI, text);
    editor.open("file:///tmp/other.game", HEDGES);
    let document = json!({ "textDocument": { "uri": URI } });
    let folds = editor.ask("textDocument/foldingRange", document.clone()).unwrap();
    let lines = |fold: &Value| (fold["startLine"].as_u64().unwrap(), fold["endLine"].as_u64().unwrap());
    let folds: Vec<(u64, u64)> = folds.as_array().unwrap().iter().map(lines).collect();
    assert!(folds.contains(&(0, 1)) && folds.contains(&(6, 9)) && folds.contains(&(13, 16)), "{folds:?}");
    let found = editor.ask("workspace/symbol", json!({ "query": "P" })).unwrap();
    let named = |name: &str| found.as_array().unwrap().iter().find(|symbol| symbol["name"] == name).cloned();
    assert_eq!(named("put").unwrap()["location"]["uri"], URI);
    assert_eq!(named("plant").unwrap()["location"]["uri"], "file:///tmp/other.game");
    assert_eq!(named("man"), None);
    let lenses = editor.ask("textDocument/codeLens", document).unwrap();
    let commands: Vec<Value> = lenses.as_array().unwrap().iter().map(|lens| lens["command"].clone()).collect();
    assert_eq!(commands.len(), 2);
    for (command, said) in commands.iter().zip(["`fine` passes", "`wrong` fails at line 16"]) {
        let wish = json!({ "command": command["command"], "arguments": command["arguments"] });
        editor.ask("workspace/executeCommand", wish).unwrap();
        let message = editor.wait(|message| message["method"] == "window/showMessage");
        assert!(message["params"]["message"].as_str().unwrap().starts_with(said), "{message}");
    }
    let unknown = json!({ "command": "ludwright.other", "arguments": [] });
    assert_eq!(editor.ask("workspace/executeCommand", unknown).unwrap_err()["code"], -32602);
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn a_test_that_takes_long_holds_up_nobody_and_can_be_cancelled() {
    let mut editor = Editor::new();
    let text = "game \"Row\"\nplayers A, B\nboard square(9)\npiece man of each player\nmove put \"{cell}\" {\n  cell : empty\n  cell becomes man of mover\n}\nturn { put }\nend { next loses when stuck }\ntest \"long\" { perft 81 6480 511920 39929760 }\n";
    editor.open(URI, text);
    let wish = json!({ "command": "ludwright.runTest", "arguments": [URI, "long"] });
    let run = editor.send("workspace/executeCommand", wish);
    // Meanwhile the author writes on.
    let folds = editor.ask("textDocument/foldingRange", json!({ "textDocument": { "uri": URI } })).unwrap();
    assert!(!folds.as_array().unwrap().is_empty());
    editor.tell("$/cancelRequest", json!({ "id": run }));
    let refusal = editor.answer(run).unwrap_err();
    assert_eq!(refusal["code"], -32800, "{refusal}");
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn outline_hints_signatures_and_layout() {
    let mut editor = Editor::new();
    editor.open(URI, HEDGES);
    let document = json!({ "textDocument": { "uri": URI } });
    let symbols = editor.ask("textDocument/documentSymbol", document).unwrap();
    let names: Vec<&str> = symbols.as_array().unwrap().iter().map(|symbol| symbol["name"].as_str().unwrap()).collect();
    assert_eq!(names[..4], ["Hedges", "side", "style", "players"]);
    let plant = symbols.as_array().unwrap().iter().find(|symbol| symbol["name"] == "plant").unwrap();
    assert_eq!(plant["children"].as_array().unwrap().len(), 2);

    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let hints =
        editor.ask("textDocument/inlayHint", json!({ "textDocument": { "uri": URI }, "range": whole })).unwrap();
    let hints: Vec<(u64, &str)> = hints
        .as_array()
        .unwrap()
        .iter()
        .map(|hint| (hint["position"]["line"].as_u64().unwrap(), hint["label"].as_str().unwrap()))
        .collect();
    assert_eq!(hints, [(7, ": sites"), (7, " : condition"), (8, ": sites"), (8, " : sites"), (11, ": number")]);

    let mut inside = place(HEDGES, "1)\n  from ->");
    inside["character"] = json!(inside["character"].as_u64().unwrap() + 1);
    let help = editor.at("textDocument/signatureHelp", URI, inside);
    assert_eq!(help["signatures"][0]["label"], "reach(x: sites, far: number) : sites");
    assert_eq!(help["activeParameter"], 1);

    let untidy = HEDGES.replace("  cell : empty", "cell   :  empty").replace("start {", "start  {");
    editor.change(URI, &untidy);
    let options = json!({ "textDocument": { "uri": URI }, "options": { "tabSize": 4, "insertSpaces": true } });
    let edits = editor.ask("textDocument/formatting", options.clone()).unwrap().as_array().unwrap().clone();
    assert_eq!(edited(&untidy, &edits), HEDGES);
    editor.change(URI, "game \"x");
    assert_eq!(editor.ask("textDocument/formatting", options).unwrap(), Value::Null);
    assert_eq!(editor.end(), Some(0));
}

/// The tokens of an answer with the text under them.
fn painted(text: &str, data: &Value) -> Vec<(String, u64)> {
    let lines: Vec<Vec<u16>> = text.split('\n').map(|line| line.encode_utf16().collect()).collect();
    let numbers: Vec<u64> = data["data"].as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect();
    let (mut line, mut column) = (0, 0);
    numbers
        .chunks(5)
        .map(|token| {
            if token[0] > 0 {
                column = 0;
            }
            line += token[0];
            column += token[1];
            let word = &lines[line as usize][column as usize..(column + token[2]) as usize];
            (String::from_utf16(word).unwrap(), token[3])
        })
        .collect()
}

#[test]
fn every_shipped_game_is_understood_whole() {
    let mut editor = Editor::new();
    for (uri, text) in games() {
        editor.open(&uri, &text);
        let tokens = editor.ask("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": uri } })).unwrap();
        let tokens = painted(&text, &tokens);
        assert_eq!(tokens[0], ("game".to_owned(), 0), "{uri}");
        // Every word outside of quotes, drawings and moves has a colour.
        let missing: Vec<&str> = text
            .lines()
            .filter(|line| {
                !line.contains(['"', '/']) && ["word", "piece", "option"].iter().any(|start| line.starts_with(start))
            })
            .flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
            .filter(|word| !word.is_empty() && !tokens.iter().any(|(token, _)| token == word))
            .collect();
        assert!(missing.is_empty(), "{uri}: {missing:?}");
        let symbols = editor.ask("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri } })).unwrap();
        assert!(symbols.as_array().unwrap().len() > 1, "{uri}");
        let options = json!({ "textDocument": { "uri": uri }, "options": { "tabSize": 2, "insertSpaces": true } });
        assert_eq!(editor.ask("textDocument/formatting", options).unwrap(), json!([]), "{uri}");
        // Each name leads somewhere or is told.
        let mut unknown = Vec::new();
        for (number, line) in text
            .lines()
            .enumerate()
            .map(|(number, line)| (number, line.split("//").next().unwrap_or_default()))
            .filter(|(_, line)| line.starts_with("  ") && line.contains(" : ") && !line.contains('"'))
        {
            for (at, _) in line.char_indices().filter(|(at, c)| {
                c.is_ascii_alphabetic() && !line[..*at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            }) {
                let hover = editor.at(
                    "textDocument/hover",
                    &uri,
                    json!({ "line": number, "character": line[..at].encode_utf16().count() }),
                );
                let word: String = line[at..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
                let keyword = tokens.iter().any(|(token, kind)| *token == word && *kind == 0);
                if hover.is_null() && !keyword {
                    unknown.push(format!("{}: {word}", number + 1));
                }
            }
        }
        assert!(unknown.is_empty(), "{uri}: {unknown:?}");
        editor.tell("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn half_written_files_are_answered() {
    let mut editor = Editor::new();
    editor.open(URI, "");
    let methods = [
        "textDocument/hover",
        "textDocument/completion",
        "textDocument/definition",
        "textDocument/references",
        "textDocument/signatureHelp",
        "textDocument/documentHighlight",
    ];
    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9999, "character": 0 } });
    let (_, equi) = games().into_iter().find(|(uri, _)| uri.ends_with("weituweiqi.game")).unwrap();
    for text in [HEDGES, equi.as_str()] {
        for cut in (0..text.len()).step_by(37).filter(|cut| text.is_char_boundary(*cut)) {
            editor.change(URI, &text[..cut]);
            let line = text[..cut].matches('\n').count();
            let character = text[..cut].lines().last().map_or(0, |line| line.encode_utf16().count());
            for method in methods {
                editor.at(method, URI, json!({ "line": line, "character": character }));
            }
            for method in [
                "textDocument/semanticTokens/full",
                "textDocument/documentSymbol",
                "textDocument/inlayHint",
                "textDocument/codeAction",
            ] {
                editor
                    .ask(
                        method,
                        json!({ "textDocument": { "uri": URI }, "range": whole, "context": { "diagnostics": [] } }),
                    )
                    .unwrap();
            }
        }
    }
    for text in ["\0", "\u{FEFF}game", "((((((((", "\"", "{{{{", "\r\r\r", "move m { 😀 : 😀 }", "drawn {"] {
        editor.change(URI, text);
        editor.at("textDocument/hover", URI, json!({ "line": 0, "character": 1 }));
        editor.at("textDocument/completion", URI, json!({ "line": 7, "character": 7 }));
        editor.ask("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": URI } })).unwrap();
    }
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn nothing_that_is_sent_ends_the_conversation() {
    let mut editor = Editor::new();
    editor.open(URI, HEDGES);
    assert_eq!(editor.ask("workspace/magic", json!({})).unwrap_err()["code"], -32601);
    assert_eq!(editor.ask("textDocument/hover", json!({ "position": 7 })).unwrap_err()["code"], -32602);
    let elsewhere =
        json!({ "textDocument": { "uri": "file:///not/open.game" }, "position": { "line": 0, "character": 0 } });
    assert_eq!(editor.ask("textDocument/hover", elsewhere).unwrap_err()["code"], -32602);
    let refused = |editor: &mut Editor| {
        let answer = editor.wait(|message| message["id"].is_null() && message.get("error").is_some());
        answer["error"]["code"].as_i64().unwrap()
    };
    for (sent, code) in [("{ this is no JSON", -32700), ("[]", -32600), (r#"{"jsonrpc":"2.0"}"#, -32600)] {
        editor.raw(sent);
        assert_eq!(refused(&mut editor), code, "{sent}");
    }
    editor.input.as_mut().unwrap().write_all(b"Content-Length: many\r\n\r\nX-Nothing: 1\r\n\r\n").unwrap();
    assert_eq!((refused(&mut editor), refused(&mut editor)), (-32700, -32700));
    editor.tell(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": "file:///not/open.game", "version": 1 }, "contentChanges": [] }),
    );
    editor.tell("textDocument/didOpen", json!(3));
    editor.tell("$/unknown", json!({}));
    editor.raw(r#"{"jsonrpc":"2.0","id":77,"result":null}"#);
    let backwards = json!({ "start": { "line": 9, "character": 9 }, "end": { "line": 1, "character": 999 } });
    editor.tell(
        "textDocument/didChange",
        json!({ "textDocument": { "uri": URI, "version": 2 }, "contentChanges": [{ "range": backwards, "text": "" }] }),
    );
    editor.change(URI, HEDGES);
    assert!(editor.hover(URI, HEDGES, "crowded(x)").contains("two bushes"));
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn columns_count_in_the_encoding_agreed() {
    let text = HEDGES.replace("\"a bush\"", "\"ein Büschel 😀\"").replace("word reach", "// 😀ü\nword reach");
    let text = text
        .replace("  draw when turn > 100\n", "  draw when turn > 100   \"😀\"\n")
        .replace("next loses when stuck", "next loses when stuck   \"ü😀\"   // stuck");
    for (encodings, width) in [(json!(["utf-8"]), 4 + 2), (json!(["utf-16"]), 2 + 1)] {
        let (mut editor, _) = Editor::with(&json!({ "general": { "positionEncodings": encodings } }));
        editor.open(URI, &text);
        let doc = "test \"ü😀\" { expect crowded(centre) }\n";
        editor.tell("textDocument/didChange", json!({ "textDocument": { "uri": URI, "version": 2 }, "contentChanges": [
            { "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } }, "text": doc } ] }));
        let before = "test \"".len() + width + "\" { expect ".len();
        let hover = editor.at("textDocument/hover", URI, json!({ "line": 0, "character": before }));
        assert_eq!(hover["range"]["start"]["character"], before, "{hover}");
        assert!(hover["contents"]["value"].as_str().unwrap().contains("crowded"));
        let before_it = editor.at("textDocument/hover", URI, json!({ "line": 0, "character": before - 1 }));
        assert!(before_it.is_null());
        assert_eq!(editor.end(), Some(0));
    }
}

#[test]
fn a_question_can_be_taken_back() {
    let mut editor = Editor::new();
    let (uri, equi) = games().into_iter().find(|(uri, _)| uri.ends_with("equi.game")).unwrap();
    editor.open(&uri, &equi);
    // While the first is answered the others wait.
    let ids: Vec<i64> = (0..40)
        .map(|_| editor.send("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": uri } })))
        .collect();
    for id in &ids[1..] {
        editor.tell("$/cancelRequest", json!({ "id": id }));
    }
    let answers: Vec<Result<Value, Value>> = ids.iter().map(|id| editor.answer(*id)).collect();
    assert!(answers[0].is_ok());
    for answer in answers {
        if let Err(error) = answer {
            assert_eq!(error["code"], -32800);
        }
    }
    assert_eq!(editor.end(), Some(0));
}

/// Numbers that are the same every time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, count: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % count.max(1)
    }
}

/// What editors ask.
const METHODS: [&str; 16] = [
    "textDocument/hover",
    "textDocument/completion",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/documentHighlight",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/semanticTokens/full",
    "textDocument/inlayHint",
    "textDocument/signatureHelp",
    "textDocument/formatting",
    "textDocument/codeAction",
    "textDocument/codeLens",
    "workspace/magic",
];

/// Sends so many messages, of which many have no sense; each request is answered, with an error where it cannot be.
fn senseless(messages: usize, seed: u64) {
    let mut editor = Editor::new();
    editor.open(URI, HEDGES);
    let mut chance = Chance(seed);
    let mut text = HEDGES.to_owned();
    let (mut sent, mut waiting) = (0, Vec::new());
    while sent < messages {
        sent += 1;
        let place = json!({ "line": chance.below(40), "character": chance.below(90) });
        match chance.below(10) {
            0 => {
                // A letter is taken out or put in.
                let at = chance.below(text.len());
                let at = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap();
                let letter = ["a", " ", "{", "}", "(", "\n", "\"", "ü", "of ", ","][chance.below(10)];
                text.insert_str(at, letter);
                if sent % 50 == 0 {
                    HEDGES.clone_into(&mut text);
                }
                editor.change(URI, &text);
            }
            1 => {
                let end = json!({ "line": chance.below(60), "character": chance.below(200) });
                editor.tell(
                    "textDocument/didChange",
                    json!({
                        "textDocument": { "uri": URI, "version": sent },
                        "contentChanges": [{ "range": { "start": place, "end": end }, "text": "x" }],
                    }),
                );
                HEDGES.clone_into(&mut text);
                editor.change(URI, &text);
            }
            2 => {
                let whole =
                    json!({ "jsonrpc": "2.0", "method": "textDocument/hover", "params": { "position": place } });
                let whole = whole.to_string();
                let cut = chance.below(whole.len());
                editor.raw(&format!("{}{}", &whole[..cut], &whole[(cut + chance.below(3)).min(whole.len())..]));
            }
            _ => {
                let method = METHODS[chance.below(METHODS.len())];
                let mut params = json!({
                    "textDocument": { "uri": URI }, "position": place, "newName": "other",
                    "range": { "start": place, "end": { "line": chance.below(60), "character": 3 } },
                    "context": { "includeDeclaration": true, "triggerKind": 1, "isRetrigger": false, "diagnostics": [] },
                    "options": { "tabSize": 2, "insertSpaces": true },
                });
                if chance.below(6) == 0 {
                    let gone = ["textDocument", "position", "context", "range"][chance.below(4)];
                    params[gone] = [json!(null), json!(-1), json!("x"), json!([])][chance.below(4)].clone();
                }
                waiting.push(editor.send(method, params));
            }
        }
        if waiting.len() >= 50 {
            for id in waiting.drain(..) {
                let _ = editor.answer(id);
            }
            // What was published or refused meanwhile is not looked at.
            editor.aside.clear();
        }
    }
    for id in waiting {
        let _ = editor.answer(id);
    }
    println!("{sent} messages");
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn senseless_messages_are_answered_and_end_nothing() {
    senseless(600, 1);
}

/// `MESSAGES=100000 cargo test --test program lsp:: -- --ignored --nocapture`
#[test]
#[ignore = "takes as long as it is told to"]
fn many_senseless_messages_are_answered_and_end_nothing() {
    senseless(usize::try_from(wish("MESSAGES", 10_000)).unwrap(), wish("SEED", 2));
}
