#!/usr/bin/env bash
# Builds what CMakeLists.txt describes; nothing is done twice.
#   scripts/build.sh          the modules of src/js
#   scripts/build.sh wasm attn.simd model.simd   only these of them
#   scripts/build.sh bench    and the modules of the bench, in build/bench/
#   scripts/build.sh native   the test programs in build/native/
#   scripts/build.sh native long   and those of a long run
set -euo pipefail
cd "$(dirname "$0")/.."

configure() { # FOLDER ARGUMENT…
  local log=$1.log
  shift
  mkdir -p build
  if ! cmake -G Ninja "$@" >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
  fi
}

# Says what it builds once the first step of it is done: the compiler is silent for long. It prints
# the compiler's messages, but not the steps of Ninja. Where nothing is to do it prints nothing.
make_targets() { # WHAT FOLDER TARGET…
  local what=$1 step='build step: '
  shift
  NINJA_STATUS=$step cmake --build "$1" --parallel --target "${@:2}" | while IFS= read -r line; do
    case $line in
    'ninja: no work to do.' | "$step"Re-* | '-- '*) ;;
    "$step"*)
      [ -z "$what" ] || echo "build: $what; the first time this takes a minute or two"
      what=
      ;;
    *) printf '%s\n' "$line" ;;
    esac
  done
}

case ${1:-wasm} in
wasm | bench)
  # A build without the relaxed variant is configured anew each time: the compiler it lacked may be
  # there now.
  if [ ! -f build/wasm/build.ninja ] ||
    ! grep -q '^ATTN_RELAXED:BOOL=TRUE' build/wasm/CMakeCache.txt; then
    configure build/wasm --fresh --toolchain scripts/wasm.cmake -B build/wasm
    grep SKIPPED build/wasm.log || true
  fi
  targets=("${@:2}")
  make_targets "the WebAssembly files of src/js" build/wasm "${targets[@]:-all}"
  [ "${1:-wasm}" != bench ] || make_targets "the modules in build/bench" build/wasm bench
  ;;
native)
  for compiler in clang gcc; do
    [ -f build/$compiler/build.ninja ] ||
      configure build/$compiler --fresh -B build/$compiler -DCMAKE_C_COMPILER=$compiler
    grep SKIPPED build/$compiler.log || true
    make_targets "the native test programs, with $compiler" build/$compiler all "${@:2}"
  done
  ;;
*)
  echo "usage: scripts/build.sh [wasm [MODULE...]|bench|native [long]]" >&2
  exit 2
  ;;
esac
