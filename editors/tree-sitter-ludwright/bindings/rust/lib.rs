//! The tree-sitter grammar of rule files, for programs in Rust.

use tree_sitter_language::LanguageFn;

unsafe extern "C" {
    fn tree_sitter_ludwright() -> *const ();
}

/// The language, for `tree_sitter::Parser::set_language`.
// The function is the one that tree-sitter generated, which is what is asked for.
pub const LANGUAGE: LanguageFn = unsafe { LanguageFn::from_raw(tree_sitter_ludwright) };
