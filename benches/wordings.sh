#!/usr/bin/env bash
# Whether a rule is as fast in natural words as in the words that suit the compiler: each rule of benches/wordings is there
# twice, as somebody says it (`said`) and reworded (`best`). Prints the ns per move of both, the least of some runs in turns,
# and how many times as long the natural words take.
#
#     benches/wordings.sh [PROGRAM] [ROUNDS] [SECONDS]
#
# PROGRAM is the `ludwright` to run (target/release/ludwright), ROUNDS how often each is run (3), SECONDS how long (0.3).
set -euo pipefail
program=${1:-target/release/ludwright}
rounds=${2:-3}
seconds=${3:-0.3}
folder=$(dirname "$0")/wordings

# The ns per move of one run.
measured() {
    "$program" bench "$1" --seconds "$seconds" --json | sed -E 's/.*"ns_per_move":([0-9.]+).*/\1/'
}

least() {
    printf '%s\n' "$@" | sort -g | head -n 1
}

printf '| rule | said | best | times as long |\n|---|---:|---:|---:|\n'
for said in "$folder"/*.said.game; do
    rule=$(basename "$said" .said.game)
    of_said=() of_best=()
    for ((round = 0; round < rounds; round++)); do
        of_said+=("$(measured "$said")")
        of_best+=("$(measured "$folder/$rule.best.game")")
    done
    awk -v rule="$rule" -v said="$(least "${of_said[@]}")" -v best="$(least "${of_best[@]}")" \
        'BEGIN { printf "| %s | %.1f | %.1f | %.2f |\n", rule, said, best, said / best }'
done
