//! The command `render`: files, what it refuses, and the pictures of the documents.

use super::common::ludwright;
use std::path::Path;
use std::process::Stdio;

fn render(args: &[&str]) -> (Option<i32>, String, String) {
    let output = ludwright().arg("render").args(args).stdin(Stdio::null()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_command_writes_files_and_complains() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = |name: &str| folder.join(name).display().to_string();
    let begins = [("r.svg", "<svg"), ("r.png", "\u{fffd}PNG"), ("r.gif", "GIF89a"), ("r.html", "<!doctype html>")];
    for (name, head) in begins {
        // An earlier run may have left it.
        let _ = std::fs::remove_file(file(name));
        let (status, out, error) = render(&[
            "tic_tac_toe",
            "--moves",
            "b2, a1",
            "--size",
            "200",
            "--output",
            &file(name),
            "--highlight",
            "last,legal",
        ]);
        assert_eq!((status, out.as_str(), error.as_str()), (Some(0), "", ""));
        let bytes = std::fs::read(file(name)).unwrap();
        assert!(String::from_utf8_lossy(&bytes).starts_with(head), "{name}");
    }
    let (status, out, _) = render(&["tic_tac_toe", "--output", "-"]);
    assert!(status == Some(0) && out.starts_with("<svg") && out.ends_with("</svg>\n"));

    let bad: [(&[&str], &str); 7] = [
        (&["tic_tac_toe", "--output", "board.bmp"], "let the name end in .svg, .png, .gif or .html"),
        (
            &["tic_tac_toe", "--output", "no/such/folder/a.svg"],
            "`no/such/folder/a.svg` cannot be written: there is no such file",
        ),
        (&["tic_tac_toe", "--moves", "b2, b2"], "move 2: "),
        (&["tic_tac_to"], "did you mean `tic_tac_toe`?"),
        (&["pushpin", "--record", "Bill - João"], "did you mean `Bill – João`?"),
        (&["hex", "--record", "nothing of the kind"], "is neither a record of `hex` nor a file"),
        (&["oware", "-o", "pits=99"], "the option `pits` cannot be `99`"),
    ];
    for (args, says) in bad {
        let (status, out, error) = render(args);
        assert_eq!((status, out.as_str()), (Some(1), ""), "{args:?}: {error}");
        assert!(error.contains(says), "{args:?} does not say `{says}`: {error}");
    }
    for args in [
        &["tic_tac_toe", "--size", "3"][..],
        &["tic_tac_toe", "--theme", "pink"],
        &["tic_tac_toe", "--moves", "b2", "--record", "x"],
    ] {
        assert_eq!(render(args).0, Some(2), "{args:?}");
    }
    // A saved game brings its options along.
    let saved = file("saved.txt");
    std::fs::write(&saved, "size=4\na1, b1, c1\n").unwrap();
    let (status, out, _) = render(&["tic_tac_toe", "--record", &saved]);
    assert!(status == Some(0) && out.contains(r#"data-site="d4""#) && out.contains("<animate"));
}

#[test]
fn a_picture_is_not_overwritten_unasked() {
    let file = super::common::fresh("kept.svg");
    std::fs::write(&file, "kept").unwrap();
    let name = file.display().to_string();
    let (status, _, told) = render(&["tic_tac_toe", "--output", &name]);
    assert!(status == Some(1) && told.contains("exists already") && told.contains("--force"), "{told}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "kept");
    assert_eq!(render(&["tic_tac_toe", "--output", &name, "--force"]), (Some(0), String::new(), String::new()));
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("<svg"));
    std::fs::remove_file(&file).unwrap();
}

#[test]
fn the_pictures_of_the_documents_are_what_the_commands_make() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/pictures.md")).unwrap();
    let update = std::env::var_os("UPDATE").is_some();
    let mut pictures = 0;
    for line in page.lines().filter_map(|line| line.strip_prefix("ludwright render ")) {
        // Every other part stands in quotes.
        let words = line.split('"').enumerate().flat_map(|(index, part)| match index % 2 {
            0 => part.split_whitespace().collect(),
            _ => vec![part],
        });
        let words: Vec<&str> = words.collect();
        let output = words.iter().position(|word| *word == "--output").unwrap();
        let made = Path::new(env!("CARGO_TARGET_TMPDIR")).join("picture.svg");
        let made_name = made.display().to_string();
        let mut args = words.clone();
        args[output + 1] = &made_name;
        assert!(words.contains(&"--force"), "{line}: a picture that is there is not overwritten unasked");
        assert_eq!(render(&args), (Some(0), String::new(), String::new()), "{line}");
        let made = std::fs::read_to_string(&made).unwrap();
        assert!(made.len() < 60_000, "{line}: {} bytes", made.len());
        let kept = root.join(words[output + 1]);
        if update {
            std::fs::write(&kept, &made).unwrap();
        }
        assert!(std::fs::read_to_string(&kept).unwrap_or_default() == made, "{line}: set UPDATE=1 to draw it anew");
        pictures += 1;
    }
    assert!(pictures > 4);
}
