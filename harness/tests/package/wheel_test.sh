#!/usr/bin/env bash
# Makes the wheel of a build, and uses it as README.md says, in a folder with nothing else in it:
#   wheel_test.sh [BUILD]    by default build/release
# shellcheck disable=SC2016 # $file and $@ are for the shell that hides libraries, $ORIGIN for the loader
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
build=$(cd "${1:-$root/build/release}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() { echo "FAILED: $*"; exit 1; }

# Nothing of the checkout or of this test's surroundings takes part, except where the README's first command makes the wheel.
unset KGRADE_PROGRAM KGRADE_PYTHON PYTHONPATH VIRTUAL_ENV
export PIP_CACHE_DIR="${PIP_CACHE_DIR:-$HOME/.cache/pip}" KGRADE_CACHE_DIR=$work/cache
export HOME=$work/home
mkdir -p "$HOME" tools
printf '#!/usr/bin/env bash\nexec %q --of %q --into %q\n' "$root/tools/wheel.sh" "$build" "$work/dist" >tools/wheel.sh
chmod +x tools/wheel.sh

# The README's commands, in one shell.
mkdir solutions
cp -r "$root/solutions/vector-addition" solutions/
cp solutions/vector-addition/naive.cu mine.cu
example=$(python3 "$root/harness/tests/tools/readme_commands.py" --wheel-example)
bash -euo pipefail -c "$example" | tee printed
line='accepted  solutions/vector-addition/naive.cu  fp32'
grep -qFx "$line" printed || fail "the README's commands for the wheel do not print '$line'"
# A wheel without the service is not what the README promises.
grep -q '^wheel: its service graded a kernel' printed || fail "tools/wheel.sh does not grade through the service of the wheel"

environment=$HOME/kgrade
prefix=$("$environment/bin/python" -c 'import kgrade, pathlib; print(pathlib.Path(kgrade.program()).parents[1])')
[[ $prefix == "$environment"/* ]] || fail "the package uses the program in $prefix"
"$environment/bin/kgrade" --version
[ -s "$environment/share/man/man1/kgrade-grade.1" ] || fail "man does not find the pages of the wheel"
"$environment/bin/kgrade" list | grep -q '^vector-addition ' || fail "the problems are missing"

# Runs a command as on a machine without the libraries that are in the wheel. Where the sandbox or the programs that it
# starts look for them in the system's folders, they find files that are no libraries.
: >empty
hide='for file in /usr/lib/*/libfmt.so.* /usr/lib/*/libyaml-cpp.so.*; do
  [ ! -f "$file" ] || mount --bind empty "$file" || exit
done'
elsewhere=(unshare --map-root-user --mount bash -c "$hide"'; exec "$@"' bash)
if ! "${elsewhere[@]}" true 2>/dev/null; then
  echo "no namespaces: the libraries of the system stay visible"
  elsewhere=(env)
fi

# As a module, and through a service.
"${elsewhere[@]}" "$environment/bin/python" - <<'PYTHON'
import kgrade

right = open("mine.cu").read()
wrong = right.replace("] + ", "] - ")
assert wrong != right
options = {"cases": ["tiny"]}
assert kgrade.grade("vector-addition", "mine.cu", device="emulated", **options).accepted
found = kgrade.grade("vector-addition", wrong, name="wrong.cu", device="emulated", **options)
assert found.verdict == "wrong_answer", found
with kgrade.local(device="emulated", jobs=1) as client:
    grades = client.grade_many([("vector-addition", right, "mine.cu"), ("vector-addition", wrong, "wrong.cu")], **options)
    assert [grade.verdict for grade in grades] == ["accepted", "wrong_answer"], grades
PYTHON

# The programs name no folder outside of the wheel, and the libraries that they need are beside them.
readelf -d "$prefix/bin/kgrade" "$prefix"/libexec/kgrade/* | grep -E 'R(UN)?PATH' >paths
if grep -vF '[$ORIGIN:$ORIGIN/../libexec/kgrade]' paths; then fail "a program of the wheel looks in another folder"; fi
for library in fmt yaml-cpp; do
  found=$(ldd "$prefix/bin/kgrade" | awk -v "name=lib$library.so" 'index($1, name) == 1 {print $3}')
  # Without a line, it is linked statically.
  [[ -z $found || $(realpath "$found") == "$(realpath "$prefix")/libexec/kgrade/"* ]] || fail "lib$library is taken from $found"
done
