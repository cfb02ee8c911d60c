; Made from the words of the language by `UPDATE=1 cargo test --lib tree_sitter::`.

(comment) @comment
[(string) (notation)] @string
(drawing) @string.special
[(moves) (move_text)] @string.special
(shown) @embedded
(number) @number
(operator) @operator
(colon) @punctuation.delimiter
["(" ")" "[" "]" "{" "}"] @punctuation.bracket

(section_word) @keyword
(keyword) @keyword
(definition name: (defined) @function)
(move name: (defined) @function.method)
(label (part) @variable.parameter)
((called) @function.builtin
  (#any-of? @function.builtin
    "abs" "ahead" "ahead_all" "alike" "behind" "between" "beyond" "cells" "centre" "column"
    "column_number" "connected" "connects" "corner" "custodial" "dark" "diagonal" "diagonal_forward"
    "direction" "directions" "distance" "edge" "edges" "empty" "enclosed" "enemy" "first" "forward"
    "group" "groups" "height" "in_sight" "interior" "kind" "kind_at" "kinds" "kinds_in" "knights" "line"
    "listed_after" "max" "min" "mover" "nearest" "next_to" "one_of" "open" "open_from" "opposite"
    "orthogonal" "other" "own" "owned_in" "owner" "owner_at" "piece" "piece_at" "piece_on" "player_after"
    "players" "playing" "previous" "ray" "row" "row_number" "row_of" "row_through" "run" "side" "sides"
    "site" "steps_to" "stuck" "touches" "turned" "unfinished" "vertices" "whole_lines"))
((called) @function
  (#not-any-of? @function
    "abs" "ahead" "ahead_all" "alike" "behind" "between" "beyond" "cells" "centre" "column"
    "column_number" "connected" "connects" "corner" "custodial" "dark" "diagonal" "diagonal_forward"
    "direction" "directions" "distance" "edge" "edges" "empty" "enclosed" "enemy" "first" "forward"
    "group" "groups" "height" "in_sight" "interior" "kind" "kind_at" "kinds" "kinds_in" "knights" "line"
    "listed_after" "max" "min" "mover" "nearest" "next_to" "one_of" "open" "open_from" "opposite"
    "orthogonal" "other" "own" "owned_in" "owner" "owner_at" "piece" "piece_at" "piece_on" "player_after"
    "players" "playing" "previous" "ray" "row" "row_number" "row_of" "row_through" "run" "side" "sides"
    "site" "steps_to" "stuck" "touches" "turned" "unfinished" "vertices" "whole_lines"))

((name) @keyword
  (#any-of? @keyword
    "about" "adjacent" "after" "allow" "apart" "at" "because" "best" "board" "bottom" "by" "chance"
    "change" "changes" "coordinates" "do" "draw" "drawn" "drop" "end" "expect" "extends" "extra" "facing"
    "far" "finishes" "game" "graph" "hidden" "illegal" "it" "keeping" "last" "least" "leaves" "legal"
    "lines" "loses" "lowest" "most" "move" "neutral" "new" "next" "nothing" "on" "once" "only" "option"
    "order" "path" "pattern" "perft" "phases" "play" "player" "ply" "position" "ranks" "record" "region"
    "repeat" "requires" "result" "round" "rule" "ruleset" "score" "seats" "seen" "set" "shape" "so"
    "source" "stacks" "start" "such" "sum" "test" "that" "this" "ties" "top" "track" "turn" "turns"
    "under" "use" "weight" "whole" "wins" "without" "word"))
((name) @variable.builtin
  (#any-of? @variable.builtin
    "abs" "ahead" "ahead_all" "alike" "behind" "between" "beyond" "cells" "centre" "column"
    "column_number" "connected" "connects" "corner" "custodial" "dark" "diagonal" "diagonal_forward"
    "direction" "directions" "distance" "edge" "edges" "empty" "enclosed" "enemy" "first" "forward"
    "group" "groups" "height" "in_sight" "interior" "kind" "kind_at" "kinds" "kinds_in" "knights" "line"
    "listed_after" "max" "min" "mover" "nearest" "next_to" "one_of" "open" "open_from" "opposite"
    "orthogonal" "other" "own" "owned_in" "owner" "owner_at" "piece" "piece_at" "piece_on" "player_after"
    "players" "playing" "previous" "ray" "row" "row_number" "row_of" "row_through" "run" "side" "sides"
    "site" "steps_to" "stuck" "touches" "turned" "unfinished" "vertices" "whole_lines"))
; Directions and players.
((name) @constant
  (#match? @constant "^[A-Z]"))

; `to` and `from` are names of parts nearly everywhere.
((name) @_before . (name) @keyword
  (#any-of? @_before "last" "next" "turn")
  (#eq? @keyword "to"))
((name) @keyword . (name) @_behind
  (#eq? @keyword "to")
  (#eq? @_behind "move"))
((name) @_before . (name) @keyword
  (#eq? @_before "apart")
  (#eq? @keyword "from"))
(section keyword: (section_word) @_stacks . (name) @keyword
  (#eq? @_stacks "stacks")
  (#eq? @keyword "to"))
(section keyword: (section_word) @_board (name) @keyword
  (#eq? @_board "board")
  (#eq? @keyword "from"))
(definition keyword: (section_word) @_path (name) @keyword
  (#eq? @_path "path")
  (#eq? @keyword "from"))
