#!/usr/bin/env bash
# Tests of .ci/run: what it leaves behind, with stand-ins for the scripts that it runs.
# shellcheck disable=SC2016 # the stand-ins expand their own variables
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset KGRADE_ARTIFACTS KGRADE_SCREENSHOTS

failures=0
expect() { # what, command
  local what=$1
  shift
  "$@" || { echo "FAILED: $what" >&2; failures=$((failures + 1)); }
}

stand_in() { # path, what it does
  mkdir -p "$(dirname "$work/tree/$1")"
  printf '#!/usr/bin/env bash\n%s\n' "$2" >"$work/tree/$1"
  chmod +x "$work/tree/$1"
}

mkdir -p "$work/tree/.ci"
cp "$root/.ci/run" "$work/tree/.ci/"
stand_in tools/setup.sh ':'
stand_in tools/fuzz.sh ':'
# As the browser's test and ctest do, from a working folder of their own.
stand_in tools/test.sh '
  [ "$1" = --output-junit ] || exit 2
  cd /
  echo "<testsuite/>" >"$2"
  [ -n "${SKIP:-}" ] || { mkdir -p "$KGRADE_SCREENSHOTS" && echo png >"$KGRADE_SCREENSHOTS/light.png"; }'

cd "$work"
expect 'it ends well' tree/.ci/run
expect 'screenshots are kept' test -e tree/build/artifacts/screenshots/light.png
expect 'outcomes of tests are kept' test -e tree/build/artifacts/tests.xml

touch tree/build/artifacts/screenshots/old.png
expect 'it ends well again' tree/.ci/run
expect 'what is there is of this run' test ! -e tree/build/artifacts/screenshots/old.png

KGRADE_ARTIFACTS="$work/else where" expect 'another folder can be named' tree/.ci/run
expect 'screenshots are there' test -e 'else where/screenshots/light.png'

if SKIP=1 tree/.ci/run 2>said; then expect 'it fails without screenshots' false; fi
expect 'it says what is missing' grep -q 'error: .* has left no screenshots' said
expect 'it says the remedy' grep -q 'remedy: ' said

[ "$failures" = 0 ] && echo 'all as it should be'
exit "$((failures > 0))"
