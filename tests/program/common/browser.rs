//! A headless Chromium, driven over its DevTools socket with the few commands that the tests need.

use super::{fresh, left_out};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

pub struct Browser {
    child: Child,
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    session: String,
    asked: u64,
    profile: PathBuf,
    /// Exceptions and errors of the pages.
    pub errors: Vec<String>,
}

/// How long anything on a page may take.
const PATIENCE: Duration = Duration::from_secs(90);

impl Browser {
    /// A browser with one empty page; none if browsers are to be left out.
    pub fn start(name: &str) -> Option<Self> {
        if left_out("browser") {
            return None;
        }
        let profile = fresh(&format!("browser-{name}"));
        let names = ["chromium", "chromium-browser", "google-chrome"];
        let child = names.iter().find_map(|program| {
            Command::new(program)
                .args(["--headless=new", "--remote-debugging-port=0", "--no-sandbox", "--disable-gpu"])
                .args(["--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars"])
                .arg(format!("--user-data-dir={}", profile.display()))
                .stdout(Stdio::null())
                .stderr(Stdio::piped())
                .spawn()
                .ok()
        });
        let mut child = child.unwrap_or_else(|| {
            panic!(
                "the page is tested in a browser, and none of {names:?} is installed: `apt-get install chromium`, \
                 or set LUDWRIGHT_SKIP=browser to leave these tests out"
            )
        });
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let address =
            lines.find_map(|line| line.strip_prefix("DevTools listening on ").map(str::to_owned)).expect("no DevTools");
        // Nobody reads on: what it complains about goes nowhere, but must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let (socket, _) = tungstenite::connect(address).unwrap();
        let mut browser = Self { child, socket, session: String::new(), asked: 0, profile, errors: Vec::new() };
        let target = browser.ask("Target.createTarget", json!({ "url": "about:blank" }))["targetId"].clone();
        let attached = browser.ask("Target.attachToTarget", json!({ "targetId": target, "flatten": true }));
        browser.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            browser.ask(domain, json!({}));
        }
        // Several browsers at once: what is typed goes to the page whether its window has the focus or not.
        browser.ask("Emulation.setFocusEmulationEnabled", json!({ "enabled": true }));
        browser.size(1280, 900);
        Some(browser)
    }

    /// A command of the protocol and its result.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.try_to_ask(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// The same, or the error that the browser answers with.
    fn try_to_ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        self.asked += 1;
        let mut message = json!({ "id": self.asked, "method": method, "params": params });
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.socket.send(Message::text(message.to_string())).unwrap();
        loop {
            let Message::Text(text) = self.socket.read().unwrap() else { continue };
            let answer: Value = serde_json::from_str(text.as_str()).unwrap();
            if answer["id"] == self.asked {
                let failed = !answer["error"].is_null();
                return if failed { Err(answer["error"].clone()) } else { Ok(answer["result"].clone()) };
            }
            self.note(&answer);
        }
    }

    fn note(&mut self, event: &Value) {
        let entry = &event["params"]["entry"];
        match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => self.errors.push(event["params"].to_string()),
            // A refusal of the server is an answer, not an error of the page.
            Some("Log.entryAdded") if entry["level"] == "error" && entry["source"] != "network" => {
                self.errors.push(entry.to_string());
            }
            // Questions of the page to a person are answered by nobody.
            Some("Page.javascriptDialogOpening") => {
                let message = json!({
                    "id": 0, "method": "Page.handleJavaScriptDialog", "sessionId": self.session,
                    "params": { "accept": false },
                });
                self.socket.send(Message::text(message.to_string())).unwrap();
            }
            _ => {}
        }
    }

    /// What an expression of the page is.
    pub fn eval(&mut self, expression: &str) -> Value {
        self.try_to_eval(expression).unwrap_or_else(|error| panic!("{expression}: {error}"))
    }

    fn try_to_eval(&mut self, expression: &str) -> Result<Value, Value> {
        let params = json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let answer = self.try_to_ask("Runtime.evaluate", params)?;
        assert!(answer["exceptionDetails"].is_null(), "{expression}: {answer}");
        Ok(answer["result"]["value"].clone())
    }

    /// Waits until an expression is true.
    pub fn wait(&mut self, expression: &str) {
        let begun = Instant::now();
        // While one page gives way to the next there is nobody to be asked.
        while self.try_to_eval(expression) != Ok(json!(true)) {
            if begun.elapsed() > PATIENCE {
                let page = self.eval("document.body.innerText");
                panic!("{expression} does not come true on\n{page}\n{:?}", self.errors);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn open(&mut self, url: &str) {
        self.ask("Page.navigate", json!({ "url": url }));
        let path = url.splitn(4, '/').nth(3).unwrap_or("").split(['#', '?']).next().unwrap_or("");
        self.wait(&format!("document.readyState === 'complete' && location.pathname === '/{path}'"));
        // Before a page has been painted for the first time the browser may drop what is clicked.
        self.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))");
    }

    pub fn size(&mut self, width: u32, height: u32) {
        let params = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600 });
        self.ask("Emulation.setDeviceMetricsOverride", params);
    }

    pub fn dark(&mut self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let features = json!([{ "name": "prefers-color-scheme", "value": value }]);
        self.ask("Emulation.setEmulatedMedia", json!({ "features": features }));
    }

    /// Clicks the middle of an element with the mouse, once it stands still; it must not be covered.
    pub fn click(&mut self, selector: &str) {
        // A page that is just being laid out may move the thing away under the pointer; a person would click again.
        for _ in 0..5 {
            self.click_once(selector);
            // Another page may have come by the click.
            if self.try_to_eval("window.hitByTest === false") != Ok(json!(true)) {
                return;
            }
        }
        panic!("{selector} moves away under the pointer");
    }

    fn click_once(&mut self, selector: &str) {
        let place = self.eval(&format!(
            "(async () => {{
                const place = () => {{
                    const node = document.querySelector({selector});
                    if (!node) return null;
                    (node.ownerSVGElement ?? node).scrollIntoView({{ block: 'nearest' }});
                    node.scrollIntoView({{ block: 'nearest' }});
                    const shape = node.querySelector(':scope > :is(.cell, .pit, .area)') ?? node;
                    const box = shape.getBoundingClientRect();
                    const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
                    const hit = document.elementFromPoint(x, y);
                    return [x, y, node === hit || node.contains(hit)];
                }};
                if (window.hitByTest === undefined) {{
                    const heard = ({{ target }}) => {{ window.hitByTest ||= !!target.closest?.(window.wantedByTest); }};
                    document.addEventListener('click', heard, true);
                }}
                [window.hitByTest, window.wantedByTest] = [false, {selector}];
                let now = place();
                for (let tries = 0; tries < 50; tries++) {{
                    await new Promise((wake) => setTimeout(wake, 10));
                    const before = now;
                    now = place();
                    if (JSON.stringify(now) === JSON.stringify(before)) break;
                }}
                return now;
            }})()",
            selector = json!(selector)
        ));
        assert!(place[2] == json!(true), "{selector} cannot be clicked: {place}");
        for kind in ["mousePressed", "mouseReleased"] {
            let params = json!({ "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1 });
            self.ask("Input.dispatchMouseEvent", params);
        }
    }

    /// Touches the middle of an element with a finger.
    pub fn touch(&mut self, selector: &str) {
        let place = self.eval(&format!(
            "(() => {{ const node = document.querySelector({selector}); node.scrollIntoView({{ block: 'nearest' }}); \
             const box = (node.querySelector(':scope > :is(.cell, .pit, .area)') ?? node).getBoundingClientRect(); \
             return [box.left + box.width / 2, box.top + box.height / 2]; }})()",
            selector = json!(selector)
        ));
        let points = json!([{ "x": place[0], "y": place[1] }]);
        self.ask("Input.dispatchTouchEvent", json!({ "type": "touchStart", "touchPoints": points }));
        self.ask("Input.dispatchTouchEvent", json!({ "type": "touchEnd", "touchPoints": [] }));
    }

    /// Presses a key by its name, such as `Tab` or `ArrowLeft`.
    pub fn key(&mut self, key: &str) {
        let (code, text) = match key {
            "Enter" => (13, "\r"),
            "n" => (78, "n"),
            "Tab" => (9, ""),
            "Escape" => (27, ""),
            "F1" => (112, ""),
            "ArrowLeft" => (37, ""),
            "ArrowUp" => (38, ""),
            "ArrowRight" => (39, ""),
            "ArrowDown" => (40, ""),
            _ => panic!("{key}"),
        };
        for kind in ["keyDown", "keyUp"] {
            let mut params = json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code });
            if kind == "keyDown" && !text.is_empty() {
                params["text"] = json!(text);
            }
            self.ask("Input.dispatchKeyEvent", params);
        }
    }

    /// Types text where the focus is.
    pub fn type_text(&mut self, text: &str) {
        self.ask("Input.insertText", json!({ "text": text }));
    }

    /// Selects a place of the rules and types over it, until it stands there: a browser that has much to do may drop keys.
    pub fn write(&mut self, select: &str, text: &str) {
        const RULES: &str = "document.querySelector('#text').value";
        let (before, begun) = (self.eval(RULES), Instant::now());
        while self.eval(RULES) == before {
            assert!(begun.elapsed() < PATIENCE, "{text} cannot be typed");
            self.eval(select);
            self.type_text(text);
        }
    }

    /// A picture of what is seen, written where `SCREENSHOTS` says.
    pub fn picture(&mut self, name: &str) {
        let Some(folder) = std::env::var_os("SCREENSHOTS") else { return };
        let data = self.ask("Page.captureScreenshot", json!({ "format": "png" }))["data"].clone();
        let path = PathBuf::from(folder).join(format!("{name}.png"));
        std::fs::write(path, decode(data.as_str().unwrap())).unwrap();
    }

    /// Fails if something runs over the right border.
    pub fn assert_no_overflow(&mut self, what: &str) {
        let widths = self.eval("[document.documentElement.scrollWidth, document.documentElement.clientWidth]");
        assert!(widths[0].as_u64() <= widths[1].as_u64(), "{what} is too wide: {widths}");
    }

    pub fn assert_no_errors(&self) {
        assert!(self.errors.is_empty(), "{:?}", self.errors);
    }
}

/// Base 64, as the protocol sends bytes.
fn decode(text: &str) -> Vec<u8> {
    let value = |byte: u8| match byte {
        b'A'..=b'Z' => byte - b'A',
        b'a'..=b'z' => byte - b'a' + 26,
        b'0'..=b'9' => byte - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let letters: Vec<u8> = text.bytes().filter(|byte| *byte != b'=').collect();
    let mut bytes = Vec::new();
    for group in letters.chunks(4) {
        let bits = group.iter().fold(0u32, |bits, byte| bits << 6 | u32::from(value(*byte))) << (6 * (4 - group.len()));
        bytes.extend(bits.to_be_bytes()[1..].iter().take(group.len() - 1));
    }
    bytes
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}
