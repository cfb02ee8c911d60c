#!/usr/bin/env bash
# How strong the levels are: each plays the one below it on six games, from both seats, and the table says how often it
# wins, with the 95 % interval. Levels go by the clock, so they are given rounds here.
#
#     benches/levels.sh [PROGRAM] [GAMES] [clock]
#
# PROGRAM is the `ludwright` to run (target/release/ludwright), GAMES how many for each pair (200). They count
# rounds here, not seconds, so that the same program gives the same table on every machine. With `clock` the same
# programs think for a fixed time per move instead, in about the same proportions: that table is only as good as the
# machine is idle, and takes about an hour on two cores. SEED is the seed of the games (1).
set -euo pipefail
program=${1:-target/release/ludwright}
games=${2:-200}
seed=${SEED:-1}
case ${3:-rounds} in
rounds) pairs=(easy,random medium:400,easy hard:6000,medium:400) ;;
clock) pairs=(flat:1ms,random mcts:10ms,flat:1ms mcts:200ms,mcts:10ms) ;;
*)
    echo "benches/levels.sh: the third argument is \`clock\` or nothing, not \`$3\`" >&2
    exit 2
    ;;
esac

printf '| game |'
for pair in "${pairs[@]}"; do printf ' %s |' "${pair/,/ : }"; done
printf '\n|---|---|---|---|\n'
while read -r game; do
    row="| $game |"
    for pair in "${pairs[@]}"; do
        # shellcheck disable=SC2086 # a game with its options
        told=$("$program" arena $game --players "$pair" -n "$games" --seed "$seed" --quiet | head -n 1)
        row="$row $(sed -E 's/^[a-z0-9:]+ +([0-9.]+) %  \(95 %: ([0-9.]+) to ([0-9.]+)\).*/\1 % (\2 to \3)/' <<<"$told") |"
    done
    printf '%s\n' "$row"
done <<'GAMES'
hex -o size=7
reversi
breakthrough
connect_four
pushpin
gomoku -o size=9
GAMES
