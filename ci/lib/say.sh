# Sourced by the scripts in ci/: one way to talk, one way to stop, steps with their time.

say() { printf '%s\n' "$*" >&2; }

# fail WHAT [HINT]
fail() {
  printf 'error: %s\n' "$1" >&2
  [ $# -lt 2 ] || printf 'hint: %s\n' "$2" >&2
  exit 1
}

steps_total=0
steps_done=0
steps_began=$SECONDS

# step TITLE COMMAND…: runs one step, prints how long it took; a failure ends the script and names the step.
step() {
  local title=$1 began=$EPOCHREALTIME status=0
  shift
  steps_done=$((steps_done + 1))
  say ""
  say "[$steps_done/$steps_total] $title"
  "$@" || status=$?
  if [ "$status" -ne 0 ]; then
    say "[$steps_done/$steps_total] $title: failed after $(elapsed "$began") (status $status)"
    exit "$status"
  fi
  say "[$steps_done/$steps_total] $title: done in $(elapsed "$began")"
}

# elapsed SINCE: "3.2 s"; SINCE is an older $EPOCHREALTIME.
elapsed() {
  local now=$EPOCHREALTIME
  local tenths=$(( (${now/[.,]/} - ${1/[.,]/}) / 100000 ))
  printf '%d.%d s' $((tenths / 10)) $((tenths % 10))
}
