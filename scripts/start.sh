#!/usr/bin/env bash
# From a fresh clone to the page: set up, build, check, serve.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/setup.sh start
bash scripts/build.sh
node src/cli/clearhead.js check
exec node src/cli/clearhead.js serve "$@"
