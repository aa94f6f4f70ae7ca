# Sourced by ci/quickstart, ci/test and ci/bench: configure and build one preset.

# build_preset PRESET: a terminal sees ninja's own progress line; a log sees warnings and errors only.
build_preset() {
  local quiet=() log="build/$1-configure.log"
  if [ ! -t 1 ]; then
    quiet=(--quiet)
    say "compiling without a line for each file; a first build takes some ten minutes on two cores"
  fi
  mkdir -p build
  cmake --preset "$1" >"$log" 2>&1 || {
    cat "$log" >&2
    return 1
  }
  cmake --build --preset "$1" --parallel "$(nproc)" -- "${quiet[@]}"
}
