# Sourced by ci/quickstart, ci/test and ci/bench: configure and build one preset.

# build_preset PRESET [TARGET…]: the targets, or everything. A terminal sees ninja's own progress line; a log sees
# warnings and errors, and from `step` every few seconds how far it is.
build_preset() {
  local preset=$1 only=() log="build/$1-configure.log"
  shift
  [ $# -eq 0 ] || only=(--target "$@")
  mkdir -p build
  cmake --preset "$preset" >"$log" 2>&1 || {
    cat "$log" >&2
    return 1
  }
  local build=(cmake --build --preset "$preset" "${only[@]}" --parallel "$(nproc)")
  if [ -t 1 ]; then "${build[@]}"; else "${build[@]}" | without_progress; fi
}

# Ninja's "[12/345] Building …" become the step's progress, everything else is passed on.
without_progress() {
  local line
  while IFS= read -r line; do
    if [[ $line =~ ^\[([0-9]+)/([0-9]+)\]\  ]]; then
      [ -z "$progress_file" ] || echo "${BASH_REMATCH[1]} of ${BASH_REMATCH[2]} done" >"$progress_file"
    else
      printf '%s\n' "$line"
    fi
  done
}
