#!/usr/bin/env bash
# Tests which files .ci/run leaves, with stand-ins for the scripts that it runs.
# shellcheck disable=SC2016 # the stand-ins expand their own variables
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset KGRADE_ARTIFACTS

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
# Like ctest, it runs in its own working folder.
stand_in tools/test.sh '
  [ "$1" = --output-junit ] || exit 2
  case "$KGRADE_CMAKE_FLAGS" in *-DKGRADE_WERROR=ON*) ;; *) exit 3 ;; esac
  cd /
  [ -n "${NO_BUILD:-}" ] || echo "<testsuite>$RUN</testsuite>" >"$2"
  [ -z "${FAIL:-}" ]'

stand_in tools/pytorch.sh 'echo /nowhere/python'

cd "$work"
RUN=first expect 'it succeeds' tree/.ci/run
expect 'it keeps the outcomes of tests' grep -q first tree/build/artifacts/tests.xml

if NO_BUILD=1 FAIL=1 RUN='' tree/.ci/run; then expect 'it fails if the build fails' false; fi
expect 'outcomes of an earlier run are gone' test ! -e tree/build/artifacts/tests.xml

if FAIL=1 RUN=second tree/.ci/run; then expect 'it fails if tests fail' false; fi
expect 'it keeps the outcomes of failed tests' grep -q second tree/build/artifacts/tests.xml

RUN=third KGRADE_ARTIFACTS="$work/else where" expect 'another folder can be named' tree/.ci/run
expect 'the outcomes are there' grep -q third 'else where/tests.xml'

[ "$failures" = 0 ] && echo 'passed'
exit "$((failures > 0))"
