//! A program with its machine code, made when it is first wanted.

use super::eval::Core;
use super::native::Native;
use super::scratch::Lister;
use crate::stack::on_large_stack;
use std::sync::{Arc, OnceLock};

/// A program on a board of so many words.
#[derive(Debug)]
pub(super) struct Runner<const W: usize> {
    pub core: Core<W>,
    /// Made when it is first wanted; none where there can be none.
    pub native: OnceLock<Option<Arc<Native>>>,
    /// Machine code is to compare each place that it reads or writes with where it may.
    pub checked: bool,
}

impl<const W: usize> Runner<W> {
    /// The machine code, made now unless it was before.
    pub fn compiled(&self) -> Option<&Native> {
        let make = || {
            let native = on_large_stack(|| Native::compile(&self.core, self.checked)).flatten().map(Arc::new)?;
            let lister: Arc<dyn Lister<W>> = Arc::<Native>::clone(&native);
            let _ = self.core.lister.set(Arc::new(lister));
            Some(native)
        };
        self.native.get_or_init(make).as_deref()
    }
}
