//! Ctrl-C: the first one ends long work in good order, with what there is so far; the second one ends the program.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// What is set when somebody wants the work to end. Where signals cannot be heard they end the program as ever.
#[must_use]
pub fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    {
        use signal_hook::consts::SIGINT;
        use signal_hook::flag;
        /// The status of a program that Ctrl-C ended.
        const INTERRUPTED: i32 = 130;
        // In this order: the first one finds the flag down and only raises it.
        let _ = flag::register_conditional_shutdown(SIGINT, INTERRUPTED, Arc::clone(&flag));
        let _ = flag::register(SIGINT, Arc::clone(&flag));
    }
    flag
}
