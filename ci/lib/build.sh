# Sourced by ci/quickstart, ci/test and ci/bench: configure and build one preset.

# build_preset PRESET [TARGET…]: the targets, or everything. A terminal sees ninja's own progress line; a log sees
# warnings and errors only.
build_preset() {
  local preset=$1 quiet=() only=() log="build/$1-configure.log"
  shift
  [ $# -eq 0 ] || only=(--target "$@")
  if [ ! -t 1 ]; then
    quiet=(--quiet)
    say "compiling without a line for each file; on two cores a first build takes minutes"
  fi
  mkdir -p build
  cmake --preset "$preset" >"$log" 2>&1 || {
    cat "$log" >&2
    return 1
  }
  cmake --build --preset "$preset" "${only[@]}" --parallel "$(nproc)" -- "${quiet[@]}"
}
