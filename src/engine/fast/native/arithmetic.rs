//! Functions of numbers alone that machine code calls.

use crate::engine::fast::eval::numbers::arithmetic;
use crate::rules::ArithmeticOp;

/// The address of [`place_of_bit`] where that is a good way.
#[cfg(target_arch = "x86_64")]
pub fn select() -> Option<usize> {
    // Processors of AMD before the third Zen have the instruction, and take up to hundreds of steps for it.
    let vendor = std::arch::x86_64::__cpuid(0).ebx;
    let signature = std::arch::x86_64::__cpuid(1).eax;
    let family = (signature >> 8 & 0xF) + (signature >> 20 & 0xFF);
    let slow = vendor == u32::from_le_bytes(*b"Auth") && family < 0x19;
    let has = std::arch::is_x86_feature_detected!("bmi1") && std::arch::is_x86_feature_detected!("bmi2");
    (has && !slow).then_some(place_of_bit as *const () as usize)
}

#[cfg(not(target_arch = "x86_64"))]
pub fn select() -> Option<usize> {
    None
}

/// The place of the k-th bit of a word that has more than k.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2")]
extern "C" fn place_of_bit(word: u64, k: u64) -> u64 {
    use std::arch::x86_64::{_pdep_u64, _tzcnt_u64};
    _tzcnt_u64(_pdep_u64(1 << (k & 63), word)) & 63
}

pub extern "C" fn add(a: i64, b: i64) -> i64 {
    arithmetic(ArithmeticOp::Add, a, b)
}

pub extern "C" fn subtract(a: i64, b: i64) -> i64 {
    arithmetic(ArithmeticOp::Subtract, a, b)
}

pub extern "C" fn multiply(a: i64, b: i64) -> i64 {
    arithmetic(ArithmeticOp::Multiply, a, b)
}

pub extern "C" fn divide(a: i64, b: i64) -> i64 {
    arithmetic(ArithmeticOp::Divide, a, b)
}

pub extern "C" fn modulo(a: i64, b: i64) -> i64 {
    arithmetic(ArithmeticOp::Modulo, a, b)
}
