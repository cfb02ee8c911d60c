//! Pictures of positions and of games: some as they are, and of all games what must hold of every picture.

use crate::author::script::Scripts;
use crate::check::Project;
use crate::game::{Game, Position};
use crate::library::Library;
use crate::render::{Marks, Replay, Style, Theme, png, svg};
use roxmltree::{Document, Node};
use std::collections::BTreeSet;

fn game(name: &str, options: &[(&str, &str)]) -> Game {
    let options: Vec<(String, String)> =
        options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Game::from_text(name, Library::text(name).unwrap(), None, &options, &Library).unwrap()
}

/// The position after some moves, and the one before the last of them.
fn after(game: &Game, moves: &[&str]) -> (Position, Position) {
    let start = game.start();
    moves.iter().fold((start.clone(), start), |(_, now), mv| (now.clone(), now.play(mv).unwrap()))
}

/// Every shipped game with each of its rulesets.
fn shipped() -> Vec<(String, Game)> {
    let mut games = Vec::new();
    for name in Library::names() {
        let project = Project::load(name, Library::text(name).unwrap(), &Library);
        let rulesets = project.rulesets().map(|ruleset| Some(ruleset.name.text.clone()));
        for ruleset in std::iter::once(None).chain(rulesets) {
            let label = format!("{name} {}", ruleset.as_deref().unwrap_or(""));
            games.push((label, Game::from_project(&project, ruleset.as_deref(), &[]).unwrap()));
        }
    }
    assert!(games.len() > 40);
    games
}

/// A position some plies on, with always another of the legal moves.
fn some_plies(game: &Game, plies: usize) -> (Position, Position) {
    let start = game.start();
    let mut pair = (start.clone(), start);
    for ply in 0..plies {
        let count = pair.1.move_count();
        if count == 0 {
            break;
        }
        let next = pair.1.play_index((ply * 7 + 3) % count).unwrap();
        pair = (pair.1, next);
    }
    pair
}

fn sites<'a>(document: &'a Document<'_>) -> Vec<Node<'a, 'a>> {
    document.descendants().filter(|node| node.attribute("class") == Some("site")).collect()
}

#[test]
fn a_game_of_tic_tac_toe() {
    let (before, now) = after(&game("tic_tac_toe", &[]), &["b2", "a1", "c3"]);
    let style = Style { caption: true, marks: Marks::default().with_last(&before, &now), ..Style::default() };
    insta::assert_snapshot!(svg(&now, &style));
}

#[test]
fn a_small_board_of_hexes() {
    let game = game("havannah", &[("size", "3")]);
    let (_, now) = after(&game, &["c3", "g3"]);
    let style = Style { theme: Theme::Dark, marks: Marks::default().with_legal(&now, None), ..Style::default() };
    insta::assert_snapshot!(svg(&now, &style));
}

#[test]
fn a_region_of_a_site_draws_lines_between_the_pieces_that_name_each_other() {
    let game = game("twixt", &[("size", "6")]);
    let (before, now) = after(&game, &["c1", "c2", "d3"]);
    let style = Style { coordinates: false, ..Style::default() };
    // Each of the two pegs draws its half, up to the middle.
    assert_eq!(svg(&now, &style).matches("class=\"joint p1\"").count(), 2);
    assert!(svg(&now, &style).contains(r#"<path class="joint p1" d="M0 0L24 -48"/>"#));
    assert!(!svg(&before, &style).contains("class=\"joint"));
    // What only one of two names is no line.
    let text = "game \"One way\"\nplayers A, B\nboard square(3)\npiece stone of each player\n\
                region later(x: site) \"the stones behind\" = piece listed_after(x)\n\
                move put \"{cell}\" { cell : empty; if no later(cell); cell becomes stone of mover }\n\
                turn { put }\nend { draw when stuck }\n";
    let game = Game::from_text("one_way.game", text, None, &[], &Library).unwrap();
    let (_, now) = after(&game, &["a3", "b2"]);
    assert!(!svg(&now, &style).contains("class=\"joint"));
}

#[test]
fn dots_and_boxes() {
    let game = game("dots_and_boxes", &[("size", "2")]);
    let (_, now) = after(&game, &["a1n", "a1e", "a1s", "a1w"]);
    insta::assert_snapshot!(svg(&now, &Style { coordinates: false, theme: Theme::Print, ..Style::default() }));
}

#[test]
fn nine_mens_morris() {
    let (_, now) = after(&game("nine_mens_morris", &[]), &["d2", "f4"]);
    insta::assert_snapshot!(svg(&now, &Style { size: Some(300), ..Style::default() }));
}

#[test]
fn every_game_has_one_element_for_each_site_and_says_what_stands_there() {
    for (label, game) in shipped() {
        let (before, now) = some_plies(&game, 9);
        let marks = Marks::default().with_last(&before, &now).with_legal(&now, None);
        for (position, style) in [
            (game.start(), Style::default()),
            (now, Style { caption: true, theme: Theme::Auto, marks, ..Style::default() }),
        ] {
            let picture = svg(&position, &style);
            let document = Document::parse(&picture).unwrap_or_else(|error| panic!("{label}: {error}\n{picture}"));
            let root = document.root_element();
            assert_eq!(root.attribute("role"), Some("img"), "{label}");
            let title = root.children().find(|node| node.has_tag_name("title"));
            assert_eq!(title.and_then(|node| node.text()), Some(game.rules().about.title.as_str()), "{label}");
            let board = &game.rules().board;
            let found = sites(&document);
            let names: BTreeSet<&str> = found.iter().filter_map(|site| site.attribute("data-site")).collect();
            assert_eq!(names, board.names().collect(), "{label}");
            assert_eq!(found.len(), board.len(), "{label}");
            for site in found {
                let name = site.attribute("data-site").unwrap();
                let stands = !position.situation().state.content(board.find(name).unwrap()).is_empty();
                let drawn = site.descendants().any(|node| {
                    node.attribute("class").is_some_and(|class| class.split(' ').any(|class| class == "piece"))
                });
                assert_eq!(stands, drawn, "{label}: {name}");
            }
        }
    }
}

#[test]
fn every_game_gives_pixels_of_the_asked_size() {
    for (label, game) in shipped() {
        let (_, now) = some_plies(&game, 6);
        let style = Style { size: Some(96), ..Style::default() };
        let bytes = png(&now, &style).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!(info.width.max(info.height), 96, "{label}");
        let colours: BTreeSet<&[u8]> = pixels.chunks_exact(info.color_type.samples()).collect();
        assert!(colours.len() > 8, "{label}: only {} colours", colours.len());
    }
}

/// A game whose names hold all that XML and scripts read as signs.
const SIGNS: &str = r#"game "Less < more & </script> 'all'" by "A & B"
players Black, White
board graph { one at 0 0; two at 2 0; three at 1 1; one - two - three - one }
piece stone "<" , pin "&" of each player shape star or hex
move put "{cell}" { cell : empty; cell becomes stone of mover }
turn { put }
end { draw when stuck "nothing <left> & \"over\"" }
"#;

#[test]
fn names_are_escaped() {
    let text = SIGNS.replace(r#" shape star or hex"#, "").replace(r#" & \"over\""#, " & over");
    let game = Game::from_text("signs.game", &text, None, &[], &Library).unwrap();
    let (_, now) = after(&game, &["one", "two", "three"]);
    let picture = svg(&now, &Style { caption: true, ..Style::default() });
    let document = Document::parse(&picture).unwrap();
    let title = document.descendants().find(|node| node.has_tag_name("title")).unwrap();
    assert_eq!(title.text(), Some("Less < more & </script> 'all'"));
    assert!(document.descendants().any(|node| node.text().is_some_and(|text| text.contains("nothing <left> & over"))));
    let replay = Replay { name: "a <record>".to_owned(), steps: vec![(None, now)] };
    let page = replay.html(&Style::default());
    assert_eq!(page.matches("</script>").count(), 2, "the two of the page itself");
    assert!(page.contains("a &lt;record&gt;"));
    Document::parse(&replay.svg(&Style::default(), 500)).unwrap();
}

#[test]
fn a_shape_is_no_rule() {
    let plain = game("tic_tac_toe", &[]);
    let text = Library::text("tic_tac_toe").unwrap();
    assert!(text.contains(" shape cross or ring"));
    let bare = text.replace(" shape cross or ring", "");
    let bare = Game::from_text("tic_tac_toe", &bare, None, &[], &Library).unwrap();
    assert_eq!(plain.rules_hash(), bare.rules_hash());
    let drawn = |game: &Game| svg(&after(game, &["b2", "a1"]).1, &Style::default());
    assert!(drawn(&plain).contains(r#"class="piece p1 cross""#) && drawn(&plain).contains(r#"class="piece p2 ring""#));
    assert!(drawn(&bare).contains(r#"class="piece p1 disc""#));
}

/// A recorded game of each file that holds one.
fn records() -> Vec<Replay> {
    let mut replays = Vec::new();
    for name in Library::names() {
        let project = Project::load(name, Library::text(name).unwrap(), &Library);
        let scripts = Scripts { wanted: |script| script.record, keep_course: true, ..Scripts::default() };
        let report = scripts.run(&project, None, &[]).unwrap().into_iter().next();
        replays.extend(report.map(|report| Replay { name: report.name, steps: report.course }));
    }
    assert!(replays.len() > 20);
    replays
}

#[test]
fn pages_hold_every_move() {
    for replay in records() {
        let page = replay.html(&Style { theme: Theme::Auto, ..Style::default() });
        assert!(
            !page.contains("http://") || !page.replace("http://www.w3.org/2000/svg", "").contains("http"),
            "no network"
        );
        let start = page.find(r#"id="game">"#).unwrap() + r#"id="game">"#.len();
        let data = &page[start..start + page[start..].find("</script>").unwrap()];
        let data: serde_json::Value = serde_json::from_str(data).unwrap();
        let shots = data["shots"].as_array().unwrap();
        assert_eq!(shots.len(), replay.steps.len());
        for (index, (mv, position)) in replay.steps.iter().enumerate() {
            if let Some(mv) = mv {
                let said = format!("{}. {mv}", position.ply());
                assert_eq!(shots[index]["caption"][0], said.as_str());
                let escaped = said.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                assert!(
                    page.contains(&format!(r#"<li><button data-shot="{index}">{escaped}</button></li>"#)),
                    "{said}"
                );
            }
        }
    }
}

#[test]
fn games_in_motion_show_every_position() {
    let replay = records().into_iter().min_by_key(|replay| replay.steps.len()).unwrap();
    let moving = replay.svg(&Style::default(), 1000);
    let document = Document::parse(&moving).unwrap();
    assert_eq!(sites(&document).len(), replay.steps[0].1.game().rules().board.len());
    // What moves can be told from what stays, for those who want no motion.
    assert!(moving.contains("@media (prefers-reduced-motion:reduce)"));
    let moved = |node: &Node<'_, '_>| node.children().any(|child| child.has_tag_name("animate"));
    for node in document.descendants().filter(moved) {
        let at_end = node.attribute("visibility") != Some("hidden");
        assert_eq!(node.attribute("class"), Some(if at_end { "shot end" } else { "shot" }));
    }
    let seconds = replay.steps.len() - 1 + 3;
    for animate in document.descendants().filter(|node| node.has_tag_name("animate")) {
        assert_eq!(animate.attribute("dur"), Some(format!("{seconds}s").as_str()));
        let times: Vec<f64> = animate.attribute("keyTimes").unwrap().split(';').map(|at| at.parse().unwrap()).collect();
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]) && times[0] == 0.0);
        assert_eq!(animate.attribute("values").unwrap().split(';').count(), times.len());
    }
    let bytes = replay.gif(&Style { size: Some(120), ..Style::default() }, 500).unwrap();
    let mut decoder = gif::DecodeOptions::new().read_info(bytes.as_slice()).unwrap();
    assert_eq!(u16::max(decoder.width(), decoder.height()), 120);
    let mut frames = 0;
    while decoder.read_next_frame().unwrap().is_some() {
        frames += 1;
    }
    assert_eq!(frames, replay.steps.len());
}

/// A race along one row, played by players of two colours.
fn race() -> Game {
    let text = "game \"Run\"\nplayers Tomato, Dark_Green\nboard rectangle(24, 1)\npiece man of each player\n\
                track men(site) : 0..15 = 2\nstart { a1 becomes man of Tomato }\n\
                move go \"{from}\" {\n  from : own\n  from becomes empty\n}\nturn { go }\nend { next loses when stuck }\n";
    Game::from_text("run.game", text, None, &[], &Library).unwrap()
}

#[test]
fn a_long_row_is_drawn_in_two_with_its_numbers_said() {
    let drawn = svg(&race().start(), &Style::default());
    let place = |site: &str| {
        let after = drawn.split(&format!("data-site=\"{site}\" transform=\"translate(")).nth(1).unwrap();
        let (x, y) = after.split(')').next().unwrap().split_once(' ').unwrap();
        (x.parse::<f64>().unwrap(), y.parse::<f64>().unwrap())
    };
    // The first site stands below the last one, and the two halves meet at the left.
    assert_eq!(place("a1").0, place("x1").0);
    assert_eq!(place("l1").0, place("m1").0);
    assert!(place("a1").1 > place("x1").1 && place("l1").0 < place("a1").0);
    assert!(drawn.contains("<title>a1: man of Tomato, 2</title>"), "{drawn}");
}

#[test]
fn players_called_after_any_colour_of_css_have_it() {
    let drawn = svg(&race().start(), &Style::default());
    for fill in ["#ff6347", "#006400"] {
        assert!(drawn.contains(fill), "{fill}");
    }
}

/// The picture of a whole file: where its first test that sets something up or plays ends, or some plies from the start.
fn picture_of(text: &str) -> String {
    let project = Project::load("guide.game", text, &Library);
    let game = Game::from_project(&project, None, &[]).unwrap();
    let reports = Scripts { keep_course: true, ..Scripts::default() }.run(&project, None, &[]).unwrap();
    let shown = reports.iter().find(|report| report.course.len() > 1).map(|report| report.position.clone());
    svg(&shown.unwrap_or_else(|| some_plies(&game, 7).0), &Style::default())
}

/// `UPDATE=1 cargo test --lib every_picture_of_the_guide` draws them anew.
#[test]
fn every_picture_of_the_guide_shows_the_game_below_it() {
    let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let guide = std::fs::read_to_string(docs.join("guide.md")).unwrap();
    let update = std::env::var_os("UPDATE").is_some();
    let mut pictures = 0;
    let mut rest = guide.as_str();
    while let Some((before, after)) = rest.split_once("```game\n") {
        let (text, behind) = after.split_once("```").unwrap();
        rest = behind;
        let title = text.lines().next().unwrap();
        let (_, tag) = before.rsplit_once("src=\"pictures/guide/").unwrap_or_else(|| panic!("{title} has no picture"));
        let (name, tag) = tag.split_once('"').unwrap();
        let alt = tag.split_once("alt=\"").unwrap().1.split_once(": the game below on its board\">\n\n").unwrap();
        assert!(alt.1.is_empty() && title.starts_with(&format!("game \"{}\"", alt.0)), "{title} and {name}");
        let drawn = picture_of(text);
        assert!(drawn.len() < 60_000, "{name}: {} bytes", drawn.len());
        let path = docs.join("pictures/guide").join(name);
        if update {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &drawn).unwrap();
        }
        let kept = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == drawn, "{name}: set UPDATE=1 to draw it anew");
        pictures += 1;
    }
    assert!(pictures >= 10, "{pictures}");
}
