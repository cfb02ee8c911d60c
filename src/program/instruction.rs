//! What follows from the declaration of an instruction alone: the walks over its parts, and how it is listed.

use super::Program;
use super::ir::{Arg, Int, NONE, Sets, Tally, Test, When};
use crate::board::{Direction, SiteSet};
use crate::operator::{ArithmeticOp, CompareOp};
use crate::rules::catalogue::Primitive;
use crate::rules::{PlayerId, Reduce, Rules, Type};
use std::fmt::{self, Display};
use std::sync::Arc;

/// A part of an instruction that is an instruction itself.
#[derive(Hash)]
pub enum Part<'a> {
    Sets(&'a Sets),
    Int(&'a Int),
    Test(&'a Test),
}

impl Part<'_> {
    /// Visits the parts of the part.
    pub fn parts(&self, f: &mut dyn FnMut(Part<'_>)) {
        match self {
            Part::Sets(sets) => sets.parts(f),
            Part::Int(int) => int.parts(f),
            Part::Test(test) => test.parts(f),
        }
    }

    /// Visits the slots of numbers that the part binds itself.
    pub fn binds(&self, f: &mut dyn FnMut(u16)) {
        match self {
            Part::Sets(sets) => sets.binds(f),
            Part::Int(int) => int.binds(f),
            Part::Test(test) => test.binds(f),
        }
    }

    /// Whether this instruction, or one within it, is of a kind.
    #[must_use]
    pub fn asks(&self, wanted: &dyn Fn(&Part<'_>) -> bool) -> bool {
        let mut found = wanted(self);
        self.parts(&mut |part| found = found || part.asks(wanted));
        found
    }

    /// The number of instructions, itself included.
    #[must_use]
    pub fn size(&self) -> usize {
        let mut size = 1;
        self.parts(&mut |part| size += part.size());
        size
    }
}

/// A part of an instruction, to be changed.
pub enum PartMut<'a> {
    Sets(&'a mut Sets),
    Int(&'a mut Int),
    Test(&'a mut Test),
}

impl PartMut<'_> {
    pub(super) fn as_part(&self) -> Part<'_> {
        match self {
            PartMut::Sets(sets) => Part::Sets(sets),
            PartMut::Int(int) => Part::Int(int),
            PartMut::Test(test) => Part::Test(test),
        }
    }

    /// Visits the parts of the part.
    pub fn parts_mut(&mut self, f: &mut dyn FnMut(PartMut<'_>)) {
        match self {
            PartMut::Sets(sets) => sets.parts_mut(f),
            PartMut::Int(int) => int.parts_mut(f),
            PartMut::Test(test) => test.parts_mut(f),
        }
    }
}

/// Declares instructions and what they are made of. A row is a variant, with a name for each of its fields. It is listed by
/// its name and its fields in their order, unless an expression behind `=>` says otherwise, in which the fields can be
/// written out.
///
/// A `part` is an instruction, which a walk visits; a `group` only holds some, and the walk goes through it. A field called
/// `slot` is that of a number which the instruction binds: within it, the slot is a name for what it stands for there.
macro_rules! instructions {
    ($(
        $(#[$about:meta])*
        $kind:ident $enum:ident {
            $(
                $(#[$note:meta])*
                $name:ident $(($($at:ident: $of:ty),*))? $({ $($field:ident: $ty:ty),* })? $(=> $listing:expr)?,
            )*
        }
    )*) => {$(
        $(#[$about])*
        #[derive(Clone, PartialEq, Hash, Debug)]
        pub enum $enum {
            $($(#[$note])* $name $(($($of),*))? $({ $($field: $ty),* })?,)*
        }

        impl $enum {
            pub fn parts(&self, f: &mut dyn FnMut(Part<'_>)) {
                match self {
                    $(Self::$name $(($($at),*))? $({ $($field),* })? => {
                        $($($at.visit(f);)*)?
                        $($($field.visit(f);)*)?
                    })*
                }
            }

            pub fn parts_mut(&mut self, f: &mut dyn FnMut(PartMut<'_>)) {
                match self {
                    $(Self::$name $(($($at),*))? $({ $($field),* })? => {
                        $($($at.visit_mut(f);)*)?
                        $($($field.visit_mut(f);)*)?
                    })*
                }
            }

            /// Visits the slots of numbers that it binds, but not those that instructions within it bind.
            #[allow(unused_variables)]
            pub fn binds(&self, f: &mut dyn FnMut(u16)) {
                match self {
                    $(Self::$name $(($($at),*))? $({ $($field),* })? => {
                        $($(instructions!(@binds $at, $at, f);)*)?
                        $($(instructions!(@binds $field, $field, f);)*)?
                    })*
                }
            }
        }

        impl Field for $enum {
            #[allow(unused_variables)]
            fn bound(&self, f: &mut dyn FnMut(u16)) {
                instructions!(@bound $kind, self.binds(f));
            }

            fn visit(&self, f: &mut dyn FnMut(Part<'_>)) {
                instructions!(@visit $kind, f, Part::$enum(self), self.parts(f));
            }

            fn visit_mut(&mut self, f: &mut dyn FnMut(PartMut<'_>)) {
                instructions!(@visit $kind, f, PartMut::$enum(self), self.parts_mut(f));
            }

            #[allow(unused_variables)]
            fn list(&self, names: &Names<'_>) -> String {
                match self {
                    $(Self::$name $(($($at),*))? $({ $($field),* })? => {
                        $($(let $at = Listed { of: $at, names };)*)?
                        $($(let $field = Listed { of: $field, names };)*)?
                        instructions!(@list $name [$($(&$at),*)? $($(&$field),*)?] $($listing)?)
                    })*
                }
            }
        }
    )*};
    (@binds slot, $slot:ident, $f:ident) => { $f(*$slot) };
    (@binds $other:ident, $field:ident, $f:ident) => { $field.bound($f) };
    (@bound part, $binds:expr) => {};
    (@bound group, $binds:expr) => { $binds };
    (@visit part, $f:ident, $part:expr, $parts:expr) => { $f($part) };
    (@visit group, $f:ident, $part:expr, $parts:expr) => { $parts };
    (@list $name:ident [$($field:expr),*]) => { called(stringify!($name), &[$($field),*]) };
    (@list $name:ident [$($field:expr),*] $listing:expr) => { $listing };
}
pub(super) use instructions;

/// A field of an instruction. Most hold no instructions.
pub trait Field {
    /// Visits the slots bound in it where it is no instruction itself.
    fn bound(&self, _: &mut dyn FnMut(u16)) {}
    /// Visits the instructions in it, but not those within them.
    fn visit(&self, _: &mut dyn FnMut(Part<'_>)) {}
    fn visit_mut(&mut self, _: &mut dyn FnMut(PartMut<'_>)) {}
    fn list(&self, names: &Names<'_>) -> String;
}

impl<T: Field> Field for Box<T> {
    fn bound(&self, f: &mut dyn FnMut(u16)) {
        (**self).bound(f);
    }

    fn visit(&self, f: &mut dyn FnMut(Part<'_>)) {
        (**self).visit(f);
    }

    fn visit_mut(&mut self, f: &mut dyn FnMut(PartMut<'_>)) {
        (**self).visit_mut(f);
    }

    fn list(&self, names: &Names<'_>) -> String {
        (**self).list(names)
    }
}

impl<T: Field> Field for Vec<T> {
    fn bound(&self, f: &mut dyn FnMut(u16)) {
        self.iter().for_each(|one| one.bound(f));
    }

    fn visit(&self, f: &mut dyn FnMut(Part<'_>)) {
        self.iter().for_each(|one| one.visit(f));
    }

    fn visit_mut(&mut self, f: &mut dyn FnMut(PartMut<'_>)) {
        self.iter_mut().for_each(|one| one.visit_mut(f));
    }

    fn list(&self, names: &Names<'_>) -> String {
        Listed { of: self, names }.by(", ")
    }
}

impl<T: Field> Field for Option<T> {
    fn bound(&self, f: &mut dyn FnMut(u16)) {
        self.iter().for_each(|one| one.bound(f));
    }

    fn visit(&self, f: &mut dyn FnMut(Part<'_>)) {
        self.iter().for_each(|one| one.visit(f));
    }

    fn visit_mut(&mut self, f: &mut dyn FnMut(PartMut<'_>)) {
        self.iter_mut().for_each(|one| one.visit_mut(f));
    }

    fn list(&self, names: &Names<'_>) -> String {
        self.as_ref().map_or_else(String::new, |one| one.list(names))
    }
}

impl Field for Tally {
    fn visit(&self, f: &mut dyn FnMut(Part<'_>)) {
        let Self { op: _, offset, left, right } = self;
        offset.visit(f);
        left.visit(f);
        right.visit(f);
    }

    fn visit_mut(&mut self, f: &mut dyn FnMut(PartMut<'_>)) {
        let Self { op: _, offset, left, right } = self;
        offset.visit_mut(f);
        left.visit_mut(f);
        right.visit_mut(f);
    }

    fn list(&self, names: &Names<'_>) -> String {
        let (left, offset, right) = (self.left.list(names), self.offset.list(names), self.right.list(names));
        format!("#({left}) + {offset} {} #({right})", self.op)
    }
}

/// An argument of a word, with its type.
impl Field for (Type, Arg) {
    fn visit(&self, f: &mut dyn FnMut(Part<'_>)) {
        self.1.visit(f);
    }

    fn visit_mut(&mut self, f: &mut dyn FnMut(PartMut<'_>)) {
        self.1.visit_mut(f);
    }

    fn list(&self, names: &Names<'_>) -> String {
        self.1.list(names)
    }
}

/// Fields without instructions, by how they are listed.
macro_rules! plain {
    ($($ty:ty: |$it:ident, $names:ident| $listing:expr;)*) => {$(
        impl Field for $ty {
            fn list(&self, $names: &Names<'_>) -> String {
                let $it = self;
                $listing
            }
        }
    )*};
}

plain! {
    bool: |held, _names| held.to_string();
    // A direction.
    u8: |direction, _names| way(i64::from(*direction));
    // A slot, or a place in a list.
    u16: |at, _names| at.to_string();
    // A set of planes.
    u64: |mask, names| {
        let planes = (0..64).filter(|plane| mask >> plane & 1 == 1).map(|plane| names.plane(plane));
        planes.collect::<Vec<_>>().join("+")
    };
    i64: |number, _names| if *number == NONE { "none".to_owned() } else { number.to_string() };
    // The range of what is tracked.
    (i64, i64): |range, _names| format!("{} .. {}", range.0, range.1);
    SiteSet: |set, names| names.sites(set);
    // Tables.
    Arc<[i64]>: |values, _names| format!("{} numbers", values.len());
    Arc<[SiteSet]>: |rows, _names| format!("{} sets", rows.len());
    When: |when, _names| if *when == When::Before { "before".to_owned() } else { String::new() };
    CompareOp: |op, _names| op.to_string();
    ArithmeticOp: |op, _names| op.to_string();
    Reduce: |reduce, _names| format!("{reduce:?}").to_lowercase();
    &'static Primitive: |word, _names| word.name.to_owned();
}

/// What is called by its name in a listing.
pub struct Names<'a> {
    pub rules: &'a Rules,
    pub program: &'a Program,
}

impl Names<'_> {
    pub fn plane(&self, plane: usize) -> String {
        let Some(content) = self.program.planes.get(plane) else { return format!("plane {plane}") };
        let Some(kind) = content.kind() else { return "empty".to_owned() };
        let kind = self.rules.kinds.get(usize::from(kind.0)).map_or("?", |kind| kind.name.as_str());
        match content.owner().and_then(|PlayerId(owner)| self.rules.players.get(usize::from(owner))) {
            Some(owner) => format!("{kind}:{}", owner.name),
            None => kind.to_owned(),
        }
    }

    fn sites(&self, set: &SiteSet) -> String {
        let all = self.program.layout.set(self.rules.board.all());
        if *set == all {
            "all".to_owned()
        } else if set.len() <= 4 {
            let sites = self.program.layout.sites_at(*set);
            let names: Vec<&str> = sites.iter().map(|site| self.rules.board.name(site)).collect();
            format!("{{{}}}", names.join(" "))
        } else {
            format!("{{{} sites}}", set.len())
        }
    }
}

/// A field with the names that it is listed with.
pub struct Listed<'a, T> {
    pub of: &'a T,
    pub names: &'a Names<'a>,
}

impl<T: Field> Display for Listed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.of.list(self.names))
    }
}

impl<T: Field> Listed<'_, Vec<T>> {
    /// The members with something between them.
    pub fn by(&self, between: &str) -> String {
        self.of.iter().map(|one| one.list(self.names)).collect::<Vec<_>>().join(between)
    }
}

impl Listed<'_, When> {
    /// In front of what is read.
    pub fn first(&self) -> &'static str {
        match self.of {
            When::Now => "",
            When::Before => "before ",
        }
    }
}

impl Listed<'_, i64> {
    /// A set of directions.
    pub fn ways(&self) -> String {
        super::build::members(*self.of).map(way).collect::<Vec<_>>().join("+")
    }
}

impl Listed<'_, Box<Int>> {
    /// A set of directions, by their names where they are known.
    pub fn ways(&self) -> String {
        match &**self.of {
            Int::Const(mask) => Listed { of: mask, names: self.names }.ways(),
            int => int.list(self.names),
        }
    }
}

impl Listed<'_, Int> {
    /// What is put somewhere.
    pub fn piece(&self) -> String {
        match self.of {
            Int::Const(plane) => self.names.plane(usize::try_from(*plane).unwrap_or(usize::MAX)),
            int => int.list(self.names),
        }
    }
}

impl Listed<'_, Test> {
    /// Behind what is done only where this holds.
    pub fn guard(&self) -> String {
        if *self.of == Test::Const(true) { String::new() } else { format!(" if {self}") }
    }
}

fn way(at: i64) -> String {
    let direction = usize::try_from(at).ok().and_then(Direction::from_index);
    direction.map_or_else(|| format!("way {at}"), |direction| direction.to_string())
}

/// An instruction by its name in the code and its fields.
pub fn called(name: &str, fields: &[&dyn Display]) -> String {
    let mut text = String::new();
    for (at, letter) in name.char_indices() {
        if letter.is_uppercase() && at > 0 {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    let fields: Vec<String> = fields.iter().map(ToString::to_string).filter(|field| !field.is_empty()).collect();
    if !fields.is_empty() {
        text += &format!("({})", fields.join(", "));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::ir::{Domain, Effect, Kept};
    use super::*;

    fn binds(part: &Part<'_>) -> Vec<u16> {
        let mut slots = Vec::new();
        part.binds(&mut |slot| slots.push(slot));
        slots
    }

    #[test]
    fn an_instruction_binds_its_slots_of_numbers_and_those_of_its_groups() {
        let site = || Sets::One(Box::new(Int::Slot(1)));
        let set = Effect::SetSites { base: 0, value: site(), guard: Test::Const(true) };
        let inner = Effect::Each { slot: 2, domain: Domain::Sites(site()), effect: Box::new(set) };
        let outer = Effect::Each { slot: 3, domain: Domain::Sites(site()), effect: Box::new(inner) };
        let test = Test::CanApply(vec![outer]);
        assert_eq!(binds(&Part::Test(&test)), [3, 2]);
        let kept = Kept::Int(4, Box::new(Int::Slot(5)));
        assert_eq!(binds(&Part::Sets(&Sets::With { kept, of: Box::new(site()) })), [4]);
        // Within it another one binds, and a slot of sets is none of numbers.
        let test = Test::Exists { slot: 6, domain: Box::new(Domain::Sites(site())), test: Box::new(test) };
        assert_eq!(binds(&Part::Test(&test)), [6]);
        assert_eq!(binds(&Part::Test(&Test::WithSites { held: 7, value: site(), test: Box::new(test) })), [0u16; 0]);
    }

    #[test]
    fn what_says_nothing_else_is_listed_by_its_name_and_its_fields() {
        assert_eq!(called("Turn", &[]), "turn");
        assert_eq!(called("MaskAnd", &[&"s1", &"s2"]), "mask_and(s1, s2)");
        assert_eq!(called("OfKinds", &[&3, &""]), "of_kinds(3)");
    }
}
