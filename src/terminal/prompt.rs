//! A line being typed: a move in notation, or a command after a colon.

/// What is typed at the bottom of the screen.
#[derive(Clone, Debug, Default)]
pub struct Prompt {
    pub text: String,
}

impl Prompt {
    pub fn new(text: &str) -> Self {
        Self { text: text.to_owned() }
    }

    pub fn push(&mut self, c: char) {
        if !c.is_control() {
            self.text.push(c);
        }
    }

    /// Takes the last character away; false when nothing is left.
    pub fn pop(&mut self) -> bool {
        self.text.pop();
        !self.text.is_empty()
    }

    /// The text of a command; none if a move is typed.
    pub fn command(&self) -> Option<&str> {
        self.text.strip_prefix(':')
    }

    /// Those of some words that go on from what is typed; capitals do not matter.
    pub fn completions<'w>(&self, words: &'w [String]) -> Vec<&'w str> {
        let typed = self.text.to_lowercase();
        words.iter().filter(|word| word.to_lowercase().starts_with(&typed)).map(String::as_str).collect()
    }

    /// Types as much as all completions have in common.
    pub fn complete(&mut self, words: &[String]) {
        let found = self.completions(words);
        let Some((first, rest)) = found.split_first() else { return };
        let common = |count: &usize| rest.iter().all(|word| word.chars().take(*count).eq(first.chars().take(*count)));
        let most = (0..=first.chars().count()).rev().find(common).unwrap_or(0);
        if most > self.text.chars().count() {
            self.text = first.chars().take(most).collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_certain_is_completed() {
        let words = ["a2-a3", "a2-b3", "b2-b3"].map(str::to_owned);
        let completed = |typed: &str| {
            let mut prompt = Prompt::new(typed);
            prompt.complete(&words);
            prompt.text
        };
        assert_eq!(completed("A"), "a2-");
        assert_eq!(completed("b"), "b2-b3");
        assert_eq!(completed("c"), "c");
        assert_eq!(Prompt::new("a").completions(&words).len(), 2);
        assert_eq!(Prompt::new(":undo").command(), Some("undo"));
    }
}
