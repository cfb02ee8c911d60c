//! Play on the whole terminal: taking it over, giving it back whatever happens, and feeding it with events.

use super::saves::Keeper;
use crate::ai::agent::time;
use crate::cli::error::CliError;
use crate::cli::output::{ColorWhen, Output};
use crate::library::describe;
use crate::play::table::Table;
use crate::terminal::{App, Colors, Effect, Input, Theme};
use clap::Args;
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{
    self, DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use ratatui::crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode};
use ratatui::crossterm::{cursor, execute};
use std::env;
use std::io::{self, Stdout};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often the screen looks for what programs have thought.
const BEAT: Duration = Duration::from_millis(50);

/// How long the screen may take to end when it is told to from outside.
#[cfg(unix)]
const PATIENCE: Duration = Duration::from_secs(1);

/// The status of a program that was ended from outside: nothing went wrong.
#[cfg(unix)]
const ENDED: i32 = 0;

/// How the screen is wanted.
#[derive(Args, Debug)]
pub struct ScreenArgs {
    /// Play line by line instead of on the whole screen
    #[arg(long)]
    pub plain: bool,
    /// Use only ASCII characters on the screen
    #[arg(long)]
    ascii: bool,
    /// Letters instead of shapes and chess figures on the screen
    #[arg(long)]
    letters: bool,
    /// How long each move stays on the screen when programs play each other: 500ms, 2s
    #[arg(long, value_name = "TIME", default_value = "500ms", value_parser = delay)]
    watch_delay: Duration,
}

fn delay(text: &str) -> Result<Duration, String> {
    let delay = if text == "0" { Some(Duration::ZERO) } else { time(text) };
    let delay = delay.ok_or("write a time as `500ms` or `2s`")?;
    if delay.as_secs() < 3600 { Ok(delay) } else { Err("it goes from 0 to an hour".to_owned()) }
}

/// Plays on the screen until the person quits; the game may have been saved by other rules than it goes on with.
pub fn play(
    table: Table,
    keeper: Keeper,
    wanted: &ScreenArgs,
    other_rules: bool,
    output: &mut Output,
) -> Result<(), CliError> {
    output.flush()?;
    let ended = Arc::new(AtomicBool::new(false));
    watch_signals(&ended);
    let mut app = App::new(table, theme(wanted, output.color), wanted.watch_delay);
    if other_rules {
        app.complain("The rules have changed since this game was saved; it goes on in a new file.");
    }
    let mut session = Session { app, keeper, failed: None };
    let result = Screen::enter().and_then(|mut screen| session.run(&mut screen, &ended));
    session.leave();
    match result {
        Err(error) if !is_gone(&error) => Err(CliError::Output(error)),
        _ => session.farewell(output),
    }
}

/// Whether nobody can see the terminal any more, which is no failure.
fn is_gone(error: &io::Error) -> bool {
    // EIO, as terminals answer that were closed.
    error.kind() == io::ErrorKind::BrokenPipe || (cfg!(unix) && error.raw_os_error() == Some(5))
}

fn theme(wanted: &ScreenArgs, color: ColorWhen) -> Theme {
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let colors = match (color, Colors::of_terminal(&variable("TERM"), &variable("COLORTERM"))) {
        (color, _) if !color.applies_to(&io::stdout()) => Colors::None,
        (ColorWhen::Always, Colors::None) => Colors::Sixteen,
        (_, colors) => colors,
    };
    Theme { colors, ascii: wanted.ascii || !is_utf8(), letters: wanted.letters }
}

/// Whether the locale says that the terminal shows more than ASCII.
fn is_utf8() -> bool {
    if cfg!(windows) {
        return true;
    }
    let set = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(|name| env::var(name).ok());
    let locale = set.into_iter().find(|value| !value.is_empty()).unwrap_or_default().to_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

/// Notes when the program is to end or the terminal is closed. The screen then ends by itself; where it hangs, as in
/// reading from a terminal that is gone, the program ends without it. All moves have been saved.
#[cfg(unix)]
fn watch_signals(ended: &Arc<AtomicBool>) {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;

    let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGQUIT, SIGTERM]) else { return };
    let ended = Arc::clone(ended);
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            ended.store(true, Ordering::Relaxed);
            std::thread::sleep(PATIENCE);
            std::process::exit(ENDED);
        }
    });
}

#[cfg(not(unix))]
fn watch_signals(_: &Arc<AtomicBool>) {}

/// A terminal that is taken over, and given back when this goes out of scope.
struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    fn enter() -> io::Result<Self> {
        let before = std::panic::take_hook();
        // A panic is to be read where the terminal shows it.
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            before(panic);
        }));
        enable_raw_mode()?;
        let entered =
            execute!(io::stdout(), EnterAlternateScreen, EnableMouseCapture, EnableBracketedPaste, cursor::Hide)
                .and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        match entered {
            Ok(terminal) => Ok(Self { terminal }),
            Err(error) => {
                restore();
                Err(error)
            }
        }
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Gives the terminal back; when that fails nobody is there to be told.
fn restore() {
    let _ = execute!(io::stdout(), DisableBracketedPaste, DisableMouseCapture, LeaveAlternateScreen, cursor::Show);
    let _ = disable_raw_mode();
}

struct Session {
    app: App,
    keeper: Keeper,
    /// Why the game is not saved as it stands.
    failed: Option<CliError>,
}

impl Session {
    fn run(&mut self, screen: &mut Screen, ended: &AtomicBool) -> io::Result<()> {
        let mut stale = true;
        let mut size = None;
        while !ended.load(Ordering::Relaxed) {
            stale |= self.app.tick(Instant::now());
            if !self.obey() {
                break;
            }
            // A window may change before anybody listens for it.
            let now = Some(screen.terminal.size()?);
            stale |= now != std::mem::replace(&mut size, now);
            if stale {
                screen.terminal.draw(|frame| self.app.draw(frame))?;
                stale = false;
            }
            let mut wait = BEAT;
            // All that has come at once is done before the next look.
            while event::poll(wait)? {
                if let Some(input) = Input::of(event::read()?) {
                    self.app.input(input);
                    stale = true;
                }
                wait = Duration::ZERO;
                if !self.obey() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Stops the programs, and saves the time that whoever is to move has used since the last move.
    fn leave(&mut self) {
        self.app.leave();
        if self.app.table().uses_time() {
            self.save();
        }
    }

    /// Does what the screen wants; false when it wants to end.
    fn obey(&mut self) -> bool {
        for effect in self.app.effects() {
            match effect {
                Effect::Quit => return false,
                Effect::Save => self.save(),
                Effect::SaveAs(file) => {
                    let text = self.app.table().record().to_text();
                    match self.keeper.copy(Path::new(&file), &text) {
                        Ok(()) => self.app.say(format!("Saved to {file}.")),
                        Err(error) => self.app.complain(error.to_string()),
                    }
                }
            }
        }
        true
    }

    /// Saves the game after a move; when that fails play goes on.
    fn save(&mut self) {
        match self.keeper.save(&self.app.table().record().to_text()) {
            Ok(moved) => {
                self.failed = None;
                if let Some(file) = moved {
                    self.app.say(format!("Another game was saved meanwhile; this one is now in {}", file.display()));
                }
            }
            Err(error) => {
                self.app.complain(format!("The game is not saved: {error}"));
                self.failed = Some(error);
            }
        }
    }

    /// What is said when the screen is gone: where the game is, and how it ended.
    fn farewell(self, output: &mut Output) -> Result<(), CliError> {
        let said = self.app.table().result().map_or(Ok(()), |result| output.line(&result));
        if let Some(error) = self.failed {
            return Err(error);
        }
        if let Some(file) = self.keeper.file().filter(|file| file.is_file()) {
            output.note(&format!("The game is saved: ludwright play --resume {}", file.display()));
        }
        // The terminal may have been closed.
        match said.and_then(|()| output.flush()) {
            Err(CliError::Output(error)) if is_gone(&error) => Ok(()),
            Err(CliError::Output(error)) => {
                Err(CliError::message(format!("the terminal cannot be written to: {}", describe(&error))))
            }
            result => result,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use portable_pty::{CommandBuilder, PtySize, native_pty_system};
    use std::io::Read as _;

    const ROLE: &str = "LUDWRIGHT_TEST_PANICS";

    /// Not a test of its own: what the one below runs at a terminal.
    #[test]
    fn panics_on_the_screen() {
        if env::var_os(ROLE).is_some() {
            let mut screen = Screen::enter().unwrap();
            screen
                .terminal
                .draw(|frame| frame.render_widget(ratatui::widgets::Paragraph::new("a board"), frame.area()))
                .unwrap();
            panic!("the board is gone");
        }
    }

    #[test]
    fn a_panic_is_read_on_the_terminal_that_was_there_before() {
        let size = PtySize { rows: 24, cols: 100, ..PtySize::default() };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut command = CommandBuilder::new(env::current_exe().unwrap());
        command.args(["--exact", "--nocapture", "cli::play::screen::tests::panics_on_the_screen"]);
        command.env(ROLE, "1");
        command.env("TERM", "xterm-256color");
        command.env("RUST_BACKTRACE", "0");
        let mut child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut output = pair.master.try_clone_reader().unwrap();
        let mut parser = vt100::Parser::new(24u16.try_into().unwrap(), 100u16.try_into().unwrap(), 0);
        let (mut seen_alternate, mut piece) = (false, [0; 64]);
        while let Ok(length @ 1..) = output.read(&mut piece) {
            parser.process(&piece[..length]);
            seen_alternate |= parser.screen().alternate_screen();
        }
        assert!(!child.wait().unwrap().success());
        let screen = parser.screen();
        assert!(seen_alternate, "{}", screen.contents());
        assert!(screen.contents().contains("the board is gone"), "{}", screen.contents());
        assert!(!screen.contents().contains("a board"), "{}", screen.contents());
        assert!(!screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste());
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    }

    #[test]
    fn delays_are_times() {
        assert_eq!(delay("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(delay("0"), Ok(Duration::ZERO));
        for wrong in ["", "5", "s", "-1s", "2h", "7200s", "NaNs", "ä"] {
            assert!(delay(wrong).is_err(), "{wrong}");
        }
    }
}
