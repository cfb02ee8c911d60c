#!/usr/bin/env bash
# How strong the levels are: each plays the one below it on six games, from both seats, and the table says how often it
# wins, with the 95 % interval.
#
#     benches/levels.sh [PROGRAM] [GAMES]
#
# PROGRAM is the `ludwright` to run (target/release/ludwright), GAMES how many for each pair (200). The levels count
# simulated games, not seconds, so that the same program gives the same table on every machine.
set -euo pipefail
program=${1:-target/release/ludwright}
games=${2:-200}
seed=${SEED:-1}

printf '| game | easy : random | medium : easy | hard : medium |\n|---|---|---|---|\n'
while read -r game; do
    row="| $game |"
    for pair in easy,random medium,easy hard,medium; do
        # shellcheck disable=SC2086 # a game with its options
        told=$("$program" arena $game --players "$pair" -n "$games" --seed "$seed" --quiet | head -n 1)
        row="$row $(sed -E 's/^[a-z]+ +([0-9.]+) %  \(95 %: ([0-9.]+) to ([0-9.]+)\).*/\1 % (\2 to \3)/' <<<"$told") |"
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
