#!/usr/bin/env bash
# Runs `ludwright bench` beside another program that plays the same games at random, in turns, and compares the two.
#
#   benches/against.sh PROGRAM [-n ROUNDS] [-s SECONDS] [-e ENGINE] [GAME...]
#
# PROGRAM GAME SECONDS prints a line of names and a line of values, parted by tabs: game, playouts per second, moves per
# second, mean plies, nanoseconds per ply; more may follow. GAME is a name of the table below, and all are run unless
# some are named. LUDWRIGHT names another build than the release build, which is made unless it is named.
# The exit status is 1 if the mean plies of a game differ by more than 5 %, or a program fails.
set -euo pipefail

# name there | what is benched here
GAMES='
tictactoe       tic_tac_toe
connect4        connect_four
gomoku15        gomoku
hex11           hex -o size=11
breakthrough8   breakthrough
othello8        reversi
amazons10-2ply  amazons
equi5           equi
equi34          equi -o shape=alternating -o size=3
epoxy39         epoxy -o size=xs
epoxy72         epoxy -o size=m
iqishiqi8       iqishiqi
pushpin4        pushpin
'

usage() {
    sed -n '2,9s/^# \{0,1\}//p' "$0"
}
refuse() {
    echo "against.sh: $1" >&2
    exit 2
}

rounds=5 seconds=1 engine=fast program='' wanted=()
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) usage && exit 0 ;;
    -n | -s | -e)
        [ $# -gt 1 ] || refuse "$1 needs a value"
        case $1 in -n) rounds=$2 ;; -s) seconds=$2 ;; -e) engine=$2 ;; esac
        shift 2
        ;;
    -*) refuse "there is no flag $1; --help tells the flags" ;;
    *)
        if [ -z "$program" ]; then program=$1; else wanted+=("$1"); fi
        shift
        ;;
    esac
done
[ -n "$program" ] || { usage >&2 && exit 2; }
[[ $rounds =~ ^[1-9][0-9]*$ ]] || refuse "-n is a number from 1"
program=$(command -v "$program") || refuse "the program cannot be run"
program=$(realpath "$program")
for name in "${wanted[@]}"; do
    grep -q "^$name " <<<"$GAMES" || refuse "there is no game $name in the table"
done

cd "$(dirname "$0")/.."
if [ -z "${LUDWRIGHT:-}" ]; then
    cargo build --release --locked --quiet
    LUDWRIGHT=${CARGO_TARGET_DIR:-target}/release/ludwright
fi
shipped=$("$LUDWRIGHT" list --json | grep -o '"name":"[^"]*"' | cut -d '"' -f 4)

# Of lines with numbers: the median of the first, then its smallest and largest.
spread() {
    cut -f 1 | sort -g | awk '{ v[NR] = $1 } END { m = int((NR + 1) / 2); print (v[m] + v[NR + 1 - m]) / 2, v[1], v[NR] }'
}
# A number of a JSON object on one line.
number() {
    grep -o "\"$1\":[-+.0-9e]*" | cut -d : -f 2
}
# The second column over the third, each summed: mean plies of all rounds.
mean() {
    awk -F '\t' '{ plies += $2; games += $3 } END { print plies / games }'
}
# Nanoseconds per ply, plies and games, once.
theirs() {
    "$program" "$1" "$seconds" | awk -F '\t' -v game="$1" '$1 == game { print $5 "\t" $4 "\t" 1; seen = 1 } END { exit !seen }'
}
# Other games each time, the first argument says which.
ours() {
    local json
    json=$("$LUDWRIGHT" bench "${@:2}" --seed "$1" --seconds "$seconds" --engine "$engine" --json) || return 1
    printf '%s\t%s\t%s\n' "$(number ns_per_move <<<"$json")" "$(number plies <<<"$json")" "$(number games <<<"$json")"
}

status=0
row='%-15s %12s %25s %10s %19s %9s  %9s %9s  %s\n'
# shellcheck disable=SC2059
printf "$row" game 'ns per ply' 'range' 'theirs' 'range' ratio plies theirs 'within 5 %'
while read -r name game options; do
    [ -n "$name" ] || continue
    [ ${#wanted[@]} -eq 0 ] || [[ " ${wanted[*]} " == *" $name "* ]] || continue
    if ! grep -qx "$game" <<<"$shipped"; then
        printf '%-15s skipped: %s is not shipped\n' "$name" "$game"
        continue
    fi
    a='' b=''
    for ((round = 0; round < rounds; round++)); do
        # The options are words of the table.
        # shellcheck disable=SC2086
        if ! one=$(ours "$round" "$game" $options) || ! other=$(theirs "$name"); then
            printf '%-15s failed\n' "$name"
            status=1
            continue 2
        fi
        a+=$one$'\n' b+=$other$'\n'
    done
    read -r ns low high < <(printf %s "$a" | spread)
    plies=$(mean <<<"${a%$'\n'}")
    read -r their_ns their_low their_high < <(printf %s "$b" | spread)
    their_plies=$(mean <<<"${b%$'\n'}")
    agree=$(awk -v a="$plies" -v b="$their_plies" 'BEGIN { d = a / b - 1; print (d <= 0.05 && d >= -0.05) ? "yes" : "NO" }')
    [ "$agree" = yes ] || status=1
    # shellcheck disable=SC2059
    printf "$row" "$name" "$(printf %.1f "$ns")" "$(printf '%.1f..%.1f' "$low" "$high")" \
        "$(printf %.1f "$their_ns")" "$(printf '%.1f..%.1f' "$their_low" "$their_high")" \
        "$(awk -v a="$ns" -v b="$their_ns" 'BEGIN { printf "%.2f", a / b }')" \
        "$(printf %.2f "$plies")" "$(printf %.2f "$their_plies")" "$agree"
done <<<"$GAMES"
exit $status
