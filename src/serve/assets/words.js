// What is said below the board.
import { game } from "./game.js";

/** Who is to move and what has happened, or what is still to be chosen. */
export function prompt(picked, choices) {
  const { view, looking, elsewhere } = game;
  if (elsewhere) return `${elsewhere.words}.`;
  if (looking !== null) {
    const move = looking === 0 ? "the start" : `${view.movers[looking - 1]} played ${view.moves[looking - 1]}`;
    return `Looking back at ply ${looking}: ${move}.`;
  }
  if (view.over) return `The game is over: ${view.result}.`;
  const last = view.now > 0 ? `${view.movers[view.now - 1]} played ${view.moves[view.now - 1]}. ` : "";
  const mover = view.position.mover ?? game.playerOf(view.to_move);
  if (view.chance && view.decider !== "human") return `${last}Chance decides for ${mover}.`;
  if (!game.isMine) return `${last}${mover} to move (${view.decider === "human" ? view.names?.[view.to_move] || "somebody else" : view.decider}).`;
  if (view.chance && picked.length === 0) return `${last}Chance decides for ${mover}: roll, and choose what came up.`;
  if (picked.length > 0) {
    const parts = picked.map((pick) => pick.site ?? pick.name).join(", ");
    return `${mover} has chosen ${parts}: ${rest(choices)}.`;
  }
  return game.as === "" ? `${last}${mover} to move.` : `${last}Your turn: ${mover}.`;
}

/** What is still to be chosen. */
function rest(choices) {
  const leads = choices.named.map((one) => one.piece);
  const one = leads[0];
  if (one && choices.named.every(({ at, piece: other }) => at && other?.kind === one.kind && other?.owner === one.owner)) {
    return `now choose where the ${one.kind}${one.owner ? ` of ${one.owner}` : ""} goes`;
  }
  if (choices.sites.length > 0) return choices.named.some(({ at }) => !at) ? "choose on the board or below" : "choose on the board";
  return "choose below";
}

/** Why nothing can be chosen now; nothing where something can. */
export function idle() {
  const { view } = game;
  if (game.elsewhere) return "This is the position of a test. Go back to the game to play on.";
  if (game.looking !== null) return "This is a position of the past. Go to the last move to play on.";
  if (view.over) return `The game is over: ${view.result}.`;
  if (view.chance && view.decider !== "human") return "Chance decides now.";
  if (game.isMine) return null;
  if (view.decider !== "human") return `It is the turn of ${game.playerOf(view.to_move)}, which ${view.decider} plays.`;
  if (game.as === "watch") return "You are watching this game.";
  return `It is the turn of ${game.named(view.to_move)}. You play ${game.playerOf(game.seat)}.`;
}
