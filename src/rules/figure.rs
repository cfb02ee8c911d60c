//! The shapes of pieces in pictures; nothing in play depends on them.

macro_rules! figures {
    ($($variant:ident $name:literal)*) => {
        /// What a piece looks like.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum Figure { $($variant),* }

        impl Figure {
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// What rule files call it.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
        }
    };
}

figures! {
    Disc "disc"
    Crowned "crowned"
    Stone "stone"
    Ball "ball"
    Ring "ring"
    Pin "pin"
    Square "square"
    Diamond "diamond"
    Triangle "triangle"
    Hex "hex"
    Star "star"
    Cross "cross"
    Dot "dot"
    Tile "tile"
    Letter "letter"
    King "king"
    Queen "queen"
    Rook "rook"
    Bishop "bishop"
    Knight "knight"
    Pawn "pawn"
}

impl Figure {
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|figure| figure.name() == name)
    }
}
