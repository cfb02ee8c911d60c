//! Characters and colours, as far as a terminal has them.

use ratatui::style::{Color, Modifier, Style};

/// How many colours a terminal shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Colors {
    None,
    Sixteen,
    Indexed,
    True,
}

impl Colors {
    /// What the variables of a terminal say it can show.
    #[must_use]
    pub fn of_terminal(term: &str, colorterm: &str) -> Self {
        match (colorterm, term) {
            ("truecolor" | "24bit", _) => Colors::True,
            (_, "dumb") => Colors::None,
            (_, term) if term.contains("256") => Colors::Indexed,
            (_, term) if term.contains("direct") => Colors::True,
            _ => Colors::Sixteen,
        }
    }
}

/// What a terminal can show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Theme {
    pub colors: Colors,
    /// Nothing but ASCII.
    pub ascii: bool,
    /// Pieces as letters, whatever else could be shown.
    pub letters: bool,
}

/// What is coloured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// The ground of the board and of what stands beside it, with its text.
    Board,
    /// The lines of the board.
    Line,
    /// Names at the border, and what matters less.
    Faint,
    /// A site where nothing stands.
    Empty,
    /// An empty site where the next part of a move may be.
    Offered,
    /// What else may be picked, or has been.
    Open,
    /// A piece that belongs to nobody.
    Neutral,
    /// A piece of a player.
    Owned(Hue),
    /// An empty site that the rules give to a player, as an edge to be joined.
    Home(Hue),
    Title,
    Bad,
}

/// Colours that people tell apart whatever their eyes: those of Okabe and Ito, and white.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hue {
    White,
    Sky,
    Orange,
    Green,
    Yellow,
    Purple,
    Vermilion,
    /// Black, as far as it can be seen on a dark ground.
    Ink,
    /// A quiet green, for what is many.
    Moss,
}

/// The colours of seats whose players are not called after one.
const SEATS: [Hue; 6] = [Hue::Sky, Hue::Orange, Hue::Green, Hue::Yellow, Hue::Purple, Hue::Vermilion];

impl Hue {
    /// A hue for every player, called after a colour or not, each another one as long as there are such; from then on
    /// shapes tell players apart.
    #[must_use]
    pub fn of_players(names: &[&str]) -> Vec<Hue> {
        let mut hues: Vec<Option<Hue>> = names.iter().map(|name| Self::named(name)).collect();
        for at in 0..hues.len() {
            if hues.get(at).is_some_and(Option::is_none) {
                let free = SEATS.into_iter().find(|hue| !hues.contains(&Some(*hue)));
                if let Some(place) = hues.get_mut(at) {
                    *place = free.or_else(|| SEATS.get(at % SEATS.len()).copied());
                }
            }
        }
        hues.into_iter().map(|hue| hue.unwrap_or(Hue::White)).collect()
    }

    fn named(name: &str) -> Option<Hue> {
        Some(match name.to_lowercase().as_str() {
            "white" | "cream" | "ivory" => Hue::White,
            "black" | "grey" | "gray" | "slate" => Hue::Ink,
            "red" | "maroon" => Hue::Vermilion,
            "orange" => Hue::Orange,
            "yellow" => Hue::Yellow,
            "green" => Hue::Green,
            "blue" => Hue::Sky,
            "purple" | "pink" => Hue::Purple,
            _ => return None,
        })
    }

    fn color(self, colors: Colors) -> Color {
        let (true_color, index, sixteen) = match self {
            Hue::White => (Color::Rgb(0xff, 0xff, 0xff), 231, Color::White),
            Hue::Sky => (Color::Rgb(0x56, 0xb4, 0xe9), 74, Color::LightCyan),
            Hue::Orange => (Color::Rgb(0xe6, 0x9f, 0x00), 214, Color::Yellow),
            Hue::Green => (Color::Rgb(0x1f, 0xc0, 0x90), 43, Color::LightGreen),
            Hue::Yellow => (Color::Rgb(0xf0, 0xe4, 0x42), 227, Color::LightYellow),
            Hue::Purple => (Color::Rgb(0xcc, 0x79, 0xa7), 175, Color::LightMagenta),
            Hue::Vermilion => (Color::Rgb(0xe8, 0x6a, 0x20), 202, Color::LightRed),
            Hue::Ink => (Color::Rgb(0x98, 0x98, 0xa0), 247, Color::Gray),
            Hue::Moss => (Color::Rgb(0x28, 0x98, 0x78), 36, Color::Green),
        };
        match colors {
            Colors::True => true_color,
            Colors::Indexed => Color::Indexed(index),
            Colors::Sixteen | Colors::None => sixteen,
        }
    }
}

/// Grey of some lightness, where a terminal has it.
fn grey(colors: Colors, level: u8) -> Color {
    match colors {
        Colors::True => {
            let shade = 8 + 10 * level;
            Color::Rgb(shade, shade, shade + 4)
        }
        Colors::Indexed => Color::Indexed(232 + level),
        Colors::Sixteen | Colors::None if level < 8 => Color::Black,
        Colors::Sixteen | Colors::None if level < 16 => Color::DarkGray,
        Colors::Sixteen | Colors::None => Color::Gray,
    }
}

impl Theme {
    /// The style of a tone, on the ground of the board or of the terminal.
    #[must_use]
    pub fn style(self, tone: Tone) -> Style {
        let plain = Style::new();
        if self.colors == Colors::None {
            return match tone {
                Tone::Title | Tone::Owned(_) | Tone::Neutral | Tone::Bad | Tone::Open => {
                    plain.add_modifier(Modifier::BOLD)
                }
                _ => plain,
            };
        }
        let grey = |level| grey(self.colors, level);
        match tone {
            Tone::Board => plain.bg(grey(3)).fg(grey(20)),
            Tone::Line => plain.fg(grey(10)),
            Tone::Faint => plain.fg(grey(14)),
            Tone::Empty => plain.fg(grey(12)),
            Tone::Offered => plain.fg(Hue::Moss.color(self.colors)),
            Tone::Open => plain.fg(Hue::Green.color(self.colors)).add_modifier(Modifier::BOLD),
            Tone::Neutral => plain.fg(Hue::Purple.color(self.colors)).add_modifier(Modifier::BOLD),
            Tone::Owned(hue) => plain.fg(hue.color(self.colors)).add_modifier(Modifier::BOLD),
            Tone::Home(hue) => plain.fg(hue.color(self.colors)),
            Tone::Title => plain.add_modifier(Modifier::BOLD),
            Tone::Bad => plain.fg(Hue::Vermilion.color(self.colors)).add_modifier(Modifier::BOLD),
        }
    }

    /// The ground of every other square, a little lighter.
    #[must_use]
    pub fn shade(self) -> Style {
        match self.colors {
            Colors::None | Colors::Sixteen => Style::new(),
            colors => Style::new().bg(grey(colors, 5)),
        }
    }

    /// The ground where the last move changed something.
    #[must_use]
    pub fn recent(self) -> Style {
        match self.colors {
            Colors::None => Style::new().add_modifier(Modifier::UNDERLINED),
            Colors::Sixteen => Style::new().bg(Color::Blue),
            Colors::Indexed => Style::new().bg(Color::Indexed(24)),
            Colors::True => Style::new().bg(Color::Rgb(0x10, 0x48, 0x6c)),
        }
    }

    /// One of two characters: any, or plain ASCII.
    #[must_use]
    pub fn pick(self, any: &'static str, ascii: &'static str) -> &'static str {
        if self.ascii { ascii } else { any }
    }

    /// Whether pieces are shapes in colour; else they are letters.
    #[must_use]
    pub fn has_shapes(self) -> bool {
        !self.ascii && !self.letters && self.colors > Colors::None
    }

    /// Whether chess pieces are figures; else they are letters. What shows no more than sixteen colours is mostly a
    /// console, whose fonts have no figures.
    #[must_use]
    pub fn has_figures(self) -> bool {
        self.has_shapes() && self.colors > Colors::Sixteen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_say_how_many_colours_they_have() {
        assert_eq!(Colors::of_terminal("xterm-256color", ""), Colors::Indexed);
        assert_eq!(Colors::of_terminal("xterm-256color", "truecolor"), Colors::True);
        assert_eq!(Colors::of_terminal("linux", ""), Colors::Sixteen);
        assert_eq!(Colors::of_terminal("dumb", ""), Colors::None);
    }

    #[test]
    fn players_have_the_colour_of_their_name_and_never_the_same() {
        assert_eq!(Hue::of_players(&["Black", "White"]), [Hue::Ink, Hue::White]);
        assert_eq!(Hue::of_players(&["North", "Blue", "Red"]), [Hue::Orange, Hue::Sky, Hue::Vermilion]);
        let six = Hue::of_players(&["A", "B", "C", "D", "E", "F"]);
        assert!(six.iter().enumerate().all(|(at, hue)| !six.get(at + 1..).unwrap_or_default().contains(hue)));
    }
}
