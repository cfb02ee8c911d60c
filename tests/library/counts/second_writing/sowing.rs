//! Oware: seeds in pits.

use super::{Position, Settings, number};

#[derive(Clone)]
pub struct Oware {
    /// South's pits from the left, then North's from his own left.
    pits: Vec<i32>,
    stores: [i32; 2],
    mover: usize,
    total: i32,
    grand_slam: String,
}

impl Oware {
    pub fn start(options: &Settings) -> Self {
        let (pits, seeds) = (number(options, "pits", 6), number(options, "seeds_each", 4));
        Self {
            pits: vec![seeds; 2 * pits as usize],
            stores: [0, 0],
            mover: 0,
            total: 2 * pits * seeds,
            grand_slam: options.get("grand_slam").cloned().unwrap_or("takes_nothing".to_owned()),
        }
    }

    fn row(&self, player: usize) -> std::ops::Range<usize> {
        let half = self.pits.len() / 2;
        player * half..(player + 1) * half
    }

    fn in_row(&self, player: usize) -> i32 {
        self.row(player).map(|pit| self.pits[pit]).sum()
    }

    fn sow(&self, from: usize) -> Option<Self> {
        let other = 1 - self.mover;
        let mut next = self.clone();
        next.mover = other;
        let (mut hand, mut at) = (std::mem::take(&mut next.pits[from]), from);
        while hand > 0 {
            at = (at + 1) % self.pits.len();
            if at != from {
                next.pits[at] += 1;
                hand -= 1;
            }
        }
        if next.in_row(other) == 0 {
            return None;
        }
        let mut taken = Vec::new();
        while self.row(other).contains(&at) && (next.pits[at] == 2 || next.pits[at] == 3) {
            taken.push(at);
            match at.checked_sub(1) {
                Some(before) => at = before,
                None => break,
            }
        }
        let harvest: i32 = taken.iter().map(|pit| next.pits[*pit]).sum();
        let slam = harvest > 0 && harvest == next.in_row(other);
        match self.grand_slam.as_str() {
            "unlawful" if slam => return None,
            "takes_nothing" if slam => taken.clear(),
            _ => {}
        }
        for pit in &taken {
            next.stores[self.mover] += std::mem::take(&mut next.pits[*pit]);
        }
        if slam && self.grand_slam == "leaves_the_rest" {
            next.stores[other] += next.pits.iter().sum::<i32>();
            next.pits.fill(0);
        }
        Some(next)
    }

    fn name(&self, pit: usize) -> String {
        let half = self.pits.len() / 2;
        let (column, row) = if pit < half { (pit, 1) } else { (2 * half - 1 - pit, 2) };
        format!("{}{row}", char::from(b'a' + column as u8))
    }

    fn moves(&self) -> Vec<(String, Self)> {
        let filled = self.row(self.mover).filter(|pit| self.pits[*pit] > 0);
        filled.filter_map(|pit| self.sow(pit).map(|next| (self.name(pit), next))).collect()
    }

    /// Who is ahead once everybody takes the seeds on his side.
    pub fn ahead(&self) -> Option<usize> {
        let seeds = [0, 1].map(|player| self.stores[player] + self.in_row(player));
        (seeds[0] != seeds[1]).then(|| usize::from(seeds[1] > seeds[0]))
    }
}

impl Position for Oware {
    fn next(&self) -> Vec<(String, Self)> {
        if self.result().is_some() { Vec::new() } else { self.moves() }
    }

    fn result(&self) -> Option<Option<usize>> {
        let before = 1 - self.mover;
        if self.stores[before] > self.total / 2 {
            return Some(Some(before));
        }
        self.moves().is_empty().then(|| self.ahead())
    }

    fn repeats(&self) -> Option<Vec<u16>> {
        let numbers = self.pits.iter().chain(&self.stores).map(|seeds| *seeds as u16);
        Some(numbers.chain([self.mover as u16]).collect())
    }
}
