use ludwright::{diagnostic::{Format, render}, source::Sources, syntax::parse};
#[test]
fn all() {
    let mut bad = 0;
    for f in ["grammar/prelude.game","games/equi/equi.game","games/epoxy/epoxy.game","games/iqishiqi/iqishiqi.game","games/iqishiqi/weituweiqi.game","games/iqishiqi/pushpin.game","games/iqishiqi/push_and_pull.game"] {
        let mut sources = Sources::default();
        let text = std::fs::read_to_string(f).unwrap();
        let id = sources.add(f, text.clone());
        let (file, diagnostics) = parse(id, &text);
        println!("{f}: {} items", file.items.len());
        for d in &diagnostics { bad += 1; print!("{}", render(d, &sources, Format::Human { color: false })); }
    }
    assert_eq!(bad, 0);
}
