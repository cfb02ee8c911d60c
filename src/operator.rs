//! The operators on numbers, and the parts and places of stacks: named by the syntax tree, kept in rules and programs, and
//! worked out here for all of them.

use std::fmt;

/// A number of halves, written as 6.5, 7 or -0.5.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct Halves(pub i64);

impl Halves {
    /// A number as it is written; none where it is no multiple of a half.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, rest) = text.split_once('.').map_or((text, ""), |(whole, rest)| (whole, rest));
        let (sign, digits) = whole.strip_prefix('-').map_or((1, whole), |digits| (-1, digits));
        let known = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
        let odd = match rest {
            "" if !text.contains('.') => 0,
            "5" => 1,
            _ => return None,
        };
        let halves = digits.parse::<i64>().ok().filter(|_| known)?.checked_mul(2)?.checked_add(odd)?;
        Some(Self(sign * halves))
    }

    /// Whether it is no whole number.
    #[must_use]
    pub fn is_odd(self) -> bool {
        self.0 % 2 != 0
    }
}

impl fmt::Display for Halves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.0 < 0 { "-" } else { "" };
        let half = if self.is_odd() { ".5" } else { "" };
        write!(f, "{sign}{}{half}", self.0.unsigned_abs() / 2)
    }
}

/// An operation on two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ArithmeticOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

impl ArithmeticOp {
    /// The result, or none if it is too large or a division by zero. Division rounds so that the remainder is never negative.
    #[inline]
    #[must_use]
    pub fn apply(self, a: i64, b: i64) -> Option<i64> {
        let number = match self {
            Self::Add => a.checked_add(b),
            Self::Subtract => a.checked_sub(b),
            Self::Multiply => a.checked_mul(b),
            Self::Divide => a.checked_div_euclid(b),
            Self::Modulo => a.checked_rem_euclid(b),
        };
        // The least number has no negative; it serves the engines as the mark of "no value".
        number.filter(|number| *number != i64::MIN)
    }
}

/// As a rule file writes it.
impl fmt::Display for ArithmeticOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "div",
            Self::Modulo => "mod",
        })
    }
}

/// From which end the pieces of a stack are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum End {
    Top,
    Bottom,
}

/// Where what moves comes to lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Place {
    /// What stood there is gone.
    Instead,
    On,
    Under,
}

/// A comparison of two values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum CompareOp {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl CompareOp {
    /// Whether the comparison holds between two values.
    #[inline]
    #[must_use]
    pub fn holds<T: Ord>(self, a: T, b: T) -> bool {
        match self {
            Self::Equal => a == b,
            Self::NotEqual => a != b,
            Self::Less => a < b,
            Self::LessEqual => a <= b,
            Self::Greater => a > b,
            Self::GreaterEqual => a >= b,
        }
    }

    /// The comparison that holds of two values where this one does not.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Equal => Self::NotEqual,
            Self::NotEqual => Self::Equal,
            Self::Less => Self::GreaterEqual,
            Self::LessEqual => Self::Greater,
            Self::Greater => Self::LessEqual,
            Self::GreaterEqual => Self::Less,
        }
    }

    /// The comparison that says the same with the two values in each other's place.
    #[must_use]
    pub fn turned(self) -> Self {
        match self {
            Self::Equal => Self::Equal,
            Self::NotEqual => Self::NotEqual,
            Self::Less => Self::Greater,
            Self::LessEqual => Self::GreaterEqual,
            Self::Greater => Self::Less,
            Self::GreaterEqual => Self::LessEqual,
        }
    }
}

/// As a rule file writes it.
impl fmt::Display for CompareOp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
        })
    }
}

/// How the numbers of several members become one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Reduce {
    Sum,
    Least,
    Most,
}
