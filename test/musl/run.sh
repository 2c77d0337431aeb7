#!/usr/bin/env bash
# Runs the suite in a root directory with musl and BusyBox (setup.sh), where there is no bash, no ps of procps and no
# glibc. Arguments are vitest's, in place of the core that is run without.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/agentmux-tests/musl
skip() { echo "skipped: the tests with musl and BusyBox: $1"; exit 0; }
[ "$(uname -s)" = Linux ] || skip "this is $(uname -s)"
[ "$(id -u)" = 0 ] || skip 'only root can change the root directory'
unshare -m true 2>/dev/null || skip 'no mount namespace can be made here'
"$here/setup.sh" "$cache" || skip 'the root directory could not be made'

cd "$here/../.."
lock=$(sha256sum package-lock.json | cut -c1-16)
modules=$cache/modules-$lock
if [ ! -e "$modules" ]; then
  rm -rf "$cache"/modules-* "$cache/install"
  mkdir "$cache/install"
  cp package.json package-lock.json "$cache/install/"
  (cd "$cache/install" && npm ci --libc=musl --os=linux --cpu=x64 --ignore-scripts --no-audit --no-fund --silent)
  mv "$cache/install/node_modules" "$modules"
fi
project=$cache/root/agentmux
rm -rf "$project"
mkdir "$project" "$project/node_modules"
tar -c --exclude=./node_modules --exclude=./.git . | tar -x --no-same-owner -C "$project"

[ $# -gt 0 ] || set -- --project unit --project e2e test/{calls,filter,kill,launch,model,platform,state,trackers} \
  test/e2e/{blocks,doctor,entries,keep,kill,kill-tree,labels,ports,prune,ps,run-block,run-exit,run-handover}.test.ts \
  test/e2e/{run-leftovers,run-signals,tree,wait,why}.test.ts
# Tests that want a program which BusyBox does not have, or not with that option.
pattern=
while IFS=$'\t' read -r program title; do
  echo "skipped: $title: needs $program"
  pattern+="${pattern:+|}$(sed 's/[][().*+?^$|\\]/\\&/g' <<<"$title")"
done <test/musl/needs-more.txt
set -- "$@" -t "^(?!.*($pattern))"

# A pid namespace of its own, so that nothing here is told from what runs outside, nor outlives the tests.
exec unshare -m -p -f --propagation private sh -c '
  root=$1 modules=$2; shift 2
  mount --bind "$modules" "$root/agentmux/node_modules" && mount -t proc proc "$root/proc" || exit
  for each in dev sys; do mount --rbind "/$each" "$root/$each" || exit; done
  chroot "$root" /bin/env -i PATH=/bin:/usr/bin HOME=/root TMPDIR=/tmp CI=true NO_COLOR=1 LANG=C.UTF-8 \
    /bin/sh -c "cd /agentmux && exec node node_modules/vitest/vitest.mjs run \"\$@\"" sh "$@"' sh "$cache/root" "$modules" "$@"
