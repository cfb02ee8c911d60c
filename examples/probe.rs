use ludwright::{
    diagnostic::{Format, render},
    game::*,
    rules::Resolve,
};
struct Files;
impl Resolve for Files {
    fn resolve(&self, _from: &str, wanted: &str) -> Result<(String, String), String> {
        for family in ["equi", "epoxy", "iqishiqi"] {
            let p = format!("games/{family}/{wanted}.game");
            if let Ok(t) = std::fs::read_to_string(&p) {
                return Ok((p, t));
            }
        }
        Err("no such game".into())
    }
}
fn perft(p: &Position, d: u32) -> u64 {
    if d == 1 {
        return p.move_count() as u64;
    }
    (0..p.move_count()).map(|i| perft(&p.play_index(i).unwrap(), d - 1)).sum()
}
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (name, rest) = args.split_first().unwrap();
    let mut ruleset = None;
    let mut opts = vec![];
    let mut depth = 3;
    let mut check = false;
    let mut it = rest.iter();
    while let Some(a) = it.next() {
        match a.as_str() {
            "--ruleset" => ruleset = it.next().cloned(),
            "-o" => {
                let (a, b) = it.next().unwrap().split_once('=').unwrap();
                opts.push((a.to_string(), b.to_string()));
            }
            "--depth" => depth = it.next().unwrap().parse().unwrap(),
            "check" => check = true,
            _ => panic!(),
        }
    }
    let (path, text) = Files.resolve("", name).unwrap();
    if check {
        let t = std::time::Instant::now();
        let (d, s) = check_file(&path, &text, &Files);
        for d in d {
            print!("{}", render(&d, &s, Format::Human { color: false }));
        }
        println!("{:?}", t.elapsed());
        return;
    }
    if depth == 0 {
        match run_scripts(&path, &text, ruleset.as_deref(), &opts, &Files, |_| true) {
            Err(LoadError::Rules { diagnostics, sources, .. }) => {
                for d in diagnostics {
                    print!("{}", render(&d, &sources, Format::Human { color: false }));
                }
            }
            Err(e) => println!("{e}"),
            Ok(r) => {
                for r in r {
                    println!(
                        "{} {} plies {} line {} {:?}",
                        if r.ok { "ok " } else { "FAILED" },
                        r.name,
                        r.plies,
                        r.line,
                        r.message
                    );
                    if !r.ok {
                        println!("{}", r.position.draw());
                        println!("{:?}", r.position.moves().len());
                    }
                }
            }
        }
        return;
    }
    match Game::from_text(&path, &text, ruleset.as_deref(), &opts, &Files) {
        Err(LoadError::Rules { diagnostics, sources, .. }) => {
            for d in diagnostics {
                print!("{}", render(&d, &sources, Format::Human { color: false }));
            }
        }
        Err(e) => println!("{e}"),
        Ok(g) => {
            let s = g.start();
            let t = std::time::Instant::now();
            for d in 1..=depth {
                print!("{} ", perft(&s, d));
            }
            println!(" {:?}", t.elapsed());
        }
    }
}
