# Sourced by ci/quickstart, ci/test and ci/bench: configure and build one preset.

# build_preset PRESET: a terminal sees ninja's own progress line; a log sees warnings and errors only.
build_preset() {
  local quiet=()
  [ -t 1 ] || quiet=(--quiet)
  cmake --preset "$1" >"build-$1.log" 2>&1 || {
    cat "build-$1.log" >&2
    rm -f "build-$1.log"
    return 1
  }
  rm -f "build-$1.log"
  cmake --build --preset "$1" --parallel "$(nproc)" -- "${quiet[@]}"
}
