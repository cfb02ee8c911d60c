//! Threads with a stack of their own, for work that recurses: how deep the stack of the caller is does not matter then.

/// What the parser needs for the deepest text within its limits, with much to spare. Only what is used takes memory.
const STACK: usize = 256 << 20;

/// Runs on a thread of its own; none if there can be no such thread.
pub(crate) fn on_large_stack<T: Send>(run: impl FnOnce() -> T + Send) -> Option<T> {
    std::thread::scope(|scope| std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, run).ok()?.join().ok())
}
