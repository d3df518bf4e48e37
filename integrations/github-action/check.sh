#!/usr/bin/env bash
# Judges a file, or the diff against a base, and says the verdict to the job.
# What is checked out may be a stranger's: it decides neither what is read nor how moot is set up.
set -uo pipefail
work=$(mktemp -d) || exit 2
text=$work/text
checkout=$(pwd -P)

# A link in the checkout could lead to a key elsewhere on the machine, to the job's variables or to git's token.
leads_away() {
    local folder
    [ ! -L "$1" ] && folder=$(cd -- "$(dirname -- "$1")" && pwd -P) || return 0
    case $folder/ in "$checkout/.git/"*) return 0 ;; "$checkout/"*) return 1 ;; *) return 0 ;; esac
}

# The tracked files as they are now, against the base. Git looks for attributes in the work tree and in the index;
# it is given empty ones, for the checkout's own could declare a change binary, and hide it.
write_diff() {
    local git_folder now
    git_folder=$(git rev-parse --absolute-git-dir) || return
    cp -- "$git_folder/index" "$work/index" && export GIT_INDEX_FILE=$work/index || return
    git add --update && now=$(git write-tree) || return
    mkdir "$work/empty" && cd "$work/empty" || return
    GIT_INDEX_FILE=$work/none GIT_DIR=$git_folder GIT_WORK_TREE=$work/empty \
        git diff --end-of-options "${MOOT_ACTION_BASE:?}" "$now" -- > "$text"
}

file=${MOOT_ACTION_FILE:-}
if [ -n "$file" ]; then
    case $file in /*) ;; *) file=$PWD/$file ;; esac
    case $file in
        "$PWD"/* | "$checkout"/*)
            if leads_away "$file"; then
                echo "$MOOT_ACTION_FILE is no file of this repository, or a link that leads out of it" >&2
                exit 2
            fi
            ;;
    esac
    cp -- "$file" "$text" || exit 2
else
    (write_diff) || exit 2
fi
if [ ! -s "$text" ]; then
    echo "Nothing has changed: nothing to judge."
    exit 0
fi
arguments=(--mode "${MOOT_ACTION_MODE:-peer_review}" --json)
[ -z "${MOOT_ACTION_MODELS:-}" ] || arguments+=(--models "$MOOT_ACTION_MODELS")
cd "$work" || exit 2 # where there is no moot.toml
verdict=$(moot check "${arguments[@]}" -- "$text")
code=$?
printf '%s\n' "$verdict"
end="verdict-$RANDOM$RANDOM"
printf 'verdict<<%s\n%s\n%s\n' "$end" "$verdict" "$end" >> "${GITHUB_OUTPUT:-/dev/null}"
if [ "$code" = 3 ] && [ "${MOOT_ACTION_UNCLEAR:-fail}" = pass ]; then
    echo "The panel could not tell; that passes here."
    exit 0
fi
exit "$code"
