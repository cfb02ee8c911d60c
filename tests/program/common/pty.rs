//! The program on a terminal that is no more than a program itself: keys go in, a screen comes out.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long anything may take on a machine that does other things too.
const PATIENCE: Duration = Duration::from_secs(60);

pub const UP: &str = "\x1b[A";
pub const DOWN: &str = "\x1b[B";
pub const RIGHT: &str = "\x1b[C";
pub const LEFT: &str = "\x1b[D";
pub const ENTER: &str = "\r";
pub const TAB: &str = "\t";
pub const ESCAPE: &str = "\x1b";
pub const UNDO: &str = "\x1a";
pub const REDO: &str = "\x19";
pub const QUIT: &str = "\x11";
pub const RESIGN: &str = "\x12";
pub const HINT: &str = "\x14";
pub const WHY: &str = "\x17";
pub const HELP: &str = "\x1bOP";

/// A running program and what it shows.
pub struct Pty {
    master: Box<dyn MasterPty + Send>,
    keys: Option<Box<dyn Write + Send>>,
    output: Receiver<Vec<u8>>,
    reader: JoinHandle<()>,
    parser: vt100::Parser,
    pub child: Box<dyn Child + Send + Sync>,
}

fn size(columns: u16, lines: u16) -> PtySize {
    PtySize { rows: lines, cols: columns, pixel_width: 0, pixel_height: 0 }
}

impl Pty {
    /// Starts `ludwright play` in a window of some size, with a folder for its games.
    pub fn play(arguments: &[&str], columns: u16, lines: u16, state: &Path) -> Self {
        Self::play_with(arguments, columns, lines, state, &[])
    }

    /// The same with further variables.
    pub fn play_with(arguments: &[&str], columns: u16, lines: u16, state: &Path, variables: &[(&str, &str)]) -> Self {
        let pair = native_pty_system().openpty(size(columns, lines)).unwrap();
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_ludwright"));
        command.arg("play");
        command.args(arguments);
        command.cwd(env!("CARGO_MANIFEST_DIR"));
        for name in ["NO_COLOR", "COLORTERM", "LC_ALL", "LC_CTYPE"] {
            command.env_remove(name);
        }
        command.env("TERM", "xterm-256color");
        command.env("LANG", "C.UTF-8");
        command.env("XDG_STATE_HOME", state);
        for (name, value) in variables {
            command.env(name, value);
        }
        let child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut source = pair.master.try_clone_reader().unwrap();
        let (sender, output) = channel();
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 8192];
            while let Ok(count) = source.read(&mut bytes) {
                if count == 0 || sender.send(bytes[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let keys = pair.master.take_writer().unwrap();
        let (rows, cols) = (lines.try_into().unwrap(), columns.try_into().unwrap());
        let parser = vt100::Parser::new(rows, cols, 0);
        Self { master: pair.master, keys: Some(keys), output, reader, parser, child }
    }

    pub fn send(&mut self, keys: &str) {
        let writer = self.keys.as_mut().unwrap();
        writer.write_all(keys.as_bytes()).unwrap();
        writer.flush().unwrap();
    }

    /// A press of the left button on a character, counted from 0.
    pub fn click(&mut self, column: u16, line: u16) {
        let (column, line) = (column + 1, line + 1);
        self.send(&format!("\x1b[<0;{column};{line}M\x1b[<0;{column};{line}m"));
    }

    pub fn resize(&mut self, columns: u16, lines: u16) {
        let (rows, cols) = (lines.try_into().unwrap(), columns.try_into().unwrap());
        self.parser.screen_mut().set_size(rows, cols);
        self.master.resize(size(columns, lines)).unwrap();
    }

    /// Takes in what has been written within a time; false when the program has ended.
    pub fn read(&mut self, wait: Duration) -> bool {
        match self.output.recv_timeout(wait) {
            Ok(bytes) => {
                self.parser.process(&bytes);
                while let Ok(bytes) = self.output.try_recv() {
                    self.parser.process(&bytes);
                }
                true
            }
            Err(RecvTimeoutError::Timeout) => true,
            Err(RecvTimeoutError::Disconnected) => false,
        }
    }

    pub fn screen(&self) -> &vt100::Screen {
        self.parser.screen()
    }

    pub fn text(&self) -> String {
        self.screen().contents()
    }

    /// Waits until the screen is as wanted.
    pub fn until(&mut self, what: &str, mut fits: impl FnMut(&vt100::Screen) -> bool) {
        let begin = Instant::now();
        while !fits(self.parser.screen()) {
            let open = self.read(Duration::from_millis(20));
            assert!(open || fits(self.parser.screen()), "the program ended before {what}:\n{}", self.text());
            assert!(begin.elapsed() < PATIENCE, "{what} never came:\n{}", self.text());
        }
    }

    /// Waits until the screen is no longer as it was, for a second at most: several keys in a row may lead back to it before it is
    /// looked at.
    pub fn until_changed(&mut self, before: &str) {
        let begin = Instant::now();
        while self.text() == before && begin.elapsed() < Duration::from_secs(1) {
            let open = self.read(Duration::from_millis(20));
            assert!(open, "the program ended after a key:\n{}", self.text());
        }
    }

    /// Waits until a text is on the screen.
    pub fn expect(&mut self, text: &str) {
        self.until(text, |screen| screen.contents().contains(text));
    }

    /// Waits until the program has ended; its status.
    pub fn end(&mut self) -> u32 {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                while self.read(Duration::from_millis(50)) && !self.output_is_over() {}
                return status.exit_code();
            }
            self.read(Duration::from_millis(20));
            assert!(begin.elapsed() < PATIENCE, "the program does not end:\n{}", self.text());
        }
    }

    /// Closes the window; what runs in it is left.
    pub fn close(mut self) -> Box<dyn Child + Send + Sync> {
        // The window is closed when nobody reads from it either: the reader notices at the next output.
        self.output = channel().1;
        self.send(RIGHT);
        let begin = Instant::now();
        while !self.reader.is_finished() {
            assert!(begin.elapsed() < PATIENCE, "nothing is written after a key");
            std::thread::sleep(Duration::from_millis(10));
        }
        self.child
    }

    fn output_is_over(&mut self) -> bool {
        match self.output.recv_timeout(Duration::from_millis(50)) {
            Ok(bytes) => {
                self.parser.process(&bytes);
                false
            }
            Err(_) => true,
        }
    }
}
