//! The author of rule files made at random from pieces of the language.

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;

/// Chooses pieces of text; with stacks, or without; for the board of the game.
pub(super) struct Author(pub Xoshiro256PlusPlus, pub bool, pub String);

impl Author {
    pub(super) fn below(&mut self, count: usize) -> usize {
        self.0.random_range(0..count as u64) as usize
    }

    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(super) fn one<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }

    fn board(&mut self) -> String {
        match self.below(9) {
            8 => "square(3) with cells, edges, vertices".to_owned(),
            0 => format!("hexagon({})", 3 + self.below(2)),
            1 => format!("hexagon({0}, {1})", 2 + self.below(2), 3 + self.below(2)),
            2 => format!("square({}) adjacent orthogonal", 4 + self.below(3)),
            3 => format!("square({}) adjacent all", 4 + self.below(3)),
            4 => format!("rectangle({}, {}) adjacent all", 3 + self.below(4), 3 + self.below(4)),
            5 => format!("rhombus({})", 4 + self.below(2)),
            6 => format!("square({}) adjacent diagonal", 4 + self.below(2)),
            _ => "drawn hex {\n    o o o o\n   o o * o o\n    o o o o\n   o * o o o\n    o o o o\n}".to_owned(),
        }
    }

    /// A set of sites; `x` is a site that is already known.
    fn sites(&mut self, x: Option<&str>, depth: usize) -> String {
        let plain = [
            "empty",
            "own piece",
            "enemy piece",
            "piece",
            "neutral piece",
            "edge",
            "corner",
            "stone",
            "own king",
            "site",
            "roomy",
            "inner",
        ];
        let Some(x) = x else { return self.one(&plain).to_owned() };
        if depth == 0 {
            return self.one(&plain).to_owned();
        }
        if self.chance(20) {
            return self.odd_sites(x);
        }
        let inner = self.sites(Some(x), depth - 1);
        match self.below(14) {
            11 => format!("groups({inner})"),
            12 => format!("one_of({inner})"),
            13 => format!("({inner} listed_after({x}))"),
            0 => format!("({inner} next_to {x})"),
            1 => format!("run({x}, directions, {inner})"),
            2 => format!("beyond({x}, directions, {inner})"),
            3 => format!("group({x})"),
            4 => format!("connected({x}, {inner})"),
            5 => format!("(next_to {inner})"),
            6 => format!("({inner} but {})", self.sites(Some(x), depth - 1)),
            7 => format!("({inner} or {})", self.sites(Some(x), depth - 1)),
            8 => format!("in_sight {x}"),
            9 => format!("open_from({x})"),
            _ => self.one(&plain).to_owned(),
        }
    }

    /// Sets that hardly any game asks for.
    fn odd_sites(&mut self, x: &str) -> String {
        let set = self.one(&[
            "centre",
            "interior",
            "column(2)",
            "row(tally)",
            "(not own)",
            "(not piece)",
            "ahead_all({x}, directions, 2)",
            "between({x}, the (corner and edge))",
            "between({x}, the centre)",
            "alike({x})",
            "{ y in next_to {x} with y in piece }",
            "{ y in site with mark(y) > 0 }",
            "{ ahead(y, E) for y in next_to {x} }",
            "(stone or king) of next",
            "kinds(king, stone) of mover",
            "of owner({x})",
            "of previous",
            "of other(mover)",
            "ahead({x}, facing(mover))",
            "ahead({x}, opposite(E))",
            "ahead({x}, direction({x}, the centre))",
            "ahead({x}, diagonal)",
            "ahead({x}, sides)",
            "behind({x}, the centre)",
            "enclosed(own)",
            "nearest(own, {x})",
            "{ ahead(y, d) for y in next_to {x} for d in directions with any piece ahead(y, d) }",
            "aim",
            "it",
            "(put.cell this turn)",
            "(go.to last turn)",
            "(if mover is A then edge else corner)",
            "(case mood { calm: edge, angry: corner })",
            "custodial({x}, enemy, own)",
        ]);
        let of_board = if self.2.contains("with") {
            Some(self.one(&["cells", "edges", "vertices", "(edges and empty)"]))
        } else if self.2.starts_with("square") || self.2.starts_with("rectangle") {
            Some("dark")
        } else {
            None
        };
        of_board.filter(|_| self.chance(40)).unwrap_or(set).replace("{x}", x)
    }

    fn odd_number(&mut self, x: &str) -> String {
        let number = self.one(&[
            "row_number({x})",
            "column_number({x})",
            "max(tally, 2)",
            "min(tally, 2)",
            "abs(tally - 3)",
            "ply",
            "- tally",
            "(tally div 2)",
            "(tally * 2 mod 3)",
            "sum { row_number(y) for y in next_to {x} }",
            "most { row_number(y) for y in next_to {x} }",
            "count players",
            "sum { distance(y, z) for y in own next_to {x} for z in enemy next_to y }",
            "least { row_number(z) for y in next_to {x} with y in piece for z in next_to y with z in empty }",
            "count { p in players with any of p }",
            "distance({x}, the centre)",
            "turns without put",
            "count(it)",
            "sum { n for n in 1 .. tally }",
            "least { n for n in tally .. 9 }",
        ]);
        number.replace("{x}", x)
    }

    fn odd_condition(&mut self, x: &str) -> String {
        let condition = self.one(&[
            "tally in 1 .. 3",
            "turn in 1 .. (tally + 4)",
            "some n in 1 .. tally with n > 3",
            "mover is A",
            "owner({x}) is mover",
            "kind({x}) is king",
            "kind({x}) is not kind(the centre)",
            "every own is in edge",
            "some put this turn",
            "some put last turn",
            "some go so far",
            "some put with cell in edge this turn",
            "last to put is mover",
            "turns without go > 1",
            "mood is calm",
            "mood is not angry",
            "aim is {x}",
            "{x} is not aim",
            "touches(own, enemy)",
            "line(2, own, directions)",
            "some y in own with y in edge",
            "no y in next_to {x} with y in own",
        ]);
        condition.replace("{x}", x)
    }

    /// A line that changes what is remembered, or says something in an unusual way.
    fn odd_change(&mut self, x: &str) -> String {
        let line = self.one(&[
            "tally becomes 2",
            "mark({x}) becomes 1",
            "mark({x}) becomes turn when count own > 2",
            "mark(own) becomes 1 when kind({x}) is stone",
            "whose becomes next",
            "best becomes kind({x})",
            "(empty next_to {x}) becomes stone of owner({x}) when turn < 30",
            "held(mover, king) becomes 2",
            "mood becomes angry when tally > 1",
            "mood becomes calm when mood is angry",
            "aim becomes {x}",
            "every y in (enemy next_to {x}): y becomes empty",
            "every y in (piece next_to {x}): mark(y) becomes 2 when mark(y) < 2",
            "then\n  repeat at most 3 while tally < 5 { tally becomes tally + 1 }",
            "then\n  repeat at most 2 { next_to {x} becomes empty }",
            "then\n  piece next_to {x} becomes king of other(mover)",
            "then\n  (enemy next_to {x}) becomes piece_on({x})",
        ]);
        line.replace("{x}", x)
    }

    pub(super) fn number(&mut self, x: Option<&str>) -> String {
        if let (Some(x), true) = (x, self.chance(15)) {
            return self.odd_number(x);
        }
        if let (Some(x), true, true) = (x, self.1, self.chance(40)) {
            let n = self.one(&["1", "2", "3", "-1", "-2", "tally"]);
            return match self.below(6) {
                0 | 1 => format!("height({x})"),
                2 => format!("owned_in({x}, mover)"),
                3 => format!("kinds_in({x}, king or rock)"),
                4 => format!("(if owner_at({x}, {n}) is mover then 2 else 1)"),
                _ => format!("(if kind_at({x}, {n}) is king then 2 else 1)"),
            };
        }
        if self.chance(15) {
            let (of, site) = (self.one(&["mover", "next", "A"]), x.unwrap_or("the corner"));
            return match self.below(4) {
                0 => format!("held({of}, stone)"),
                1 => format!("held(owner({site}), king)"),
                2 => format!("held({of}, kind({site}))"),
                _ => format!("rest(kind({site}))"),
            };
        }
        match self.below(9) {
            0 => self.below(4).to_string(),
            6 | 7 => match x {
                Some(x) => {
                    let word = self.one(&["up", "off", "wide", "steep"]);
                    if self.chance(20) { format!("{word}(ahead({x}, E))") } else { format!("{word}({x})") }
                }
                None => "tally".to_owned(),
            },
            1 => match x {
                Some(x) => format!("count {{ d in directions with first({x}, d) in {} }}", self.sites(None, 0)),
                None => "turn".to_owned(),
            },
            _ => format!("count({})", self.sites(x, 2)),
        }
    }

    pub(super) fn condition(&mut self, x: Option<&str>, depth: usize) -> String {
        if depth > 0 && self.chance(30) {
            let (a, b) = (self.condition(x, depth - 1), self.condition(x, depth - 1));
            return match self.below(3) {
                0 => format!("({a} and {b})"),
                1 => format!("({a} or {b})"),
                _ => format!("not ({a})"),
            };
        }
        if let (Some(x), true) = (x, self.chance(15)) {
            return self.odd_condition(x);
        }
        match (self.below(7), x) {
            (0, Some(x)) => format!("{x} in {}", self.sites(Some(x), 2)),
            (1, Some(x)) => format!("{x} not in {}", self.sites(Some(x), 1)),
            (2, x) => format!("any {}", self.sites(x, 2)),
            (3, x) => format!("no {}", self.sites(x, 2)),
            (5, x) => format!("every {} is {}", self.sites(x, 1), self.one(&["busy", "lined", "own", "in edge"])),
            (4, Some(x)) => format!(
                "[{}, {}] > [{}, {}]",
                self.number(Some(x)),
                self.number(Some(x)),
                self.number(Some(x)),
                self.number(None)
            ),
            (_, x) => {
                let sign = self.one(&["=", ">", "<", ">=", "<=", "!="]);
                format!("{} {sign} {}", self.number(x), self.number(x))
            }
        }
    }

    pub(super) fn piece(&mut self) -> &'static str {
        self.one(&["stone of mover", "king of mover", "rock", "stone of next", "stone of whose", "best of mover"])
    }

    /// Lines that make a drop.
    fn drop(&mut self, name: &str) -> String {
        let mut lines = vec!["  cell : empty".to_owned()];
        if self.chance(60) {
            lines[0] = format!("  cell : empty, {}", self.condition(Some("cell"), 1));
        }
        if self.chance(25) {
            lines.push(format!("  near = {}", self.sites(Some("cell"), 2)));
            lines.push("  if count near < 4".to_owned());
        }
        lines.push(format!("  cell becomes {}", self.piece()));
        if self.chance(20) {
            lines.push("  tally becomes tally + 1".to_owned());
        }
        if self.chance(25) {
            lines.push(format!("  {}", self.odd_change("cell")));
        }
        if self.chance(45) {
            lines.push("  then".to_owned());
            match self.below(3) {
                0 => lines.push(format!("  taken = {}", self.sites(Some("cell"), 2))),
                1 => lines.push("  d : directions, first(cell, d) in piece".to_owned()),
                _ => lines.push(format!(
                    "  other : {}, {}",
                    self.sites(Some("cell"), 1),
                    self.condition(Some("cell"), 1)
                )),
            }
            match lines.last().unwrap() {
                line if line.contains("taken") => lines.push("  (taken and piece but cell) becomes empty".to_owned()),
                line if line.contains("d :") => lines.push("  first(cell, d) becomes empty".to_owned()),
                _ => lines.push("  other becomes empty".to_owned()),
            }
        }
        if self.chance(35) {
            lines.push(format!("  so that {}", self.condition(Some("cell"), 1)));
        }
        if self.chance(12) {
            lines.push(format!(
                "  so that {}possible {}",
                self.one(&["", "not "]),
                self.one(&["go", "leap", "(go or leap)"])
            ));
        }
        let notation = match lines
            .iter()
            .find_map(|line| ["  d :", "  other :"].into_iter().find(|part| line.starts_with(part)))
        {
            Some("  d :") => "{cell}{d}",
            Some(_) => "{cell}/{other}",
            None => "{cell}",
        };
        format!("move {name} \"{notation}\" \"a drop\" {{\n{}\n}}\n", lines.join("\n"))
    }

    /// Changes that may meet or not: sets with others taken out, guards, and changes made again and again.
    fn change(&mut self, x: &str) -> String {
        let (set, other) = (self.sites(Some(x), 1), self.sites(Some(x), 0));
        let (one, two) = (self.piece(), self.one(&["stone of mover", "king of mover", "rock", "empty"]));
        let guard = self.condition(Some(x), 0);
        // Stacks that change within `repeat` are left to the reference.
        match self.below(if self.1 { 8 } else { 12 }) {
            0 => format!("  ({set} but {other}) becomes {two}\n  {x} becomes {one}"),
            1 => format!("  ({set} but {x}) becomes {two}\n  {x} becomes {one}"),
            2 => format!("  {x} becomes {one} when any ({set})\n  {x} becomes {two} when no ({set})"),
            3 => format!("  {x} becomes {one} when {guard}\n  ({set}) becomes {two} when not ({guard})"),
            4 => {
                format!("  {x} becomes {one} when tally < 2\n  ({other}) becomes {two} when tally > {}", self.below(3))
            }
            5 => {
                let mark = self.below(3);
                format!("  every y in {set}: y becomes piece_on(ahead(y, E))\n  mark({x}) becomes {mark}")
            }
            6 => format!("  {x} becomes {one}\n  held(mover, kind({x})) becomes tally - 1 when any ({set})"),
            7 => {
                format!("  {x} becomes {one}\n  held(next, stone) becomes rest(king) + 1\n  rest(kind({x})) becomes 1")
            }
            8 => {
                format!("  {x} becomes {one}\n  then\n  repeat at most 2 while any ({set}) {{ ({set}) becomes {two} }}")
            }
            9 => format!("  repeat at most tally {{ ({other}) becomes {two} }}\n  {x} becomes {one}"),
            // What is asked before the lines of a change that another of them changes.
            10 => format!(
                "  {x} becomes {one}\n  then\n  repeat at most 2 {{ do shake(({set}), {two}) when {guard}; tally becomes tally - 1 when tally > 2 }}"
            ),
            _ => format!(
                "  {x} becomes {one}\n  then\n  repeat at most 2 {{ every y in {set}: do shake(y or {other}, {two}) when y in ({other}) or {guard} }}"
            ),
        }
    }

    /// Lines of one stage that may change the same tracked value, each in a case of its own.
    fn rivals(&mut self, sites: &[&str]) -> String {
        let (one, other) = (self.one(sites), self.one(sites));
        let near = format!("mark({})", self.sites(Some(one), 0));
        let target = match self.below(5) {
            0 => "tally".to_owned(),
            1 => format!("mark({one})"),
            2 => near,
            3 => "mood".to_owned(),
            _ => "aim".to_owned(),
        };
        let count = 2 + self.below(2);
        let lines = (0..count).map(|line| {
            let value = match target.as_str() {
                "tally" => self.one(&["2", "tally + 1", "count own", "7"]),
                "mood" => self.one(&["calm", "angry"]),
                "aim" => self.one(sites),
                _ => self.one(&["0", "1", "2", "min(turn, 2)"]),
            };
            let target =
                if target.contains(one) && self.chance(30) { target.replace(one, other) } else { target.clone() };
            let guard = if line > 0 || self.chance(80) {
                let about = self.one(sites);
                format!(" when {}", self.condition(Some(about), 0))
            } else {
                String::new()
            };
            format!("  {target} becomes {value}{guard}")
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Several sites picked as one part.
    fn couple(&mut self) -> String {
        let many = self.one(&["2", "2", "2", "3", "1"]);
        let set = self.sites(None, 0);
        let condition = match self.below(5) {
            0 => String::new(),
            1 => format!(", {} both next_to both", self.one(&["any", "no"])),
            2 => format!(", {}", self.sites(None, 0)),
            3 => ", count groups(both) = 1".to_owned(),
            _ => format!(", {}", self.condition(Some("both"), 1)),
        };
        let change = match self.below(4) {
            0 => "every x in both: x -> both but x".to_owned(),
            1 => format!("every x in both: do shake(x, {})", self.piece()),
            2 => format!("do shake(both, {}) when any (both and empty)", self.piece()),
            _ => format!("both becomes {}", self.piece()),
        };
        let part = if self.chance(30) { "\n  to : empty next_to both" } else { "" };
        let to = if part.is_empty() { "" } else { "/{to}" };
        format!(
            "move couple \"{{both}}{to}\" \"several\" {{\n  both : {many} of {set}{condition}{part}\n  {change}\n}}\n"
        )
    }

    /// A part of a stack, or all of it.
    fn slice(&mut self) -> &'static str {
        self.one(&[
            "",
            "",
            "top of ",
            "top 2 of ",
            "bottom of ",
            "bottom 2 of ",
            "top tally of ",
            "bottom (tally - 1) of ",
        ])
    }

    /// Changes of stacks, near a site.
    fn pile(&mut self, x: &str) -> String {
        let (set, slice) = (self.sites(Some(x), 1), self.slice());
        let (one, two) = (self.piece(), self.one(&["stone of mover", "king of mover", "rock", "empty"]));
        let to = self.one(&["ahead({x}, E)", "the (corner side(N))", "{x}", "ahead({x}, W)"]).replace("{x}", x);
        let place = self.one(&["", "on ", "under "]);
        match self.below(8) {
            7 => format!("  ({set}) gets piece_at({x}, {})", self.one(&["1", "2", "-1"])),
            0 => format!("  {x} gets {one}"),
            1 => format!("  {x} gets {two}, {one} as bottom"),
            2 => format!("  ({set}) gets {one}"),
            3 => format!("  ({set}) gets piece_on({x}) as bottom when height({x}) > 1"),
            4 if !slice.is_empty() => format!("  {slice}{x} becomes {two}"),
            5 if !slice.is_empty() => format!("  {slice}({set}) becomes {two}"),
            _ => {
                let turned = if self.chance(25) { format!(" as {two}") } else { String::new() };
                format!("  {slice}{x} -> {place}{to}{turned}")
            }
        }
    }

    /// A move that piles up, and perhaps takes down again.
    fn piling(&mut self) -> String {
        let mut lines =
            vec![format!("  cell : {}", self.one(&["own piece", "own piece", "site", "enemy piece", "piece"]))];
        if self.chance(50) {
            lines.push("  to : piece next_to cell\n  cell -> on to".to_owned());
        } else {
            lines.push(self.pile("cell"));
        }
        while self.chance(40) {
            lines.push(format!("  then\n{}", self.pile("cell")));
        }
        if self.chance(25) {
            lines.push(format!("  so that {}", self.condition(Some("cell"), 0)));
        }
        let to = if lines.iter().any(|line| line.contains("  to :")) { "-{to}" } else { "" };
        format!("move piling \"{{cell}}{to}\" \"stacks\" {{\n{}\n}}\n", lines.join("\n"))
    }

    /// A move of several changes.
    fn turmoil(&mut self) -> String {
        let mut lines = vec![format!("  cell : {}", self.one(&["empty", "own piece", "enemy piece", "site"]))];
        lines.push(self.change("cell"));
        if self.chance(20) {
            lines.push(self.rivals(&["cell", "aim"]));
        }
        if self.chance(30) {
            lines.push(format!("  then\n{}", self.change("cell")));
        }
        if self.chance(25) {
            lines.push(format!("  so that {}", self.condition(Some("cell"), 0)));
        }
        format!("move turmoil \"{{cell}}\" \"changes\" {{\n{}\n}}\n", lines.join("\n"))
    }

    /// A move of which a direction, or the number of one, is not printed.
    fn leap(&mut self) -> String {
        let (steps, set) = (self.number(Some("from")), self.sites(None, 0));
        let way = self.one(&[
            "d : directions",
            "d : orthogonal",
            "i : 0 .. 3\n  d = turned(E, i)",
            "i : 0 .. 7\n  d = turned(NE, i mod 3)",
        ]);
        let to = match self.below(3) {
            0 => format!("first(from, d) {set}"),
            1 => format!("ahead(from, d) {set}"),
            _ => format!("ahead(from, d, {steps}) {set}"),
        };
        let asked = if self.chance(80) { "\n  if any to" } else { "" };
        format!(
            "move leap \"{{from}}-{{to}}\" \"a leap\" {{\n  from : own piece\n  {way}\n  to = {to}{asked}\n  to becomes {}\n}}\n",
            self.piece()
        )
    }

    /// A move that prints what is worked out from parts that are not printed, or that may be left out.
    fn veil(&mut self) -> String {
        let part = self.one(&[
            "n : 1 .. 2",
            "n : 0 .. tally",
            "n : 1 .. 2 when from in edge",
            "n : 1 .. 3 when any own king",
            "d : directions\n  n : 1 .. 2",
            "d : directions when from in edge\n  n : 1 .. 2 when mood is calm",
            "y : next_to from\n  n = up(y)",
            "y : piece next_to from when tally > 0\n  n = count(next_to y)",
        ]);
        let near = if part.contains("d :") {
            self.one(&["ahead(from, d)", "ahead(from, d, n)", "first(from, d)", "row_through(from, d)"])
        } else if part.contains("y :") {
            self.one(&["y", "(next_to y)", "behind(from, y)", "between(from, y)", "group(y)"])
        } else {
            self.one(&["ahead(from, E, n)", "row(n)", "ahead(from, directions, n)", "ahead_all(from, sides, n)"])
        };
        let other = self.sites(Some("from"), 1);
        let seen = match self.below(6) {
            0 => near.to_owned(),
            1 => format!("{near} and {other}"),
            2 => format!("(if n > 1 then {near} else {other})"),
            3 => format!("{other} next_to {near}"),
            4 => format!("one_of({near} but {other})"),
            _ => format!("{{ z in {near} with z in {other} or count({other}) = n }}"),
        };
        let asked = self.one(&["", "\n  if any seen", "\n  if seen not in own"]);
        let change = match self.below(4) {
            0 => format!("seen becomes {}", self.piece()),
            1 => "every z in seen: mark(z) becomes n".to_owned(),
            2 => "tally becomes tally + n".to_owned(),
            _ => format!("(piece and seen) becomes {} when n > 1", self.piece()),
        };
        let then = if self.chance(30) { format!("\n  then\n{}", self.change("from")) } else { String::new() };
        let printed = self.one(&["{from}:{seen}", "{from}:{seen}", "{seen}", "{from}:{seen}[+ when n > 1]", "{from}"]);
        format!(
            "move veil \"{printed}\" \"hidden\" {{\n  from : own piece\n  {part}\n  seen = {seen}{asked}\n  {change}{then}\n}}\n"
        )
    }

    /// Lines that move a piece.
    fn walk(&mut self, name: &str) -> String {
        let mut lines = vec![format!("  from : own {}", self.one(&["piece", "stone", "king"]))];
        if self.chance(30) {
            lines[0] += &format!(", {}", self.condition(Some("from"), 1));
        }
        let mut target = match self.below(5) {
            0 => "empty next_to from".to_owned(),
            1 => "open_from from".to_owned(),
            2 => "(site next_to from) but own".to_owned(),
            3 => "empty ahead(piece next_to from, directions)".to_owned(),
            _ => format!("{} but own piece", self.sites(Some("from"), 2)),
        };
        if self.chance(40) {
            target += &format!(", {}", self.condition(Some("to"), 1));
        }
        lines.push(format!("  to : {target}"));
        if self.chance(10) {
            lines.push("  low = 1 when tally > 3".to_owned());
        }
        let turned = if self.chance(15) { " as king of mover" } else { "" };
        lines.push(format!("  from -> to{turned}"));
        if self.chance(20) {
            lines.push(self.rivals(&["from", "to"]));
        }
        if self.chance(40) {
            let (a, b) = (self.number(Some("to")), self.number(Some("from")));
            lines.push(format!("  so that {a} >= before {b}"));
        }
        format!("move {name} \"{{from}}-{{to}}\" \"a walk\" {{\n{}\n}}\n", lines.join("\n"))
    }

    /// Chance puts something down.
    fn scatter(&mut self) -> String {
        let weight = self.number(Some("cell"));
        let condition = self.condition(Some("cell"), 1);
        let piece = self.piece();
        format!(
            "chance move scatter \"{{cell}}*\" \"by chance\" {{\n  cell : empty, {condition}\n  weight {weight}\n  cell becomes {piece}\n}}\n"
        )
    }

    fn turn(&mut self) -> String {
        let piling = self.one(&[
            "piling or put else pass",
            "put else piling else pass",
            "piling or go or put else pass",
            "(put, maybe piling) else pass",
        ]);
        let pattern = self.one(&[
            "put or go else pass",
            "go else put else pass",
            "(put, maybe go) else go else pass",
            "put else pass",
            "go or put else pass",
            "(go, (put or skip)) else put else pass",
            "chain go else put else pass",
            "other_put or put or go else pass",
            "(put, (trade or put or skip)) else pass",
            "(trade, put) or go or put else pass",
            "(maybe trade, maybe put, put) else pass",
            "roll, (put else go else pass)",
            "(put, (roll else skip), (go else skip)) else roll else pass",
            "scatter else roll",
            "(roll, (scatter else nothing)) else pass",
            "(put when tally > 3 else scatter, (go else pass)) else pass",
            "turmoil or put else pass",
            "turmoil or leap or put else pass",
            "couple or put else pass",
            "couple or go else put else pass",
            "(couple, (couple or skip)) else put else pass",
            "leap or go else put else pass",
            "veil or put else pass",
            "(veil, put) else veil else put else pass",
            "(chain go until to in edge, stop) else put else pass",
            "(again put until tally > 2, stop) else pass",
            "(again go, stop) else put else pass",
        ]);
        let pattern = if self.1 && self.chance(80) { piling } else { pattern };
        let leaving = self.one(&[
            "put or quit",
            "go else put else quit",
            "(put, (quit or home or skip)) else home",
            "home or put",
        ]);
        let pattern = if self.chance(15) { leaving } else { pattern };
        let pushing =
            self.one(&["shove or put else pass", "(shove, (put or skip)) else put else pass", "shove else put"]);
        let pattern = if self.chance(12) { pushing } else { pattern };
        let mut duty = if self.chance(25) { "\n  must put with cell in edge" } else { "" };
        if self.chance(12) {
            duty = self.one(&[
                "\n  must most count own",
                "\n  must most tally",
                "\n  extra turn when tally > 3",
                "\n  extra turn when mark(the centre) > 0",
                "\n  next turn to previous",
                "\n  next turn to owner(the corner) when tally > 0\n  next turn to mover when any own king",
                "\n  extra turn when any own king\n  next turn to { p in playing with count(of p) > 2 }",
                "\n  must go when tally > 2",
                "\n  such that any own",
            ]);
        }
        let whole = if self.chance(8) { "whole " } else { "" };
        let first = if self.chance(10) { "turn 1 { put else pass }\n" } else { "" };
        format!("{first}{whole}turn {{\n  {pattern}{duty}\n}}\n")
    }

    fn end(&mut self) -> String {
        let mut lines = Vec::new();
        if self.chance(50) {
            lines.push(format!("  {} wins when {}", self.one(&["mover", "next"]), self.condition(None, 1)));
        }
        if self.chance(40) {
            lines.push("  mover wins when line(3, own stone, N or E or SE or NE)".to_owned());
        }
        if self.chance(40) {
            lines.push("  mover wins when connects(own, side(N), side(S))".to_owned());
        }
        if self.chance(30) {
            lines.push("  draw when position seen 2".to_owned());
        }
        if self.chance(30) {
            lines.push(format!(
                "  {}",
                self.one(&[
                    "any player wins when line(3, own, directions)",
                    "any player loses when no own and turn > 6",
                    "mover loses when turns without put = 9",
                    "any p wins when count(of p) > 5",
                    "best score when count playing = 2",
                    "mover loses when unfinished",
                    "next loses when stuck",
                    "A wins when turn > 30",
                    "ranks by count own when turn > 35",
                    "draw when board seen 3",
                    "mover loses when not possible (go or put) and turn > 20",
                ])
            ));
        }
        lines.push(format!("  {} when no empty", self.one(&["best score", "draw", "lowest score"])));
        lines.push("  draw when turn > 40".to_owned());
        format!("end {{\n{}\n}}\n", lines.join("\n"))
    }

    /// Who leaves after a ply, and what becomes of his pieces.
    fn fate(&mut self) -> String {
        let when = self.one(&["no of p and turn > 3", "count(of p) > 3", "p is not mover and tally > 3", "turn > 9"]);
        let goes = self.one(&["leaves", "leaves", "finishes"]);
        if self.chance(30) {
            return format!("after each ply {{ {{ p in playing with {when} }} {goes} }}\n");
        }
        let gone = self.one(&["rock", "empty", "king of mover"]);
        format!(
            "after each ply {{\n  every p in playing: p {goes} when {when}\n  every p in players but playing: of p becomes {gone}\n}}\n"
        )
    }

    /// What is done after each turn.
    fn aftermath(&mut self) -> String {
        let (set, piece) = (self.sites(None, 0), self.one(&["stone of mover", "rock", "empty"]));
        let more = self.one(&[
            "tally becomes tally + 1",
            "tally becomes tally - 2",
            "every x in own stone: mark(x) becomes mark(x) + 1",
            "mood becomes angry when turn mod 3 = 0",
            "next leaves when turn = 12",
            "stone next_to own king becomes king of mover",
        ]);
        format!("after each turn {{\n  do shake({set}, {piece})\n  {more}\n}}\n")
    }

    pub fn game(&mut self) -> String {
        let players = self.one(&["A, B", "A, B", "A, B, C", "A, B, C, D"]);
        self.2 = self.board();
        let looks_east = ["hexagon", "orthogonal", "all"].iter().any(|kind| self.2.contains(kind));
        let players =
            if looks_east { players.replacen("A, B", "A facing E, B facing W", 1) } else { players.to_owned() };
        let mut text = format!("game \"Made\"\nplayers {players}\nboard {}\n", self.2);
        if self.chance(15) {
            let order = ["A then B, A, A, B", "A, B, B, A", "B, A then A, B", "A, A then B, A", "A then B"];
            let order = self.one(&order).to_owned();
            // Everybody has a place in the round.
            let others = ["C", "D"].into_iter().filter(|name| players.contains(*name)).map(|name| format!(", {name}"));
            text += &format!("order {order}{}\n", others.collect::<String>());
        }
        text += "piece stone, king of each player\npiece rock \"x\" neutral\n";
        if self.1 {
            text += &format!("stacks to {}\n", 2 + self.below(6));
        }
        text += "word busy(x) \"two pieces beside it\" = count(piece next_to x) > 1\n";
        text += "word lined(x) \"in a row of two\" = some d in directions with count row_through(x, d) = 2\n";
        text += "word up(x: site) = least { n for n in 1 .. 4 with x in row(n) }\n";
        text += "word off(x: site) = least { distance(x, c) for c in corner }\n";
        text += "word wide(x: site) = count(next_to x) + (if x in edge then up(x) else 0)\n";
        text += "word steep(x: site) = if mover is A then up(x) else 5 - up(x)\n";
        text += "word roomy(x) = count(next_to x) > 4\n";
        text += "word inner(x) = no y in next_to x with (count(next_to y) < 4)\n";
        text += "track tally : 0..1000 = 0\ntrack mark(site) : 0..2 = 0\n";
        text += "track mood : calm, angry = calm\ntrack aim : site\ntrack whose : player = B\ntrack best : kind\n";
        text += "track held(player, kind) : 0..3 = 1\ntrack rest(kind) : 0..3 = 2\n";
        if self.chance(50) {
            text += "start { corner becomes stone of A; best becomes king }\n";
        }
        for name in ["put", "other_put"] {
            text += &self.drop(name);
        }
        text += &self.walk("go");
        text += "chance move roll \"{n}\" \"a die\" { n : 1..4; weight (n + tally) mod 4; tally becomes tally + n }\n";
        text += &self.scatter();
        text += &format!(
            "change shake(S, P: piece) {{\n  S becomes P when {}\n  tally becomes tally + count(S)\n}}\n",
            self.condition(None, 0)
        );
        if self.chance(15) {
            let (set, piece) = (self.sites(None, 0), self.one(&["stone of A", "rock", "empty"]));
            text += &format!("after each ply {{ do shake({set} next_to own king, {piece}) }}\n");
        } else if self.chance(20) {
            text += &self.fate();
        }
        if self.chance(25) {
            text += &self.aftermath();
        }
        let (gone, condition) = (self.one(&["rock", "empty", "stone of next"]), self.condition(None, 0));
        text += &format!("move quit \"quit\" {{ mover leaves; own becomes {gone} when {condition} }}\n");
        let who = self.one(&["mover", "next", "the { p in playing with any (king of p) }"]);
        text += &format!("move home \"home\" {{ ({who}) finishes; tally becomes tally + count playing }}\n");
        text += &self.couple();
        text += &self.turmoil();
        text += &self.leap();
        text += &self.veil();
        text += &self.shove();
        if self.1 {
            text += &self.piling();
        }
        text += &format!(
            "move trade \"trade\" {{ mover changes seats with {} }}\n",
            self.one(&["next", "player_after(mover)", "player_after(next)"])
        );
        text += &self.turn();
        let score = self.number(None).replace("own ", "of p ").replace("enemy", "of (players but p)");
        text += &format!("score(p) = {score}\n");
        text + &self.end()
    }
}
