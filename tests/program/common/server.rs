//! The real server in a process of its own, and a client of a few lines that can also misbehave.

use super::{fresh, ludwright};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server with a folder of its own, gone when it is dropped.
pub struct Server {
    child: Child,
    pub address: String,
    folder: PathBuf,
}

/// What came back.
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {} {}", self.status, self.body))
    }

    /// The code of a refusal.
    pub fn code(&self) -> String {
        self.json()["error"]["code"].as_str().unwrap_or("none").to_owned()
    }
}

impl Server {
    /// A server on any port, with further arguments.
    pub fn start(name: &str, arguments: &[&str]) -> Self {
        let folder = fresh(name);
        let (child, address) = Self::spawn(&folder, arguments);
        Self { child, address, folder }
    }

    fn spawn(folder: &Path, arguments: &[&str]) -> (Child, String) {
        Self::begun(ludwright(), folder, arguments)
    }

    fn begun(mut command: Command, folder: &Path, arguments: &[&str]) -> (Child, String) {
        let mut child = command
            .args(["serve", "--port", "0", "--data"])
            .arg(folder)
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap_or_else(|| panic!("{line}")).trim_end_matches('/');
        (child, address.to_owned())
    }

    /// A server that may write files of so many blocks of 512 bytes.
    #[cfg(unix)]
    pub fn limited(name: &str, blocks: u64, arguments: &[&str]) -> Self {
        let folder = fresh(name);
        let mut shell = Command::new("sh");
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        shell.arg("-c").arg(script).arg(env!("CARGO_BIN_EXE_ludwright"));
        let (child, address) = Self::begun(shell, &folder, arguments);
        Self { child, address, folder }
    }

    /// The number of its process.
    #[cfg(target_os = "linux")]
    pub fn id(&self) -> String {
        self.child.id().to_string()
    }

    /// The processes that work for it.
    #[cfg(target_os = "linux")]
    pub fn workers(&self) -> Vec<String> {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).unwrap();
        let children = tasks.filter_map(|task| std::fs::read_to_string(task.ok()?.path().join("children")).ok());
        children.flat_map(|list| list.split_whitespace().map(str::to_owned).collect::<Vec<_>>()).collect()
    }

    /// Kills the server as the power would, and starts it again.
    pub fn restart(&mut self, arguments: &[&str]) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let (child, address) = Self::spawn(&self.folder, arguments);
        (self.child, self.address) = (child, address);
    }

    /// Kills the server as the power would, from beside somebody who asks it.
    #[cfg(unix)]
    pub fn kill(&self) {
        assert!(Command::new("kill").args(["-KILL", &self.child.id().to_string()]).status().unwrap().success());
    }

    /// Ends the server as Ctrl-C does; its exit status.
    #[cfg(unix)]
    pub fn interrupt(&mut self) -> Option<i32> {
        let sent = Command::new("kill").args(["-INT", &self.child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        self.child.wait().unwrap().code()
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Sends bytes as they are; a server that hangs up early has still said something.
    pub fn raw(&self, bytes: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(90))).unwrap();
        let _ = stream.write_all(bytes);
        let _ = stream.flush();
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Reply { status, head: head.to_owned(), body: body.to_owned() }
    }

    pub fn request(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Reply {
        let mut bytes = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n",
            self.address,
            body.len()
        )
        .into_bytes();
        bytes.extend_from_slice(body);
        self.raw(&bytes)
    }

    pub fn get(&self, path: &str) -> Reply {
        self.request("GET", path, "", b"")
    }

    pub fn post(&self, path: &str, body: &Value) -> Reply {
        self.request("POST", path, "Content-Type: application/json\r\n", body.to_string().as_bytes())
    }

    /// Asks for the view of a session until it is as wanted.
    pub fn wait_for(&self, id: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        self.wait_until(&format!("/api/sessions/{id}"), wanted)
    }

    /// Asks an address until its answer is as wanted.
    pub fn wait_until(&self, path: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            let view = self.get(path).json();
            if wanted(&view) {
                return view;
            }
            assert!(begun.elapsed() < Duration::from_secs(120), "{view}");
            std::thread::sleep(Duration::from_millis(30));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
