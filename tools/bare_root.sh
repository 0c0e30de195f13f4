#!/usr/bin/env bash
# Runs a command in a bare root of a distribution, with this checkout at /src/kgrade, as on a machine that has just been installed.
#   tools/bare_root.sh [--suite bookworm|noble] [--keep] COMMAND...
# The root is what debootstrap makes (Debian 12, or Ubuntu 24.04 with `--suite noble`) and has no packages of this machine. Only
# these things come from here: the checkout, except its folder build/, of which the command sees and can change only
# build/artifacts; a CUDA Toolkit, because Debian 12 has no package of it that is new enough; and how this machine reaches the
# network. What the command installs and builds is lost at the end, unless --keep is given: then the next call with --keep
# begins with it.
# The root is kept in $KGRADE_ROOTS, or ~/.cache/kgrade-roots, under the hash of the list of its packages.
# It needs root, namespaces and debootstrap. If one of them is missing, the exit code is 3.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
inside=/src/kgrade
roots=${KGRADE_ROOTS:-${XDG_CACHE_HOME:-$HOME/.cache}/kgrade-roots}
certificates=/etc/ssl/certs/ca-certificates.crt
# Beside what is in every installation of Debian: nothing.
variant=minbase

say() { echo "bare root: $*" >&2; }

fail() { # message, remedy
  echo "error: $1" >&2
  echo "  remedy: $2" >&2
  exit 3
}

usage() {
  sed -n '3s/^# *//p' "${BASH_SOURCE[0]}"
}

require_tools() {
  [ "$(id -u)" -eq 0 ] || fail "a bare root can only be made by root" "run this command with sudo"
  unshare --user --mount --pid --fork true 2>/dev/null ||
    fail "this machine allows no user namespaces, so there is no bare root" "allow them: sysctl user.max_user_namespaces, or another container"
  if ! command -v debootstrap >/dev/null; then
    say "installing debootstrap"
    { apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends debootstrap; } >/dev/null 2>&1 </dev/null ||
      fail "debootstrap is missing and could not be installed" "apt-get install debootstrap"
  fi
}

# Prints the folder of a root, which is made if there is none. Downloads go to standard error.
base_of() { # suite
  local list key folder log=$roots/$1.log
  mkdir -p "$roots"
  exec 9>"$roots/lock"
  flock 9
  # The newest list of packages. Without a network, a root that is there still serves.
  if list=$(debootstrap --variant=$variant --print-debs "$1" "$roots/list.$$" 2>"$log"); then
    key=$(tr -s ' \n' '\n' <<<"$list" | sort | sha256sum | cut -c 1-16)
  else
    key=$(basename "$(ls -td "$roots/$1"-*/ 2>/dev/null | head -n 1)" | sed "s/^$1-//")
  fi
  rm -rf "$roots/list.$$"
  [ -n "$key" ] || fail "the packages of $1 cannot be had: $(grep -hs '^E:' "$log" - <<<"$list" | tail -n 1)" \
    "a network, and a debootstrap that knows $1, are needed"
  folder=$roots/$1-$key
  if [ ! -d "$folder" ]; then
    say "making $1 with debootstrap"
    rm -rf "$folder.new"
    debootstrap --variant=$variant "$1" "$folder.new" >"$log" 2>&1 ||
      fail "debootstrap could not make $1: $(grep '^E:' "$log" | tail -n 1)" "see $log"
    rm -rf "$folder.new"/var/cache/apt/archives/*.deb
    mv "$folder.new" "$folder"
  fi
  exec 9>&-
  echo "$folder"
}

# The way to the network, and the toolkit. Everything else of this machine stays outside.
furnish() { # root, folder for what is built
  local file toolkit
  for file in /etc/resolv.conf /etc/hosts; do
    [ ! -e "$file" ] || { mkdir -p "$1/etc" && cat "$file" >"$1$file"; }
  done
  # For pip, behind a proxy that reads TLS. Not in /etc/ssl, where the package ca-certificates would replace it.
  [ ! -e "$certificates" ] || cat "$certificates" >"$1/run/certificates.crt"
  mkdir -p "$1$inside" "$checkout/build/artifacts" "$2/artifacts"
  mount --bind "$checkout" "$1$inside"
  mount --bind "$2" "$1$inside/build"
  mount --bind "$checkout/build/artifacts" "$1$inside/build/artifacts"
  if toolkit=$(readlink -e "${CUDA_HOME:-/usr/local/cuda}"); then
    mkdir -p "$1/usr/local/cuda"
    mount --rbind "$toolkit" "$1/usr/local/cuda"
  else
    say "no CUDA Toolkit here: the CUDA device is not built"
  fi
}

# In namespaces of its own: replaces the root, and runs the command.
enter() { # root, command...
  local root=$1 node
  shift
  # A mount of another user namespace is locked where it is. A mount of this one can become the root.
  mount --rbind "$root" "$root"
  mount -t proc proc "$root/proc"
  mount --rbind /sys "$root/sys"
  mount -t tmpfs -o mode=755 tmpfs "$root/dev"
  for node in null zero full random urandom tty; do
    : >"$root/dev/$node"
    mount --bind "/dev/$node" "$root/dev/$node"
  done
  mkdir "$root/dev/pts" "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
  mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
  ln -s /proc/self/fd "$root/dev/fd"
  for node in 0:stdin 1:stdout 2:stderr; do ln -s "/proc/self/fd/${node%:*}" "$root/dev/${node#*:}"; done
  mkdir -p "$root/.old"
  cd "$root"
  # A changed root would do for the command, but not for sandboxes in it: the kernel allows no user namespaces below chroot.
  pivot_root . .old
  cd /
  umount --lazy /.old
  rmdir /.old
  cd "$inside"
  passed_variables
  exec env --ignore-environment "${passed[@]}" PATH=/usr/local/cuda/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    HOME=/root LANG=C.UTF-8 "$@"
}

# The variables that say how to reach the network, what terminal there is, and what the scripts of this checkout ask for.
passed_variables() {
  local name
  passed=()
  while read -r name; do
    [[ ! $name =~ ^(KGRADE_.*|CI|TERM|COLUMNS|[a-z]+_proxy|[A-Z]+_PROXY|PIP_(INDEX_URL|EXTRA_INDEX_URL|DEFAULT_TIMEOUT|PROXY))$ ]] ||
      passed+=("$name=${!name}")
  done < <(compgen -e)
  [ ! -e /run/certificates.crt ] || passed+=(PIP_CERT=/run/certificates.crt)
}

# In a mount namespace of its own: makes the root, and runs the command in a user namespace that has all users of the root.
run_over() { # base, folder for changes, command...
  local base=$1 changes=$2 root=$2/root gate child status=0
  shift 2
  mkdir -p "$changes"/{upper,work,root,build,tmp}
  mount -t overlay overlay -o "lowerdir=$base,upperdir=$changes/upper,workdir=$changes/work" "$root"
  # Temporary files lie in a folder of the machine, as on a machine that has no overlay.
  chmod 1777 "$changes/tmp"
  mount --bind "$changes/tmp" "$root/tmp"
  furnish "$root" "$changes/build"
  gate=$changes/gate
  mkfifo "$gate"
  # The standard input of a process in the background would be /dev/null.
  unshare --user --mount --pid --fork --kill-child "${BASH_SOURCE[0]}" --enter "$gate" "$root" "$@" <&0 &
  child=$!
  until [ "$(readlink "/proc/$child/ns/user")" != "$(readlink /proc/self/ns/user)" ]; do sleep 0.01; done
  echo "0 0 65536" >"/proc/$child/uid_map"
  echo "0 0 65536" >"/proc/$child/gid_map"
  echo >"$gate"
  # unshare ignores these signals. With the first process of its namespace, all others end.
  # shellcheck disable=SC2046 # one word for each process
  trap 'kill -KILL $(cat "/proc/$child/task/$child/children") 2>/dev/null' INT TERM
  wait "$child" || status=$?
  return $status
}

main() {
  local suite=bookworm keep=false base changes status=0
  case "${1:-}" in
    --enter) # of this script itself, behind the gate
      local gate=$2
      shift 2
      read -r <"$gate"
      enter "$@"
      ;;
    --over)
      shift
      run_over "$@"
      return
      ;;
  esac
  while [[ ${1:-} == --* ]]; do
    case $1 in
      --suite) suite=${2:?"--suite needs a name"} && shift ;;
      --keep) keep=true ;;
      -h | --help) usage && return ;;
      *) usage >&2 && exit 2 ;;
    esac
    shift
  done
  [ $# -gt 0 ] || { usage >&2; exit 2; }
  require_tools
  base=$(base_of "$suite")
  changes=$base.changes
  $keep || changes=$(mktemp -d "$base.XXXXXX")
  # Two mounts of the same changes would not see each other's locks. The command inherits the lock.
  exec 8>"$changes.lock"
  flock --nonblock 8 || fail "another command is using $changes" "wait for its end, or leave out --keep"
  rm -f "$changes/gate"
  unshare --mount --propagation private "${BASH_SOURCE[0]}" --over "$base" "$changes" "$@" || status=$?
  $keep || rm -rf "$changes" "$changes.lock"
  return $status
}

main "$@"
