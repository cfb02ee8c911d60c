//! One game being played: where it stands, who thinks about it, and the programs that play along.

use super::error::ApiError;
use super::house::{House, blocking};
use super::message::{Act, Ask, PERSON, Progress, Saved, Source};
use super::pool::Watch;
use super::store::new_id;
use crate::play::clock::{Clock, Running};
use crate::play::table::Ended;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch::{Receiver, Sender};
use tokio::sync::{Mutex as Turn, MutexGuard as Turned, Notify};

/// Programs among themselves stop when nobody has looked for so long.
const WATCHED: Duration = Duration::from_secs(20);
/// Programs among themselves are slow enough to be watched.
const PACE: Duration = Duration::from_millis(400);

/// A game being played.
pub struct Session {
    pub id: String,
    /// Where its rules come from, which never changes.
    source: Source,
    /// What is kept; held while it is being changed.
    saved: Turn<Saved>,
    shown: Mutex<Shown>,
    stop: Notify,
    driven: AtomicBool,
    /// Somebody waits for the time of whoever is to move to be over.
    timed: AtomicBool,
    /// Nothing of it is to be kept any more.
    ended: AtomicBool,
    /// Told whenever something can be seen that could not be seen before.
    changes: Sender<()>,
}

/// What can be told without waiting.
struct Shown {
    version: u64,
    /// What `view` said of this version, as everybody may see it.
    view: Option<Arc<Value>>,
    /// The same as the seats see it that have asked, in games that hide something.
    by_seat: BTreeMap<usize, Arc<Value>>,
    thinking: Option<Progress>,
    /// Why a program does not play.
    trouble: Option<String>,
    seen: Instant,
    /// For every page that is open the seat that it plays; none for those that play any or watch.
    present: Vec<Option<usize>>,
    /// What somebody asks of the others.
    request: Option<Wish>,
    /// Whether the file of its rules says something else by now.
    changed: bool,
    /// The time that people have had when somebody's began to run.
    clock: Option<Clock>,
    running: Option<Running>,
}

/// A wish that another player has to grant, with the seat of whoever has it.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "snake_case")]
pub enum Wish {
    /// A move is to be taken back.
    Undo(usize),
    /// The game is to end in a draw.
    Draw(usize),
}

impl Wish {
    /// Where whoever has it sits.
    pub fn seat(self) -> usize {
        match self {
            Self::Undo(seat) | Self::Draw(seat) => seat,
        }
    }
}

/// A page that is open; it has gone when this is dropped.
pub struct Present {
    session: Arc<Session>,
    seat: Option<usize>,
}

impl Drop for Present {
    fn drop(&mut self) {
        let mut shown = self.session.shown();
        if let Some(at) = shown.present.iter().position(|seat| *seat == self.seat) {
            shown.present.swap_remove(at);
        }
        drop(shown);
        self.session.changes.send_replace(());
    }
}

impl Session {
    pub fn new(id: String, saved: Saved) -> Self {
        let shown = Shown {
            version: saved.version,
            view: None,
            by_seat: BTreeMap::new(),
            thinking: None,
            trouble: None,
            seen: Instant::now(),
            present: Vec::new(),
            request: None,
            changed: false,
            clock: saved.clock.clone(),
            running: None,
        };
        Self {
            id,
            source: saved.source.clone(),
            saved: Turn::new(saved),
            shown: Mutex::new(shown),
            stop: Notify::new(),
            driven: AtomicBool::new(false),
            timed: AtomicBool::new(false),
            ended: AtomicBool::new(false),
            changes: Sender::new(()),
        }
    }

    /// Hears of everything that can be seen.
    pub fn changes(&self) -> Receiver<()> {
        self.changes.subscribe()
    }

    pub fn has_ended(&self) -> bool {
        self.ended.load(Ordering::SeqCst)
    }

    /// Notes whether the file of the rules says something else than what is played.
    pub fn compare(&self, games: &[Source]) {
        // Another file may have the same name.
        let now = games.iter().find(|game| game.path().is_some() && game.path() == self.source.path());
        let changed = now.is_some_and(|now| now.text() != self.source.text());
        let before = std::mem::replace(&mut self.shown().changed, changed);
        if changed != before {
            self.changes.send_replace(());
        }
    }

    /// Somebody looks, perhaps from a seat.
    pub fn arrive(self: &Arc<Self>, seat: Option<usize>) -> Present {
        self.shown().present.push(seat);
        self.changes.send_replace(());
        Present { session: Arc::clone(self), seat }
    }

    fn think_aloud(&self, thinking: Option<Progress>) {
        self.shown().thinking = thinking;
        self.changes.send_replace(());
    }

    /// Asks the others for something, or takes that back.
    pub fn request(&self, request: Option<Wish>) {
        self.shown().request = request;
        self.changes.send_replace(());
    }

    /// What somebody asks of the others.
    pub fn requested(&self) -> Option<Wish> {
        self.shown().request
    }

    /// Whether somebody else than a seat is here to be asked.
    pub fn has_others(&self, seat: usize) -> bool {
        self.shown().present.iter().flatten().any(|other| *other != seat)
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn idle(&self) -> Duration {
        self.shown().seen.elapsed()
    }

    /// Somebody looks.
    pub fn touch(&self) {
        self.shown().seen = Instant::now();
    }

    fn question(&self, saved: &Saved, act: Act, seat: Option<usize>) -> Ask {
        Ask::Table { id: self.id.clone(), saved: Box::new(saved.clone()), act, seat }
    }

    /// Asks the workers for something, in the name of the person at a seat where it is known.
    async fn ask(
        &self,
        house: &House,
        saved: &Saved,
        (act, seat): (Act, Option<usize>),
        watch: Option<Watch<'_>>,
    ) -> Result<Value, ApiError> {
        Ok(house.pools.ask(&self.question(saved, act, seat), watch).await?.body)
    }

    /// Finds out how the game stands, as everybody may see it; the seats that nobody named are named.
    pub async fn open(&self, house: &House) -> Result<Arc<Value>, ApiError> {
        if let Some(view) = self.shown().view.clone() {
            return Ok(view);
        }
        let mut saved = self.saved.lock().await;
        let done = house.pools.ask(&self.question(&saved, Act::View, None), None).await?;
        if let Some(settled) = done.saved {
            *saved = *settled;
        }
        Ok(self.show(&saved, done.body))
    }

    /// How the game stands as the person at a seat sees it.
    pub async fn open_for(&self, house: &House, seat: Option<usize>) -> Result<Arc<Value>, ApiError> {
        let common = self.open(house).await?;
        let Some(seat) = seat.filter(|_| hides(&common) && common["over"] == false) else { return Ok(common) };
        let known = self.shown().by_seat.get(&seat).cloned();
        if let Some(view) = known {
            return Ok(view);
        }
        let saved = self.saved.lock().await;
        let view = self.ask(house, &saved, (Act::View, Some(seat)), None).await?;
        // The game may have gone on meanwhile, but not while it is held.
        let view = Arc::new(self.labelled(&saved, view));
        self.shown().by_seat.insert(seat, Arc::clone(&view));
        Ok(view)
    }

    /// Whether the game hides something from its players.
    pub async fn hides(&self, house: &House) -> Result<bool, ApiError> {
        Ok(hides(&*self.open(house).await?))
    }

    /// The seat that a key proves; none for whoever shows none.
    pub async fn seat_of(&self, key: Option<&str>) -> Result<Option<usize>, ApiError> {
        let Some(key) = key.filter(|key| !key.is_empty()) else { return Ok(None) };
        let keys = &self.saved.lock().await.keys;
        match keys.iter().position(|known| known == key) {
            Some(seat) => Ok(Some(seat)),
            None => Err(ApiError::new(StatusCode::FORBIDDEN, "bad_key", "this is the key of no seat of this game")),
        }
    }

    /// Gives the key of a seat to the first who asks for it; without a seat, that of the first person without one.
    pub async fn claim(&self, house: &House, wanted: Option<usize>) -> Result<(usize, String), ApiError> {
        if !self.hides(house).await? {
            let message = "this game hides nothing: its seats need no key";
            return Err(ApiError::new(StatusCode::CONFLICT, "nothing_to_do", message));
        }
        let taken =
            || ApiError::new(StatusCode::CONFLICT, "taken", "somebody has taken this seat, or no person sits there");
        self.saved().await.free(wanted).ok_or_else(taken)?;
        let fresh = new_id().map_err(|error| ApiError::disk(&error))?;
        let (mut given, key) = (None, fresh.clone());
        self.note(house, |saved| {
            // Somebody else may have been faster.
            given = saved.free(wanted);
            saved.keys.resize(saved.seats.len(), String::new());
            if let Some(place) = given.and_then(|seat| saved.keys.get_mut(seat)) {
                *place = key;
            }
        })
        .await?;
        given.map(|seat| (seat, fresh)).ok_or_else(taken)
    }

    /// What everybody is told of a game beside what the rules say of it.
    fn labelled(&self, saved: &Saved, mut view: Value) -> Value {
        let running = self.shown().running;
        let clock = saved.clock.as_ref().map(|clock| clock.tell(saved.seats.len(), running));
        if let Some(object) = view.as_object_mut() {
            object.insert("clock".to_owned(), json!(clock));
            object.insert("id".to_owned(), json!(self.id));
            object.insert("version".to_owned(), json!(saved.version));
            object.insert("names".to_owned(), json!(saved.names));
            object.insert("own_dice".to_owned(), json!(saved.own_dice));
            object.insert("next".to_owned(), json!(saved.next));
        }
        view
    }

    fn show(&self, saved: &Saved, view: Value) -> Arc<Value> {
        let running = saved.clock.as_ref().and_then(|_| whose_time(&view)).map(Running::of);
        self.shown().running = running;
        let view = Arc::new(self.labelled(saved, view));
        let mut shown = self.shown();
        shown.version = saved.version;
        shown.view = Some(Arc::clone(&view));
        shown.by_seat.clear();
        shown.trouble = None;
        shown.request = None;
        (shown.clock, shown.running) = (saved.clock.clone(), running);
        drop(shown);
        self.changes.send_replace(());
        view
    }

    /// Writes the game to disk.
    pub async fn write(&self, house: &House) -> Result<(), ApiError> {
        let saved = self.saved.lock().await;
        self.write_down(house, &saved).await
    }

    async fn write_down(&self, house: &House, saved: &Saved) -> Result<(), ApiError> {
        if self.ended.load(Ordering::SeqCst) {
            return Err(ApiError::no_session());
        }
        let (store, id, saved) = (Arc::clone(&house.store), self.id.clone(), saved.clone());
        blocking(move || store.save(&id, &saved)).await?.map_err(|error| ApiError::disk(&error))
    }

    /// The rules that are played, and with what choice.
    pub async fn saved(&self) -> Saved {
        self.saved.lock().await.clone()
    }

    /// What is asked without changing anything.
    pub async fn look(&self, house: &House, act: Act, seat: Option<usize>) -> Result<Value, ApiError> {
        let saved = self.saved().await;
        self.ask(house, &saved, (act, seat), None).await
    }

    /// A hint for whoever is to move, which can be stopped as all thinking.
    pub async fn hint(&self, house: &House, program: String, seat: Option<usize>) -> Result<Value, ApiError> {
        let saved = self.saved().await;
        let progress = |now: Progress| self.think_aloud(Some(now));
        let watch = Watch { stop: &self.stop, progress: &progress };
        let told = self.ask(house, &saved, (Act::Hint { program }, seat), Some(watch)).await;
        self.think_aloud(None);
        told
    }

    /// Changes the game if it is still at the version that was seen, and writes it down before it is told as the person at the
    /// seat sees it.
    pub async fn change(
        &self,
        house: &House,
        seen: Option<u64>,
        act: Act,
        seat: Option<usize>,
    ) -> Result<Arc<Value>, ApiError> {
        // Who thinks about what is past need not go on; a move that comes too early is no reason to hurry.
        if !matches!(act, Act::Play { .. }) {
            self.stop.notify_waiters();
        }
        let saved = self.saved.lock().await;
        match self.change_locked(house, saved, seen, (act, seat)).await? {
            Changed::Game => self.open_for(house, seat).await,
            Changed::Nothing(told) => Ok(Arc::new(told)),
        }
    }

    async fn change_locked(
        &self,
        house: &House,
        mut saved: Turned<'_, Saved>,
        seen: Option<u64>,
        (act, seat): (Act, Option<usize>),
    ) -> Result<Changed, ApiError> {
        if seen.is_some_and(|seen| seen != saved.version) {
            return Err(ApiError::stale(saved.version));
        }
        // Who moves when the time is over moves too late.
        let act = self.late().unwrap_or(act);
        let offer = self.requested().filter(|wish| self.outlives(*wish, &act));
        let plays = matches!(act, Act::Play { .. });
        let done = house.pools.ask(&self.question(&saved, act, seat), None).await?;
        let Some(mut after) = done.saved else { return Ok(Changed::Nothing(done.body)) };
        self.charge(&mut after, plays.then(|| done.body["to_move"].as_u64()));
        self.write_down(house, &after).await?;
        *saved = *after;
        let view = self.show(&saved, done.body);
        if let Some(offer) = offer.filter(|_| view["over"] == false) {
            self.request(Some(offer));
        }
        Ok(Changed::Game)
    }

    /// Whether a wish is still one afterwards: whoever offers a draw may move before it is answered.
    fn outlives(&self, wish: Wish, act: &Act) -> bool {
        let mover = self.shown().view.as_ref().and_then(|view| view["to_move"].as_u64());
        let moves = |seat: usize| mover.is_some_and(|mover| usize::try_from(mover) == Ok(seat));
        matches!(wish, Wish::Draw(seat) if moves(seat)) && matches!(act, Act::Play { .. })
    }

    /// Takes off the time that whoever was to move has used; after a ply it is said who moves next.
    fn charge(&self, after: &mut Saved, next: Option<Option<u64>>) {
        let shown = self.shown();
        let Some(running) = shown.running else { return };
        let stays = |next: Option<u64>| next.is_some_and(|next| usize::try_from(next) == Ok(running.seat));
        let turn = || u32::try_from(shown.view.as_ref()?["position"]["turn"].as_u64()?).ok();
        if let Some(clock) = after.clock.as_mut() {
            clock.charge(running, next.filter(|next| !stays(*next)).and_then(|_| turn()));
        }
    }

    /// How long whoever is to move has, and who that is.
    fn time_left(&self) -> Option<(Duration, usize)> {
        let shown = self.shown();
        let running = shown.running.filter(|_| !self.has_ended())?;
        Some((shown.clock.as_ref()?.until_late(running), running.seat))
    }

    /// What happens to whoever has no time left.
    fn late(&self) -> Option<Act> {
        let (_, seat) = self.time_left().filter(|(left, _)| left.is_zero())?;
        Some(Act::End { ended: Ended::Late(seat) })
    }

    /// Ends the game when the time of whoever is to move is over.
    fn watch_clock(self: &Arc<Self>, house: &Arc<House>) {
        if self.time_left().is_none() || self.timed.swap(true, Ordering::SeqCst) {
            return;
        }
        let (session, house) = (Arc::clone(self), Arc::clone(house));
        tokio::spawn(async move {
            let mut changes = session.changes();
            while let Some((left, seat)) = session.time_left() {
                tokio::select! {
                    _ = changes.changed() => {}
                    () = tokio::time::sleep(left) => {
                        let late = Act::End { ended: Ended::Late(seat) };
                        let saved = session.saved.lock().await;
                        // Somebody may have moved at the last moment.
                        let over = session.late().is_some();
                        if over && session.change_locked(&house, saved, None, (late, None)).await.is_err() {
                            break;
                        }
                    }
                }
            }
            session.timed.store(false, Ordering::SeqCst);
        });
    }

    /// Changes what is kept beside the moves: who sits where, what people are called, the game after this one.
    pub async fn note(&self, house: &House, change: impl FnOnce(&mut Saved)) -> Result<(), ApiError> {
        let mut saved = self.saved.lock().await;
        let mut after = Saved { version: saved.version + 1, ..saved.clone() };
        change(&mut after);
        let view = self.ask(house, &after, (Act::View, None), None).await?;
        self.charge(&mut after, None);
        self.write_down(house, &after).await?;
        *saved = after;
        self.show(&saved, view);
        Ok(())
    }

    /// Gives seats to others.
    pub async fn sit(&self, house: &House, seats: Vec<String>, own: Option<usize>) -> Result<(), ApiError> {
        let before = self.saved().await.seats;
        if seats.len() != before.len() {
            let message = format!("the game has {} seats, but {} are named", before.len(), seats.len());
            return Err(ApiError::bad_request(message));
        }
        // Whoever takes the seat of somebody else would see what is hidden.
        let others =
            seats.iter().zip(&before).enumerate().any(|(seat, (now, before))| now != before && own != Some(seat));
        if others && self.hides(house).await? {
            let message = "in a game that hides something only the person at a seat gives it to somebody else";
            return Err(
                ApiError::new(StatusCode::FORBIDDEN, "not_yours", message).help("begin a new game with other seats")
            );
        }
        self.stop.notify_waiters();
        self.note(house, |saved| saved.seats = seats).await
    }

    /// Whoever thinks plays the best so far.
    pub fn hurry(&self) {
        self.stop.notify_waiters();
    }

    /// The game is thrown away.
    pub fn end(&self) {
        self.ended.store(true, Ordering::SeqCst);
        self.hurry();
        self.changes.send_replace(());
    }

    /// Tries again after a trouble.
    pub fn retry(&self) {
        self.shown().trouble = None;
        self.changes.send_replace(());
    }

    /// What a page is told beside the game itself.
    pub fn status(&self) -> Value {
        let shown = self.shown();
        let mut present: Vec<usize> = shown.present.iter().flatten().copied().collect();
        present.sort_unstable();
        present.dedup();
        json!({
            "version": shown.version,
            "thinking": shown.thinking,
            "trouble": shown.trouble,
            "present": present,
            "request": shown.request,
            "changed": shown.changed,
            "clock": Self::clock(&shown),
        })
    }

    /// The time that everybody has now.
    fn clock(shown: &Shown) -> Option<Value> {
        let seats = shown.view.as_ref().and_then(|view| view["seats"].as_array()).map_or(0, Vec::len);
        shown.clock.as_ref().map(|clock| clock.tell(seats, shown.running))
    }

    /// Whether a program is to move, and is to do it now; and whether a person plays along.
    fn program_is_to_move(&self) -> Option<bool> {
        let shown = self.shown();
        let view = shown.view.as_ref().filter(|_| shown.trouble.is_none())?;
        view["decider"].as_str().filter(|decider| *decider != PERSON)?;
        let with_people = view["seats"].as_array().is_some_and(|seats| seats.iter().any(|seat| seat == PERSON));
        (with_people || shown.seen.elapsed() < WATCHED).then_some(with_people)
    }

    /// Lets the programs play as long as one of them is to move.
    pub fn drive(self: &Arc<Self>, house: &Arc<House>) {
        self.watch_clock(house);
        if self.program_is_to_move().is_none() || self.driven.swap(true, Ordering::SeqCst) {
            return;
        }
        let (session, house) = (Arc::clone(self), Arc::clone(house));
        tokio::spawn(async move {
            while let Some(with_people) = session.program_is_to_move() {
                let begun = Instant::now();
                let played = session.let_think(&house).await;
                if let Err(error) = played {
                    session.shown().trouble = Some(error.message().to_owned());
                }
                session.think_aloud(None);
                if !with_people {
                    tokio::time::sleep(PACE.saturating_sub(begun.elapsed())).await;
                }
            }
            session.driven.store(false, Ordering::SeqCst);
            // It may have become a program's turn in between.
            session.drive(&house);
        });
    }

    /// One move of a program. What it found is dropped if the game has changed meanwhile.
    async fn let_think(&self, house: &House) -> Result<(), ApiError> {
        let saved = self.saved().await;
        self.think_aloud(Some(Progress::unknown(0.0)));
        let progress = |now: Progress| self.think_aloud(Some(now));
        let watch = Watch { stop: &self.stop, progress: &progress };
        let thought = self.ask(house, &saved, (Act::Think, None), Some(watch)).await;
        let now = self.saved.lock().await;
        if now.version != saved.version {
            return Ok(());
        }
        let index = thought?["index"].as_u64().and_then(|index| usize::try_from(index).ok());
        let play = Act::Play { index, text: None, picked: None, thought: true };
        self.change_locked(house, now, None, (play, None)).await?;
        Ok(())
    }
}

/// What an act has led to.
enum Changed {
    Game,
    /// It is told what was asked, and all else is as before.
    Nothing(Value),
}

/// Whether the game of a view hides something from its players.
fn hides(view: &Value) -> bool {
    view["hides"] == true
}

/// Whose time runs in a game as its view shows it: a person's, once somebody has moved.
fn whose_time(view: &Value) -> Option<usize> {
    let runs = view["decider"] == PERSON && view["over"] == false && view["now"] != 0;
    usize::try_from(view["to_move"].as_u64().filter(|_| runs)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_move_takes_no_time_and_programs_need_none() {
        let view = |now: u64, decider: &str| json!({ "now": now, "decider": decider, "over": false, "to_move": 1 });
        assert_eq!(whose_time(&view(0, "human")), None);
        assert_eq!(whose_time(&view(1, "medium")), None);
        assert_eq!(whose_time(&view(1, "human")), Some(1));
    }
}
