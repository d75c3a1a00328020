#!/usr/bin/env bash
# npm run bench: set up, build, measure. It needs the programs of the tests: a newer Node, Chromium.
set -euo pipefail
cd "$(dirname "$0")/.."
bash scripts/setup.sh test >&2
bash scripts/build.sh bench >&2
if ! cmp -s bench/package-lock.json bench/node_modules/.installed-package-lock.json; then
  echo 'bench: installing the peers with npm ci in bench/ (250 MB)' >&2
  npm ci --prefix bench --no-audit --no-fund --loglevel=error --ignore-scripts >&2
  cp bench/package-lock.json bench/node_modules/.installed-package-lock.json
fi
exec node bench/run.js "$@"
