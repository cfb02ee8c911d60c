//! The tests of the library from inside: all that runs no program. README.md beside this folder says what each proves.

mod architecture;
mod bounded;
mod broken;
mod common;
mod contributing;
mod counts;
mod editors;
mod engines;
mod errors;
mod format;
mod games;
mod generated;
mod length;
mod library_table;
mod mutants_of_rules;
mod opponents;
mod options;
mod reference;
mod render;
mod screens;
mod seats;
mod tidy;
mod tutorial;
mod uniform;
mod warned;
mod why;
