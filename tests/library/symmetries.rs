//! Symmetries of games: what is legal has a legal image, and made one after the other they bring everything back.

use crate::board::Direction;
use crate::game::Game;
use crate::learn::{Actions, Format, Image, Planes, Session};
use crate::library::Library;
use crate::study::playout::{generator, pick};
use std::collections::BTreeSet;

fn shipped(name: &str, options: &[(&str, &str)]) -> Game {
    let options: Vec<(String, String)> =
        options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Game::from_text(name, Library::text(name).unwrap(), None, &options, &Library).unwrap()
}

#[test]
fn a_game_and_its_image_have_the_same_legal_actions_to_the_end() {
    for (name, options) in
        [("tic_tac_toe", &[][..]), ("reversi", &[]), ("hex", &[("size", "5")]), ("breakthrough", &[])]
    {
        let game = shipped(name, options);
        let actions = Actions::of(&game);
        let images: Vec<Image> = Image::all(&game, &actions).into_iter().filter(|image| !image.swaps_players).collect();
        assert!(images.len() > 1, "{name}");
        for (number, image) in (0..).zip(&images) {
            let mut chance = generator(11, number);
            let (mut one, mut other) = (Session::new(&game, &actions), Session::new(&game, &actions));
            while one.over().is_none() {
                let there = |action: &u32| u32::try_from(image.actions[*action as usize]).unwrap();
                let mapped: BTreeSet<u32> = one.legal().iter().map(there).collect();
                assert_eq!(mapped, other.legal().iter().copied().collect(), "{name}");
                let action = one.legal()[pick(one.legal().len(), &mut chance).unwrap()];
                one.apply(action).unwrap();
                other.apply(there(&action)).unwrap();
            }
            assert_eq!(one.rewards(), other.rewards(), "{name}");
        }
    }
}

#[test]
fn images_are_permutations_and_the_first_changes_nothing() {
    let game = shipped("tic_tac_toe", &[]);
    let actions = Actions::of(&game);
    let images = Image::all(&game, &actions);
    assert_eq!(images.len(), 16);
    assert!(images[0].sites.iter().copied().eq(0..9) && images[0].actions.iter().copied().eq(0..actions.len()));
    let different: BTreeSet<&Vec<usize>> = images[..8].iter().map(|image| &image.sites).collect();
    assert_eq!(different.len(), 8);
    for image in &images {
        assert!(image.sites.iter().collect::<BTreeSet<_>>().len() == 9, "{image:?}");
    }
}

#[test]
fn planes_of_directions_go_to_those_of_their_images_whosever_they_are() {
    for scope in ["", "(player)", "(kind)", "(player, kind)", "(site)"] {
        let text = format!(
            "game \"Ways\"\nabout \"a test\"\nplayers A, B\nboard square(3)\npiece stone, king of each player\n\
             track ways{scope} : direction\n\
             move put \"{{cell}}\" {{ cell : empty; cell becomes stone of mover }}\nturn {{ put }}\nend {{ draw when stuck }}\n"
        );
        let game = Game::from_text("ways.game", &text, None, &[], &Library).unwrap_or_else(|error| panic!("{error:?}"));
        let actions = Actions::of(&game);
        let planes = Planes::of(&game, &actions, Format::Channels);
        let all = Image::all(&game, &actions);
        let images: Vec<&Image> = all.iter().filter(|image| !image.swaps_players).collect();
        assert!(images.len() > 1, "{scope}");
        let mut seen = 0;
        for image in images {
            let to = planes.image(&game, image);
            for (plane, name) in planes.names().iter().enumerate() {
                let wanted = name.split_once(" has ").map_or_else(
                    || name.clone(),
                    |(whose, way)| {
                        let way = (0..16).find(|at| Direction::from_index(*at).unwrap().name() == way).unwrap();
                        seen += 1;
                        format!("{whose} has {}", Direction::from_index(image.ways[way]).unwrap().name())
                    },
                );
                assert_eq!(planes.names()[to[plane]], wanted, "{scope}");
            }
        }
        assert!(seen > 0, "{scope}: {:?}", planes.names());
    }
}
