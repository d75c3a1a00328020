#!/usr/bin/env bash
# Whether the C sources are as `npm run format` leaves them.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(clang-format --version | grep -oE '[0-9]+\.[0-9.]+')
if [ "${version%%.*}" != 14 ]; then
  echo "SKIPPED: versions of clang-format differ from each other; ours is 14, this is $version"
  exit 0
fi
shopt -s nullglob
clang-format --dry-run -Werror src/c/*.[ch] tests/native/*.[ch]
