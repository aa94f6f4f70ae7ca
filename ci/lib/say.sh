# Sourced by the scripts in ci/: one way to talk, one way to stop, steps with their time, work beside them.

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
# A step that knows how far it is keeps one line about it in here (build_preset does).
progress_file=
tick_s=9

# step TITLE COMMAND…: runs one step, prints how long it took; a failure ends the script and names the step.
step() {
  local title=$1 began=$EPOCHREALTIME status=0 ticker=
  shift
  steps_done=$((steps_done + 1))
  progress_file=$(mktemp)
  say ""
  say "[$steps_done/$steps_total] $title"
  # A terminal sees what the tools themselves show; a log would see nothing for minutes.
  [ -t 2 ] || { tick "[$steps_done/$steps_total] $title" & ticker=$!; }
  "$@" || status=$?
  if [ -n "$ticker" ]; then
    kill "$ticker" 2>/dev/null || true
    wait "$ticker" 2>/dev/null || true
  fi
  rm -f "$progress_file"
  if [ "$status" -ne 0 ]; then
    say "[$steps_done/$steps_total] $title: failed after $(elapsed "$began") (status $status)"
    exit "$status"
  fi
  say "[$steps_done/$steps_total] $title: done in $(elapsed "$began")"
}

# tick TITLE: says every few seconds how far a step is. `read` waits and not `sleep`, which would outlive its
# killed parent and hold the log open.
tick() {
  local waited=0 never
  exec {never}<> <(:)
  while :; do
    read -r -t "$tick_s" -u "$never" || true
    waited=$((waited + tick_s))
    say "$1: $waited s$(sed 's/^/, /' "$progress_file" 2>/dev/null)"
  done
}

# elapsed SINCE: "3.2 s"; SINCE is an older $EPOCHREALTIME.
elapsed() {
  local now=$EPOCHREALTIME
  local tenths=$(( (${now/[.,]/} - ${1/[.,]/}) / 100000 ))
  printf '%d.%d s' $((tenths / 10)) $((tenths % 10))
}

declare -A beside_pid=() beside_log=()

# beside NAME LOG COMMAND…: starts work that runs beside the steps; all it says goes to LOG.
beside() {
  local name=$1 log=$2
  shift 2
  mkdir -p "$(dirname "$log")"
  say "  beside this: $name ($log)"
  # A group of its own, so that all of it can be ended when a step fails.
  set -m
  (
    began=$EPOCHREALTIME status=0
    "$@" || status=$?
    say "took $(elapsed "$began"), status $status"
    exit "$status"
  ) </dev/null >"$log" 2>&1 &
  set +m
  beside_pid[$name]=$!
  beside_log[$name]=$log
  trap end_beside EXIT
}

# await NAME…: waits for work that `beside` started; what fails shows its log.
await() {
  local name status
  for name in "$@"; do
    status=0
    wait "${beside_pid[$name]}" || status=$?
    unset "beside_pid[$name]"
    if [ "$status" -ne 0 ]; then
      cat "${beside_log[$name]}" >&2
      say "$name: failed (status $status); the whole of it: ${beside_log[$name]}"
      return "$status"
    fi
    say "  $name: $(tail -n 1 "${beside_log[$name]}")"
  done
}

end_beside() {
  local pid
  for pid in "${beside_pid[@]}"; do kill -- "-$pid" 2>/dev/null || true; done
}
