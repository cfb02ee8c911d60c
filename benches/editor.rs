//! How long the language server takes to answer on a file of 2,000 lines: the real program over standard input and output.
//!
//! `cargo bench --bench editor`; `ROUNDS` is how often each question is asked, `LUDWRIGHT` names another program.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const URI: &str = "file:///tmp/ludwright-bench/long.game";
/// About as long as somebody takes for a letter.
const LETTER: Duration = Duration::from_millis(120);

struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: i64,
    text: String,
    version: i64,
}

impl Server {
    fn start(program: &str, text: &str) -> Self {
        let mut child = Command::new(program).arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut server = Self { child, input, output, next: 0, text: text.to_owned(), version: 1 };
        server.ask("initialize", json!({ "capabilities": { "general": { "positionEncodings": ["utf-8"] } } }));
        server.tell("initialized", json!({}));
        let document = json!({ "uri": URI, "languageId": "ludwright", "version": 1, "text": text });
        server.tell("textDocument/didOpen", json!({ "textDocument": document }));
        server.diagnostics();
        server
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server has gone");
            match line.strip_prefix("Content-Length: ") {
                Some(number) => length = number.trim().parse().unwrap(),
                None => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.read();
            if message["id"] == id {
                assert!(message.get("error").is_none(), "{message}");
                return message["result"].clone();
            }
        }
    }

    /// Waits for what is said about the present version.
    fn diagnostics(&mut self) {
        loop {
            let message = self.read();
            if message["method"] == "textDocument/publishDiagnostics" && message["params"]["version"] == self.version {
                return;
            }
        }
    }

    fn place(&self, at: usize) -> Value {
        let before = &self.text[..at];
        let line = before.matches('\n').count();
        json!({ "line": line, "character": at - before.rfind('\n').map_or(0, |at| at + 1) })
    }

    /// Puts a text in the place of another, as an editor tells it.
    fn edit(&mut self, at: usize, length: usize, text: &str) {
        let range = json!({ "start": self.place(at), "end": self.place(at + length) });
        self.text.replace_range(at..at + length, text);
        self.version += 1;
        let document = json!({ "uri": URI, "version": self.version });
        let changes = json!([{ "range": range, "text": text }]);
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    fn replace(&mut self, text: &str) {
        self.text = text.to_owned();
        self.version += 1;
        let document = json!({ "uri": URI, "version": self.version });
        let changes = json!([{ "text": text }]);
        self.tell("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Equi with its words, moves and tests over and over, under other names.
fn long_text() -> String {
    let equi = include_str!("../games/equi/equi.game");
    let tests = &equi[equi.find("\ntest ").unwrap()..];
    let mut text = equi.to_owned();
    for round in 1.. {
        let _ = write!(text, "\n// Round {round}.\n");
        for word in 0..12 {
            let _ = writeln!(
                text,
                "word near_{round}_{word}(x) \"cells\" = count(own around x) + count(enemy disc next_to x)"
            );
        }
        for step in 0..6 {
            let _ = write!(
                text,
                "move slide_{round}_{step} \"{{from}}-{{to}}\" \"a disc moves\" {{\n  from : own disc\n  \
                 to   : empty next_to from, near_{round}_{step}(to) > 1\n  from -> to\n}}\n"
            );
        }
        for line in tests.split_inclusive('\n') {
            text.push_str(&line.replace("test \"", &format!("test \"{round}: ")));
            if line == "}\n" && text.matches('\n').count() >= 2074 {
                return text;
            }
        }
    }
    text
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort();
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    let part = |percent: usize| ms(times[(times.len() - 1) * percent / 100]);
    println!("{what:<58} {:>7.1} {:>7.1} to {:>6.1} {:>6.1}", part(50), part(0), part(100), part(90));
}

fn main() {
    let program = std::env::var("LUDWRIGHT").unwrap_or_else(|_| env!("CARGO_BIN_EXE_ludwright").to_owned());
    let rounds: usize = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(25);
    let text = long_text();
    if let Ok(path) = std::env::var("WRITE") {
        std::fs::write(path, &text).unwrap();
    }
    println!(
        "{} lines, {} bytes, {rounds} rounds; ms from the change to the answer\n",
        text.lines().count(),
        text.len()
    );
    println!("{:<58} {:>7} {:>17} {:>6}", "", "median", "range", "90 %");
    let mut server = Server::start(&program, &text);
    // A letter more and again one less, each time in another word of the file.
    let places: Vec<usize> =
        text.match_indices("count(own around x)").map(|(at, _)| at + "count(own around ".len()).collect();
    let document = json!({ "uri": URI });
    let questions = [
        ("textDocument/hover", "hover after a letter"),
        ("textDocument/completion", "completion after a letter"),
        ("textDocument/semanticTokens/full", "colours after a letter"),
        ("textDocument/documentSymbol", "outline after a letter"),
        ("textDocument/formatting", "formatting after a letter"),
        ("diagnostics", "what is wrong, after a letter"),
    ];
    for (method, what) in questions {
        let mut times = Vec::new();
        for round in 0..rounds {
            std::thread::sleep(LETTER);
            let at = places[(round / 2 * 7) % places.len()];
            let begun = Instant::now();
            // `x` becomes `xx`, a name that there is not, and then again `x`
            if round % 2 == 0 {
                server.edit(at, 1, "xx")
            } else {
                server.edit(at, 2, "x")
            }
            if method == "diagnostics" {
                server.diagnostics();
            } else {
                let position = server.place(at - 3);
                server.ask(
                    method,
                    json!({ "textDocument": document, "position": position,
                            "options": { "tabSize": 2, "insertSpaces": true } }),
                );
            }
            times.push(begun.elapsed());
        }
        report(what, times);
    }
    let mut times = Vec::new();
    for round in 0..rounds {
        std::thread::sleep(LETTER);
        let at = server.text.match_indices("\nmove ").nth(round % 5).unwrap().0;
        let at = at + server.text[at..].find('{').unwrap();
        let brace = at + server.text[at..].find(" {\n").unwrap() + 1;
        let begun = Instant::now();
        server.edit(brace, 1, "");
        server.ask("textDocument/hover", json!({ "textDocument": document, "position": server.place(places[0]) }));
        times.push(begun.elapsed());
        server.edit(brace, 0, "{");
    }
    report("hover after the brace of a move was taken out", times);
    let mut times = Vec::new();
    for round in 0..rounds {
        std::thread::sleep(LETTER);
        let close = server.text.match_indices("\n}\n").nth(10 + round % 7).unwrap().0 + 1;
        let begun = Instant::now();
        server.edit(close, 1, "");
        server.ask("textDocument/hover", json!({ "textDocument": document, "position": server.place(places[0]) }));
        times.push(begun.elapsed());
        server.edit(close, 0, "}");
    }
    report("hover after a closing brace was taken out", times);
    let mut times = Vec::new();
    for round in 0..rounds {
        std::thread::sleep(LETTER);
        server.ask("textDocument/hover", json!({ "textDocument": document, "position": server.place(places[0]) }));
        // No section is one that has been seen before, neither as it is nor as it will be.
        let wide = text
            .replace("  ", "   ")
            .replace("(x)", &format!("(x{round})"))
            .replace("test \"", &format!("test \"{round}, "));
        let begun = Instant::now();
        server.replace(&wide);
        server.ask(
            "textDocument/formatting",
            json!({ "textDocument": document, "options": { "tabSize": 2, "insertSpaces": true } }),
        );
        times.push(begun.elapsed());
    }
    report("formatting of a file set anew, every section in disorder", times);
}
