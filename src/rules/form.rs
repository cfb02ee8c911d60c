//! What follows from the declaration of a form of expression, or of a kind of change, alone: its parts, what they are asked
//! for, and how it is written for the hash.

use super::catalogue::Primitive;
use super::{Expr, Local, MemoryId, Slice, Type, Value, WordId};
use crate::operator::{ArithmeticOp, CompareOp, Place, Reduce};
use petgraph::graph::NodeIndex;

/// What an expression asks of a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A value among others.
    Operand,
    /// Whether it holds.
    Condition,
    /// Its members, for each of which the other parts are evaluated.
    Domain,
}

/// Declares forms of expression, or kinds of change. A row is the name under which the hash knows the form, chosen for ever
/// (none where the form is nothing but its fields), the variant with its fields in the order in which they are written, and
/// for expressions the type of the result where it is always the same, and `in play` where it is about pieces or the course
/// of the game. What a part is asked for is a variant of the enum behind `of`; where a field says nothing, `Operand`.
macro_rules! forms {
    (
        $(#[$about:meta])*
        pub enum $enum:ident of $roles:ident {$(
            $(#[$note:meta])*
            $($written:literal)? $form:ident
                $(($($at:ident: $of:ty $(as $part:ident)?),*))?
                $({ $($field:ident: $ty:ty $(as $role:ident)?),* })?
                $(-> $result:ident)?
                $(in $course:ident)?,
        )*}
    ) => {
        $(#[$about])*
        pub enum $enum {
            $($(#[$note])* $form $(($($of),*))? $({ $($field: $ty),* })?,)*
        }

        impl $enum {
            /// Visits the expressions right below this one.
            pub fn visit<'e>(&'e self, f: &mut dyn FnMut(&'e Expr, $roles)) {
                match self {
                    $(Self::$form $(($($at),*))? $({ $($field),* })? => {
                        $($($at.visit(forms!(@role $roles $($part)?), f);)*)?
                        $($($field.visit(forms!(@role $roles $($role)?), f);)*)?
                    })*
                }
            }

            /// The name for the hash, and the fields in their order.
            pub(super) fn written(&self) -> (Option<&'static str>, Vec<&dyn Written>) {
                match self {
                    $(Self::$form $(($($at),*))? $({ $($field),* })? => (
                        forms!(@written $($written)?),
                        vec![$($($at as &dyn Written),*)? $($($field as &dyn Written),*)?],
                    ),)*
                }
            }

            /// The type of what it comes to, where the form alone tells.
            #[allow(dead_code, reason = "changes come to nothing")]
            #[must_use]
            pub fn result(&self) -> Option<$crate::rules::Type> {
                match self {
                    $(Self::$form { .. } => forms!(@result $($result)?),)*
                }
            }

            /// Whether it is about pieces or the course of the game, whatever its parts are about.
            #[allow(dead_code, reason = "all changes are")]
            #[must_use]
            pub fn is_in_play(&self) -> bool {
                match self {
                    $(Self::$form { .. } => forms!(@course $($course)?),)*
                }
            }
        }
    };
    (@role $roles:ident) => { $roles::Operand };
    (@role $roles:ident $role:ident) => { $roles::$role };
    (@written) => { None };
    (@written $name:literal) => { Some($name) };
    (@course) => { false };
    (@course play) => { true };
    (@result) => { None };
    (@result $type:ident) => { Some($crate::rules::Type::$type) };
}
pub(super) use forms;

/// A field of a form. Most hold no expressions.
pub(super) trait Field {
    fn visit<'e, R: Copy>(&'e self, _: R, _: &mut dyn FnMut(&'e Expr, R)) {}
}

impl Field for Expr {
    fn visit<'e, R: Copy>(&'e self, role: R, f: &mut dyn FnMut(&'e Expr, R)) {
        f(self, role);
    }
}

impl<T: Field> Field for Box<T> {
    fn visit<'e, R: Copy>(&'e self, role: R, f: &mut dyn FnMut(&'e Expr, R)) {
        (**self).visit(role, f);
    }
}

impl<T: Field> Field for Option<T> {
    fn visit<'e, R: Copy>(&'e self, role: R, f: &mut dyn FnMut(&'e Expr, R)) {
        self.iter().for_each(|one| one.visit(role, f));
    }
}

impl<T: Field> Field for Vec<T> {
    fn visit<'e, R: Copy>(&'e self, role: R, f: &mut dyn FnMut(&'e Expr, R)) {
        self.iter().for_each(|one| one.visit(role, f));
    }
}

impl Field for (CompareOp, Expr) {
    fn visit<'e, R: Copy>(&'e self, role: R, f: &mut dyn FnMut(&'e Expr, R)) {
        self.1.visit(role, f);
    }
}

impl Field for Slice {
    fn visit<'e, R: Copy>(&'e self, role: R, f: &mut dyn FnMut(&'e Expr, R)) {
        self.count.visit(role, f);
    }
}

impl Field for bool {}
impl Field for i64 {}
impl Field for ArithmeticOp {}
impl Field for Place {}
impl Field for Reduce {}
impl Field for Type {}
impl Field for Value {}
impl Field for Local {}
impl Field for WordId {}
impl Field for MemoryId {}
impl Field for NodeIndex {}
impl Field for &'static Primitive {}
