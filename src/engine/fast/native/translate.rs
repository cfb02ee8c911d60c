//! Functions that were written, translated into machine code on several threads.

use cranelift_codegen::Context;
use cranelift_codegen::isa::{OwnedTargetIsa, TargetIsa};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_jit::JITModule;
use cranelift_module::{FuncId, Module, ModuleReloc};
use std::sync::Mutex;
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

/// For the processor at hand; none where that is not one of those that are known.
pub(super) fn processor(care: Care) -> Option<OwnedTargetIsa> {
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
struct Translated {
    bytes: Vec<u8>,
    alignment: u64,
    places: Vec<ModuleReloc>,
}

/// Translates functions and puts them into memory, in the order in which they were declared. Each is translated by itself, so
/// that the code is the same on any number of threads.
pub(super) fn translate(module: &mut JITModule, mut written: Vec<Written>) -> Option<()> {
    let (fast, soon) = (module.isa(), processor(Care::Soon)?);
    let threads = thread::available_parallelism().map_or(1, usize::from).min(written.len()).min(MOST);
    // The longest first: nobody waits for a long one that was begun last.
    written.sort_by_key(|written| written.context.func.dfg.num_insts());
    let written = Mutex::new(written);
    let some_of_them = || {
        let mut done = Vec::new();
        loop {
            let longest = written.lock().ok()?.pop();
            let Some(Written { id, mut context, care }) = longest else { return Some(done) };
            let isa = match care {
                Care::Fast => fast,
                Care::Soon => &*soon,
            };
            done.push((id, one(isa, id, &mut context)?));
        }
    };
    let mut done = thread::scope(|scope| {
        let helper = |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, some_of_them);
        let helpers = (1..threads).map(helper);
        // What a thread that cannot be had would have done is left to the others.
        let helpers: Vec<_> = helpers.filter_map(Result::ok).collect();
        let mut done = some_of_them()?;
        for helper in helpers {
            done.extend(helper.join().ok()??);
        }
        Some(done)
    })?;
    done.sort_by_key(|(id, _)| *id);
    for (id, Translated { bytes, alignment, places }) in done {
        module.define_function_bytes(id, alignment, &bytes, &places).ok()?;
    }
    Some(())
}

fn one(isa: &dyn TargetIsa, id: FuncId, context: &mut Context) -> Option<Translated> {
    let alignment = u64::from(context.compile(isa, &mut Default::default()).ok()?.buffer.alignment);
    let code = context.compiled_code()?;
    let places =
        code.buffer.relocs().iter().map(|place| ModuleReloc::from_mach_reloc(place, &context.func, id)).collect();
    let alignment = alignment.max(u64::from(isa.function_alignment().minimum)).max(isa.symbol_alignment());
    Some(Translated { bytes: code.code_buffer().to_vec(), alignment, places })
}
