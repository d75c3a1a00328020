#!/usr/bin/env bash
# Makes a machine ready. It says what it installs first, and does nothing the second time.
#   scripts/setup.sh start   what building and running need, and the two packages with which models
#                            read safetensors and chat templates
#   scripts/setup.sh pack    and what makes the single files of dist
#   scripts/setup.sh test    and what the tests need
# Where it cannot install (no apt-get, no rights, no network) it says what to install, and fails.
set -euo pipefail
cd "$(dirname "$0")/.."
level=${1:-start}

say() { printf 'setup: %s\n' "$*"; }
fail() {
  printf 'setup: %s\n' "$@" >&2
  exit 1
}
have() { command -v "$1" >/dev/null; }

missing=()
need() { # PACKAGE CHECK…: the Debian package that makes the check succeed
  local package=$1
  shift
  "$@" >/dev/null 2>&1 || missing+=("$package")
}

# Runs a command as root: directly, or with sudo where the user may. Otherwise it fails.
as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif have sudo && { sudo -n true 2>/dev/null || { [ -t 0 ] && sudo -v; }; }; then
    sudo "$@"
  else
    return 1
  fi
}

compiler_packages=" clang-19 lld-19 "
only_relaxed_missing() {
  local package
  for package in "${missing[@]}"; do
    [[ $compiler_packages == *" $package "* ]] || return 1
  done
  have emcc && [ "$level" = start ]
}

install_missing() {
  local log=build/apt.log
  local install=(apt-get install -y --no-install-recommends "${missing[@]}")
  if ! have apt-get; then
    fail "needs programs that on Debian 12 are in these packages: ${missing[*]}" \
      "There is no apt-get here: install them another way, then run this again"
  fi
  if ! as_root true; then
    fail "needs packages, and installing them needs root, which sudo does not give here." \
      "As root run:" "  ${install[*]}" "then run this again"
  fi
  mkdir -p build
  say "installing with apt-get: ${missing[*]}"
  as_root apt-get update >"$log" 2>&1 || true # the install below tells whether that mattered
  if ! as_root env DEBIAN_FRONTEND=noninteractive "${install[@]}" >>"$log" 2>&1; then
    tail -n 15 "$log" >&2
    fail "apt-get could not install them (all it said: $log)." \
      "When the network or the package list is repaired, as root run:" \
      "  ${install[*]}" "then run this again"
  fi
}

# Debian's emscripten package depends on Debian's Node, which is too old for us. apt would replace a
# Node in /usr/bin by it, and refuses to install it beside NodeSource's. The compiler itself needs
# only python3 and a clang, so it is unpacked here.
unpack_emscripten() {
  if ! have apt-get; then
    fail "needs Emscripten: put the emcc of an emsdk (https://emscripten.org) on the PATH," \
      "then run this again"
  fi
  say "unpacking Debian's emscripten into .toolchain/ (a download of about 110 MB)"
  local folder=.toolchain/new options=()
  [ "$(id -u)" != 0 ] || options=(-o APT::Sandbox::User=root)
  rm -rf "$folder"
  mkdir -p "$folder" build
  download() { (cd "$folder" && apt-get "${options[@]}" download emscripten) >>build/apt.log 2>&1; }
  if ! download && ! { as_root apt-get update >>build/apt.log 2>&1 && download; }; then
    tail -n 5 build/apt.log >&2
    fail "apt-get could not download the package emscripten: run apt-get update as root," \
      "or put the emcc of an emsdk on the PATH, then run this again"
  fi
  local from=./usr/share/emscripten
  dpkg-deb --fsys-tarfile "$folder"/emscripten_*.deb | tar -x -C "$folder" \
    --exclude="$from/tests" --exclude="$from/docs" --exclude="$from/media" \
    --exclude="$from/cache/sysroot/lib" --exclude="$from/system/lib" "$from"
  mv "$folder/usr/share/emscripten" "$folder/emscripten"
  rm -r "${folder:?}/usr" "$folder"/*.deb
  cat >"$folder/emcc" <<'WRAPPER'
#!/bin/sh
here=$(dirname "$(readlink -f "$0")")
export EM_CONFIG=$here/emscripten/.emscripten EM_NODE_JS=$(command -v node)
exec python3 "$here/emscripten/emcc.py" "$@"
WRAPPER
  chmod +x "$folder/emcc"
  rm -rf .toolchain/emscripten .toolchain/emcc
  mv "$folder/emscripten" "$folder/emcc" .toolchain/
  rmdir "$folder"
}

npm_ci() { # FOLDER WHAT
  cmp -s "$1/package-lock.json" "$1/node_modules/.installed-package-lock.json" && return
  say "installing with npm ci in $1: $2"
  npm ci --prefix "$1" --no-audit --no-fund --loglevel=error ||
    fail "npm ci could not fetch them: check the network and \`npm config get registry\`," \
      "then run this again"
  cp "$1/package-lock.json" "$1/node_modules/.installed-package-lock.json"
}

node -e 'const [a, b] = process.versions.node.split(".");
  process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)' ||
  fail "needs Node 20.19 or newer, this is $(node --version)"

need cmake have cmake
need ninja-build have ninja
# An emsdk brings its own clang. Debian's emcc runs clang 14, which knows no relaxed SIMD, or a
# newer one beside it.
emcc=$(command -v emcc || true)
if [ -z "$emcc" ] || [ "$emcc" = /usr/bin/emcc ]; then
  need python3 have python3
  need clang-19 have clang-19
  need lld-19 have wasm-ld-19
fi
[ "$level" = start ] || need xz-utils have xz
if [ "$level" = test ]; then
  clang_version=$(clang -dumpversion 2>/dev/null || echo 14)
  need gcc have gcc
  need libc6-dev test -e /usr/include/stdio.h
  need clang have clang
  need clang-format have clang-format
  need "libclang-rt-${clang_version%%.*}-dev" \
    compgen -G "$(clang -print-resource-dir 2>/dev/null)/lib/*/libclang_rt.asan*"
  need chromium have chromium
  need firefox-esr have firefox-esr
  need webkit2gtk-driver have WebKitWebDriver
  need xvfb have xvfb-run
  need xauth have xauth
  need fonts-dejavu-core compgen -G '/usr/share/fonts/truetype/*/*.ttf'
fi
if [ ${#missing[@]} -gt 0 ]; then
  if only_relaxed_missing && ! as_root true; then
    say "without the packages ${missing[*]}, which need root, only the simd variant is built"
  else
    install_missing
  fi
fi
[ -n "$emcc" ] || [ -x .toolchain/emcc ] || unpack_emscripten

if [ "$level" = start ] && ! [ -d node_modules/@huggingface/jinja ]; then
  say "installing with npm ci in .: what reads tokenizer.json and chat templates"
  npm ci --omit=dev --no-audit --no-fund --loglevel=error ||
    say "npm ci could not fetch it: all else works, and npm install adds it later"
fi
[ "$level" = start ] ||
  npm_ci . "the tools: typescript, esbuild, publint, playwright-core and others"
if [ "$level" = test ]; then
  npm_ci tests/engines/newer-node "a newer Node, in that folder alone"
  node tests/engines/newer-node/index.js >/dev/null ||
    fail "the newer Node of tests/engines/newer-node does not run on this machine"
  npm_ci tests/engines/others "Deno and Bun, in that folder alone (a download of about 90 MB)"
  node tests/engines/others/index.js >/dev/null ||
    fail "Deno or Bun of tests/engines/others does not run on this machine"
fi
