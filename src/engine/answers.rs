//! Sites beside the last stone that random games answer it with, by how they lie to what stands around it.

/// Most sites that lie around one.
pub(crate) const MOST_AROUND: usize = 8;

/// What stands on a site, for who plays.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stands {
    /// A piece of the own.
    Own,
    /// Any other piece.
    Other,
    /// Nothing.
    Nothing,
    /// There is no site.
    Outside,
}

impl Stands {
    const fn number(self) -> u16 {
        match self {
            Self::Own => 0,
            Self::Other => 1,
            Self::Nothing => 2,
            Self::Outside => 3,
        }
    }
}

/// How an empty site beside a stone lies: what stands on the two sites next to it that are beside the stone too.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lie([Stands; 2]);

impl Lie {
    /// Left and right are not told apart.
    #[must_use]
    pub const fn of(left: Stands, right: Stands) -> Self {
        if left.number() <= right.number() { Self([left, right]) } else { Self([right, left]) }
    }
}

/// The answers of each seat.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Answers {
    /// By seat a bit for each way to lie.
    seats: Vec<u16>,
}

impl Answers {
    /// A seat answers with sites that lie so.
    pub fn add(&mut self, seat: usize, lie: Lie) {
        if self.seats.len() <= seat {
            self.seats.resize(seat + 1, 0);
        }
        if let Some(lies) = self.seats.get_mut(seat) {
            let [left, right] = lie.0;
            *lies |= bit(left, right) | bit(right, left);
        }
    }

    /// A bit for each place around a stone with which a seat answers it; of what stands on these places, clockwise.
    #[inline]
    #[must_use]
    pub fn places(&self, seat: usize, stands: &[Stands]) -> u8 {
        let (Some(lies), around) = (self.seats.get(seat), stands.len().min(MOST_AROUND)) else { return 0 };
        let mut places = 0;
        for (place, here) in stands.iter().enumerate().take(around) {
            let at = |other: usize| stands[if other < around { other } else { other - around }];
            let lie = bit(at(place + around - 1), at(place + 1));
            places |= u8::from(*here == Stands::Nothing && lies & lie != 0) << place;
        }
        places
    }
}

/// What stands for a way to lie, left and right told apart.
#[inline]
fn bit(left: Stands, right: Stands) -> u16 {
    1 << (left.number() | right.number() << 2)
}

#[cfg(test)]
mod tests {
    use super::Stands::{Nothing, Other, Outside, Own};
    use super::*;

    #[test]
    fn an_answer_lies_between_its_sides() {
        let (between, mixed) = (Lie::of(Own, Own), Lie::of(Other, Own));
        let mut answers = Answers::default();
        answers.add(0, between);
        answers.add(1, mixed);
        assert_eq!(answers.places(0, &[Own, Nothing, Own, Nothing, Nothing, Outside]), 0b10);
        assert_eq!(answers.places(0, &[Own, Nothing, Own, Nothing, Own, Nothing]), 0b10_1010);
        assert_eq!(answers.places(0, &[Nothing, Own, Outside, Nothing, Nothing, Own]), 0b1);
        assert_eq!(answers.places(0, &[Own, Other, Own, Nothing, Nothing, Outside]), 0);
        // Left and right are alike; the other seat answers with what is its own.
        assert_eq!(answers.places(1, &[Own, Nothing, Other, Nothing, Nothing, Outside]), 0b10);
        assert_eq!(answers.places(1, &[Other, Nothing, Own, Nothing, Nothing, Outside]), 0b10);
        assert_eq!(answers.places(2, &[Own, Nothing, Own, Nothing, Nothing, Outside]), 0);
    }
}
