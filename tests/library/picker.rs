//! Moves chosen on the board: what has a place there is chosen by it.

use crate::game::Game;
use crate::library::Library;
use crate::play::picker::{Choice, Picked, Picker};

#[test]
fn a_distance_is_the_site_where_the_piece_comes_to_stand() {
    let text = Library::text("push_and_pull").unwrap();
    let position = Game::from_text("push_and_pull", text, None, &[], &Library).unwrap().start();
    let board = &position.game().rules().board;
    let mut picker = Picker::new(&position);
    // In line with the marker of the mover, and with no other.
    assert_eq!(picker.pick(&Choice::Site(board.find("k1").unwrap())), Picked::More);
    let places: Vec<(&str, &str)> = picker
        .named()
        .iter()
        .map(|named| (named.name.as_str(), named.at.map_or("nowhere", |site| board.name(site))))
        .collect();
    assert!(places.len() > 3 && places.iter().all(|(_, at)| *at != "nowhere"), "{places:?}");
    let (_, marker) = picker.named().first().and_then(|named| named.shows).unwrap();
    assert_eq!(position.game().rules().kinds[usize::from(marker.kind().unwrap().0)].name, "marker");
    // Where it stands already it stays.
    assert!(places.contains(&("mine -1", "h4")), "{places:?}");
}
