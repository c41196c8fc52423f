#!/bin/sh
# A Rumble bot of nothing but sh and awk, for `rumble bridge stdio`, which keeps the connection.
# A turn comes in as one line of JSON; the move of `strategy.awk` goes out as one line, or `failed:` and the error.

errors=$(mktemp) || exit 1
trap 'rm -f "$errors"' EXIT
turns=0
while IFS= read -r turn; do
    turns=$((turns + 1))
    # A new awk for each turn: some awks read ahead and delay a line.
    if move=$(printf '%s\n' "$turn" | awk -v seed="$$$turns" -f "$(dirname "$0")/strategy.awk" 2>"$errors") && [ -n "$move" ]; then
        printf '%s\n' "$move"
    else
        echo "failed: strategy.awk gave no move: $(tr '\n\t' '  ' <"$errors")"
    fi
    cat "$errors" >&2
done
