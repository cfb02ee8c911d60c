//! The `ludwright` program.

fn main() -> std::process::ExitCode {
    ludwright::main()
}
