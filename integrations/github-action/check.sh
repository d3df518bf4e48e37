#!/usr/bin/env bash
# Judges a file, or the diff against a base, and says the verdict to the job.
set -uo pipefail
text=$(mktemp)
if [ -n "${MOOT_ACTION_FILE:-}" ]; then
    cp -- "$MOOT_ACTION_FILE" "$text" || exit 2
else
    git diff "${MOOT_ACTION_BASE:?}" -- > "$text" || exit 2
fi
if [ ! -s "$text" ]; then
    echo "Nothing has changed: nothing to judge."
    exit 0
fi
arguments=(check "$text" --mode "${MOOT_ACTION_MODE:-peer_review}" --json)
[ -z "${MOOT_ACTION_MODELS:-}" ] || arguments+=(--models "$MOOT_ACTION_MODELS")
verdict=$(moot "${arguments[@]}")
code=$?
printf '%s\n' "$verdict"
end="verdict-$RANDOM$RANDOM"
printf 'verdict<<%s\n%s\n%s\n' "$end" "$verdict" "$end" >> "${GITHUB_OUTPUT:-/dev/null}"
if [ "$code" = 3 ] && [ "${MOOT_ACTION_UNCLEAR:-fail}" = pass ]; then
    echo "The panel could not tell; that passes here."
    exit 0
fi
exit "$code"
