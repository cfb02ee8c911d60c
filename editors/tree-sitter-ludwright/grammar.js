// Rule files as editors colour them: sections, blocks, lines, calls, texts, drawings and played moves.
//
// What a row of words means is decided by type in the checker, so that a phrase is a row of words here too. The words
// themselves come from words.json, which a test makes from grammar/game.pest.

const words = require('./words.json');

const own = ['chance', 'change', 'move', 'option', 'path', 'pattern', 'piece', 'record', 'region', 'ruleset', 'test', 'track', 'whole', 'word'];
const others = words.sections.filter((word) => !own.includes(word));

module.exports = grammar({
  name: 'ludwright',

  // A newline ends a line, and may be passed over between brackets only.
  extras: ($) => [/[ \t\r]/, $.comment],
  word: ($) => $.name,

  rules: {
    file: ($) => seq(repeat($._break), repeat($._section)),

    // A section begins where a line does. The last line ends in a newline too, as `ludwright fmt` has it.
    _section: ($) => choice($.definition, $.move, $.test, $.section),
    _rest: ($) => seq(repeat($._item), $._break, repeat(choice($._break, seq(repeat1($._item), $._break)))),
    section: ($) =>
      seq(
        choice(
          field('keyword', alias(choice(...others), $.section_word)),
          seq(field('keyword', alias('whole', $.section_word)), field('keyword', alias('turn', $.section_word))),
        ),
        optional($.drawn),
        $._rest,
      ),
    definition: ($) =>
      seq(
        field('keyword', alias(choice('change', 'option', 'path', 'pattern', 'piece', 'region', 'ruleset', 'track', 'word'), $.section_word)),
        field('name', alias($.name, $.defined)),
        optional($.parameters),
        $._rest,
      ),
    parameters: ($) => seq(token.immediate(prec(1, '(')), repeat($._item), ')'),
    move: ($) =>
      seq(
        optional(field('keyword', alias('chance', $.section_word))),
        field('keyword', alias('move', $.section_word)),
        field('name', alias($.name, $.defined)),
        optional(seq($.notation, optional($.string))),
        $.block,
        $._break,
        repeat($._break),
      ),
    test: ($) =>
      seq(
        field('keyword', alias(choice('test', 'record'), $.section_word)),
        field('name', $.string),
        optional($.string),
        $.steps,
        $._break,
        repeat($._break),
      ),

    _break: () => /[\n;]/,
    comment: () => token(seq('//', /[^\n]*/)),

    // Lines within braces: of moves, turns, ends, starts, cases and sets.
    block: ($) => seq('{', repeat($._break), optional(seq($._line, repeat(seq(repeat1($._break), $._line)), repeat($._break))), '}'),
    _line: ($) => choice(seq($.label, optional($.drawn), repeat($._item)), repeat1($._item)),
    label: ($) => prec(1, seq(alias($.name, $.part), choice(':', '='))),

    // What is done in tests and records.
    steps: ($) => seq('{', repeat($._break), optional(seq($._step, repeat(seq(repeat1($._break), $._step)), repeat($._break))), '}'),
    _step: ($) => choice($.played, $.arranged, repeat1($._item)),
    arranged: ($) => seq(alias('position', $.keyword), choice($.drawn, $.block), repeat($._item)),
    played: ($) =>
      seq(
        alias(choice('play', 'legal', 'illegal', 'only'), $.keyword),
        choice($.moves, seq('{', repeat(choice($._move, $._break)), '}')),
        optional(seq(alias('because', $.keyword), $.string)),
      ),
    moves: ($) => repeat1($._move),
    _move: ($) => choice($.name, $.string, ',', $.move_text),
    move_text: () => /([^\s;{}",\/A-Za-z_]|\/[^\s;{}"\/])([^\s;{}",\/]|\/[^\s;{}"\/])*|[A-Za-z_][A-Za-z0-9_]*[^\s;{}",\/A-Za-z0-9_]([^\s;{}",\/]|\/[^\s;{}"\/])*/,

    // A board or position as a picture of letters.
    drawn: ($) => seq(alias('drawn', $.keyword), optional(field('shape', $.name)), '{', optional($.drawing), '}'),
    drawing: () => token(prec(1, /[^}]+/)),

    _item: ($) => choice($.keyword, $.call, $.name, $.number, $.string, $.group, $.list, $.block, $.operator, $.colon),
    keyword: () => choice(...words.reserved),
    name: () => /[A-Za-z_][A-Za-z0-9_]*/,
    number: () => /[0-9]+(\.[0-9]+)?/,
    operator: () => choice('->', '!=', '>=', '<=', '=', '<', '>', '..', '.', '+', '-', '*', ','),
    colon: () => ':',
    call: ($) => seq(field('name', alias($.name, $.called)), token.immediate(prec(1, '(')), repeat(choice($._item, $._break)), ')'),
    group: ($) => seq('(', repeat(choice($._item, $._break)), ')'),
    list: ($) => seq('[', repeat(choice($._item, $._break)), ']'),

    string: () => seq('"', optional(token.immediate(prec(1, /[^"\n]+/))), token.immediate('"')),
    // How a move is written: text, expressions in braces, and in brackets what is printed only where there is something.
    notation: ($) => seq('"', repeat(choice($.shown, $.marked, $._literal, token.immediate(']'))), token.immediate('"')),
    shown: ($) => seq(token.immediate('{'), repeat(choice($._item, '|', '?')), '}'),
    marked: ($) => seq(token.immediate('['), repeat(choice($.shown, $._literal)), choice(token.immediate(']'), token.immediate(']?'))),
    _literal: () => token.immediate(prec(1, /[^{\[\]"\n]+/)),
  },
});
