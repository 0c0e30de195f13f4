#!/usr/bin/env bash
# Tests in which order .ci/run does what, and which files it leaves, with stand-ins for the scripts that it runs.
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
cp "$root/.ci/run" "$root/.ci/check" "$work/tree/.ci/"
# In the place of a bare root, this machine.
stand_in tools/bare_root.sh '
  [ -z "${NO_ROOT:-}" ] || { echo "no namespaces" >&2; exit 3; }
  echo >"$TRACES/root"
  exec "$@"'
stand_in tools/setup.sh '[ "$1" = --tests ] && echo >"$TRACES/set-up"'
# Like ctest, it runs in its own working folder.
stand_in tools/test.sh '
  [ "$1 $2" = "--full --output-junit" ] && [ -e "$TRACES/root" ] || exit 2
  case "$KGRADE_CMAKE_FLAGS" in *-DKGRADE_WERROR=ON*) ;; *) exit 3 ;; esac
  cd /
  wait_for installing
  echo >"$TRACES/building"
  [ -n "${NO_BUILD:-}" ] || echo "<testsuite>$RUN</testsuite>" >"$3"
  [ -z "${FAIL:-}" ]'

# It takes until the build has begun, and a bit longer.
stand_in tools/pytorch.sh '
  [ "$1" = --install ] && [ -e "$TRACES/set-up" ] || exit 2
  echo >"$TRACES/installing"
  wait_for building
  sleep 0.2
  [ -z "${NO_NETWORK:-}" ] || exit 1
  echo /nowhere/python
  echo >"$TRACES/installed"'

# shellcheck disable=SC2317 # the stand-ins call it
wait_for() { # trace
  for _ in $(seq 300); do
    [ ! -e "$TRACES/$1" ] || return 0
    sleep 0.1
  done
  echo "no trace of $1" >&2
  exit 4
}
export -f wait_for
export TRACES=$work/traces
mkdir "$TRACES"

cd "$work"
RUN=first expect 'it succeeds' tree/.ci/run
expect 'it keeps the outcomes of tests' grep -q first tree/build/artifacts/tests.xml
expect 'PyTorch is installed beside the build, and awaited' test -e "$TRACES/installed"

rm "$TRACES"/*
NO_NETWORK=1 RUN=again expect 'it succeeds without PyTorch' tree/.ci/run 2>"$work/said"
expect 'it says that tests are skipped' grep -q 'without PyTorch: tests with the label pytorch are skipped' "$work/said"
expect 'its outcomes are there' grep -q again tree/build/artifacts/tests.xml

if NO_BUILD=1 FAIL=1 RUN='' tree/.ci/run; then expect 'it fails if the build fails' false; fi
expect 'outcomes of an earlier run are gone' test ! -e tree/build/artifacts/tests.xml

if FAIL=1 RUN=second tree/.ci/run; then expect 'it fails if tests fail' false; fi
expect 'it keeps the outcomes of failed tests' grep -q second tree/build/artifacts/tests.xml

RUN=third KGRADE_ARTIFACTS="$work/else where" expect 'another folder can be named' tree/.ci/run
expect 'the outcomes are there' grep -q third 'else where/tests.xml'

rm "$TRACES"/*
if NO_ROOT=1 RUN='' tree/.ci/run 2>"$work/said"; then expect 'it fails if no root can be made' false; fi
expect 'it says why' grep -q 'no namespaces' "$work/said"
expect 'it tests nothing on this machine then' test ! -e "$TRACES/building"

[ "$failures" = 0 ] && echo 'passed'
exit "$((failures > 0))"
