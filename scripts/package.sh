#!/usr/bin/env bash
# From a fresh clone to all that is published: set up, build, and write dist and lib.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/setup.sh pack
bash scripts/build.sh
node scripts/bundle.js
node scripts/publish.js
echo "build: done. The wasm files are in src/js, and lib and dist are ready for npm pack"
