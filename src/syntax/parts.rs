//! What follows from the declaration of a form of expression in the tree: the expressions right below it.

use super::ast::{BinaryOp, Event, Expr, History, Name, Pattern, Quantifier, Round, Value};
use crate::operator::{CompareOp, Reduce};

/// Declares an enum of forms as Rust does, with a name for each field; [`Field`] says which fields hold expressions.
macro_rules! forms {
    (
        $(#[$about:meta])*
        pub enum $enum:ident {$(
            $(#[$note:meta])*
            $form:ident $(($($at:ident: $of:ty),*))? $({ $($field:ident: $ty:ty),* $(,)? })?,
        )*}
    ) => {
        $(#[$about])*
        pub enum $enum {
            $($(#[$note])* $form $(($($of),*))? $({ $($field: $ty),* })?,)*
        }

        impl $enum {
            /// Visits the expressions right below this one. What happened before, and patterns of moves, hold none.
            pub fn visit<'e>(&'e self, f: &mut dyn FnMut(&'e Expr)) {
                match self {
                    $(Self::$form $(($($at),*))? $({ $($field),* })? => {
                        $($($at.visit(f);)*)?
                        $($($field.visit(f);)*)?
                    })*
                }
            }

            /// The same, to change them.
            pub fn visit_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
                match self {
                    $(Self::$form $(($($at),*))? $({ $($field),* })? => {
                        $($($at.visit_mut(f);)*)?
                        $($($field.visit_mut(f);)*)?
                    })*
                }
            }
        }
    };
}
pub(super) use forms;

/// A field of a form. Most hold no expressions.
pub(super) trait Field {
    fn visit<'e>(&'e self, _: &mut dyn FnMut(&'e Expr)) {}
    fn visit_mut(&mut self, _: &mut dyn FnMut(&mut Expr)) {}
}

impl Field for Expr {
    fn visit<'e>(&'e self, f: &mut dyn FnMut(&'e Expr)) {
        f(self);
    }

    fn visit_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        f(self);
    }
}

impl<T: Field> Field for Box<T> {
    fn visit<'e>(&'e self, f: &mut dyn FnMut(&'e Expr)) {
        (**self).visit(f);
    }

    fn visit_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        (**self).visit_mut(f);
    }
}

impl<T: Field> Field for Option<T> {
    fn visit<'e>(&'e self, f: &mut dyn FnMut(&'e Expr)) {
        self.iter().for_each(|one| one.visit(f));
    }

    fn visit_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        self.iter_mut().for_each(|one| one.visit_mut(f));
    }
}

impl<T: Field> Field for Vec<T> {
    fn visit<'e>(&'e self, f: &mut dyn FnMut(&'e Expr)) {
        self.iter().for_each(|one| one.visit(f));
    }

    fn visit_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        self.iter_mut().for_each(|one| one.visit_mut(f));
    }
}

impl<A: Field, B: Field> Field for (A, B) {
    fn visit<'e>(&'e self, f: &mut dyn FnMut(&'e Expr)) {
        self.0.visit(f);
        self.1.visit(f);
    }

    fn visit_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        self.0.visit_mut(f);
        self.1.visit_mut(f);
    }
}

impl Field for Round {
    fn visit<'e>(&'e self, f: &mut dyn FnMut(&'e Expr)) {
        let Self { name: _, domain, condition } = self;
        domain.visit(f);
        condition.visit(f);
    }

    fn visit_mut(&mut self, f: &mut dyn FnMut(&mut Expr)) {
        let Self { name: _, domain, condition } = self;
        domain.visit_mut(f);
        condition.visit_mut(f);
    }
}

impl Field for bool {}
impl Field for i64 {}
impl Field for String {}
impl Field for Name {}
impl Field for Value {}
impl Field for Event {}
impl Field for History {}
impl Field for Pattern {}
impl Field for CompareOp {}
impl Field for Reduce {}
impl Field for Quantifier {}
impl Field for BinaryOp {}
