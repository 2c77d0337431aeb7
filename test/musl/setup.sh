#!/usr/bin/env bash
# Makes a root directory with musl, BusyBox and Node's musl build: what Alpine has, without Alpine's package registry.
# Everything comes from Debian's archive and the npm registry, and lands in DIRECTORY (outside the repository).
#
#   setup.sh DIRECTORY      as root on Debian (amd64) with gcc; a second run returns at once
#
# The npm registry has no package of Node for musl, but a package manager that is one: a single executable application
# of Node. With its fuse unset it is Node itself (Node's documentation, "Single executable applications"). It wants
# libstdc++, which Debian has for glibc only; musl's loader takes that one when a few symbols of glibc are added.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
directory=$(realpath -m "${1:?usage: setup.sh DIRECTORY}")
root=$directory/root
package=@pnpm/linuxstatic-x64@11.21.0
[ -e "$root/.ready-2" ] && exit 0
[ "$(id -u)" = 0 ] || { echo 'only root can make the musl root' >&2; exit 1; }
[ "$(uname -m)" = x86_64 ] || { echo "no musl build of Node for $(uname -m) is known" >&2; exit 1; }
command -v apt-get >/dev/null || { echo 'this needs Debian: apt-get is missing' >&2; exit 1; }
command -v gcc >/dev/null || { echo 'gcc is missing: apt-get install gcc' >&2; exit 1; }

rm -rf "$root" "$directory/work"
mkdir -p "$root"/{bin,dev,etc,lib,proc,root,run,sys,usr,var} "$directory/work"
ln -s bin "$root/sbin"
ln -s ../bin "$root/usr/bin"
mkdir -m 1777 "$root/tmp"
cd "$directory/work"

# Debian 13's, whatever runs here: the executable wants a libstdc++ of GCC 13 or later.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | sort -u | grep -v security | head -1)
mkdir -p apt/lists/partial apt/cache/archives/partial
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >apt/sources.list
apt=(apt-get -qq -o Dir::Etc::sourcelist="$PWD/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
  -o Dir::State="$PWD/apt" -o Dir::Cache="$PWD/apt/cache" -o APT::Sandbox::User=root)
"${apt[@]}" update
"${apt[@]}" download musl busybox-static bash-static libstdc++6 libgcc-s1
for deb in ./*.deb; do dpkg-deb -x "$deb" files; done

cp files/lib/x86_64-linux-musl/libc.so "$root/lib/ld-musl-x86_64.so.1" 2>/dev/null ||
  cp files/usr/lib/x86_64-linux-musl/libc.so "$root/lib/ld-musl-x86_64.so.1"
ln -s ld-musl-x86_64.so.1 "$root/lib/libc.musl-x86_64.so.1"
cp -L files/usr/lib/x86_64-linux-gnu/{libstdc++.so.6,libgcc_s.so.1} "$root/lib/"
gcc -shared -nostdlib -fPIC -fno-builtin -o "$root/lib/ld-linux-x86-64.so.2" "$here/glibc-symbols.c"

npm pack --silent "$package" >/dev/null
tar xzf ./*.tgz
sed 's/\(NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:\)1/\10/' package/pnpm >"$root/bin/node"
chmod 755 "$root/bin/node"

busybox=$(find files -path '*/bin/busybox' -type f)
cp "$busybox" "$root/bin/busybox"
applets=$("$busybox" --list)
for applet in $applets; do [ -e "$root/bin/$applet" ] || ln -s busybox "$root/bin/$applet"; done
# What agents need for their tools, in whatever image they run.
cp "$(find files -path '*/bin/bash-static' -type f)" "$root/bin/bash"
printf 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n' >"$root/etc/passwd"
# What agents need for their tools, in whatever image they run.
cp "$(find files -path '*/bin/bash-static' -type f)" "$root/bin/bash"
printf 'root:x:0:\nnogroup:x:65534:\n' >"$root/etc/group"
chroot "$root" /bin/node -e ''
rm -rf "$directory/work"
touch "$root/.ready-2"
