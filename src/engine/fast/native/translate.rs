//! Functions that were written, translated into machine code on several threads while others are being written.

use cranelift_codegen::Context;
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Module, ModuleReloc};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// Enough for the longest functions. Only what is used takes memory, but all of it room among the addresses that a process may
/// have.
const STACK: usize = 16 << 20;

/// More threads hardly help: a game has two or three long functions.
const MOST: usize = 4;

/// How a function is translated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Care {
    /// So that it runs fast.
    Fast,
    /// In less time. What is so translated runs up to twice as long.
    Soon,
}

/// A function that waits to be translated.
pub(super) struct Written {
    pub id: FuncId,
    pub context: Context,
    pub care: Care,
}

impl Written {
    /// Its instructions.
    pub fn length(&self) -> usize {
        self.context.func.dfg.num_insts()
    }
}

/// The processor at hand, as functions are translated for it.
pub(super) struct Processor {
    fast: OwnedTargetIsa,
    soon: OwnedTargetIsa,
}

impl Processor {
    /// None where it is not one of those that are known.
    pub fn at_hand() -> Option<Self> {
        Some(Self { fast: processor(Care::Fast)?, soon: processor(Care::Soon)? })
    }

    pub fn fast(&self) -> &OwnedTargetIsa {
        &self.fast
    }

    fn with(&self, care: Care) -> &dyn TargetIsa {
        match care {
            Care::Fast => &*self.fast,
            Care::Soon => &*self.soon,
        }
    }
}

fn processor(care: Care) -> Option<OwnedTargetIsa> {
    let mut flags = settings::builder();
    let verify = if cfg!(debug_assertions) { "true" } else { "false" };
    let level = match care {
        Care::Fast => "speed",
        Care::Soon => "none",
    };
    let all = [("opt_level", level), ("enable_verifier", verify), ("is_pic", "false")];
    for (name, value) in all {
        flags.set(name, value).ok()?;
    }
    cranelift_native::builder().ok()?.finish(settings::Flags::new(flags)).ok()
}

/// A function as machine code, before it has a place in memory.
pub(super) struct Translated {
    id: FuncId,
    bytes: Vec<u8>,
    alignment: u64,
    places: Vec<ModuleReloc>,
}

/// Functions that wait to be translated.
#[derive(Default)]
pub(super) struct Queue {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

#[derive(Default)]
struct Waiting {
    written: Vec<Written>,
    /// No more will come.
    complete: bool,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn push(&self, written: Written) {
        self.lock().written.push(written);
        self.changed.notify_one();
    }

    /// The longest of those that wait: nobody waits for a long one that was begun last. None when all are done.
    fn next(&self) -> Option<Written> {
        let mut waiting = self.lock();
        loop {
            let all = waiting.written.iter().enumerate();
            if let Some((longest, _)) = all.max_by_key(|(_, written)| written.length()) {
                return Some(waiting.written.swap_remove(longest));
            }
            if waiting.complete {
                return None;
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Translates what waits until all is done; none where something cannot be translated.
    fn work(&self, processor: &Processor) -> Option<Vec<Translated>> {
        std::iter::from_fn(|| self.next()).map(|written| one(processor, written)).collect()
    }
}

/// Whoever writes functions for a queue: when this is gone, no more will come.
struct Author<'q>(&'q Queue);

impl Drop for Author<'_> {
    fn drop(&mut self) {
        self.0.lock().complete = true;
        self.0.changed.notify_all();
    }
}

/// Runs what writes functions, and translates those that it hands over. Each is translated by itself, so that the code is the
/// same on any number of threads.
pub(super) fn translating<R>(
    processor: &Processor,
    write: impl FnOnce(&Queue) -> Option<R>,
) -> Option<(R, Vec<Translated>)> {
    let queue = Queue::default();
    let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST);
    thread::scope(|scope| {
        let work = || queue.work(processor);
        let helper = |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        // What a thread that cannot be had would have done is left to the others.
        let helpers: Vec<_> = (1..threads).map(helper).filter_map(Result::ok).collect();
        let author = Author(&queue);
        let written = write(author.0);
        drop(author);
        let mut done = work()?;
        for helper in helpers {
            done.extend(helper.join().ok()??);
        }
        Some((written?, done))
    })
}

/// Puts functions into memory, in the order in which they were declared.
pub(super) fn place(module: &mut JITModule, mut translated: Vec<Translated>) -> Option<()> {
    translated.sort_by_key(|function| function.id);
    for Translated { id, bytes, alignment, places } in translated {
        module.define_function_bytes(id, alignment, &bytes, &places).ok()?;
    }
    module.finalize_definitions().ok()
}

fn one(processor: &Processor, written: Written) -> Option<Translated> {
    let Written { id, mut context, care } = written;
    let isa = processor.with(care);
    let alignment = u64::from(context.compile(isa, &mut Default::default()).ok()?.buffer.alignment);
    let code = context.compiled_code()?;
    let places =
        code.buffer.relocs().iter().map(|place| ModuleReloc::from_mach_reloc(place, &context.func, id)).collect();
    let alignment = alignment.max(u64::from(isa.function_alignment().minimum)).max(isa.symbol_alignment());
    Some(Translated { id, bytes: code.code_buffer().to_vec(), alignment, places })
}
