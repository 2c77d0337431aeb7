#!/usr/bin/env bash
# bed.sh up DIR CHECKOUT | exec DIR SETTING COMMAND [ARG…] | down DIR
#
# A small Debian with a real systemd as its PID 1, in a container of systemd-nspawn, with an ordinary user `dev` (1000)
# that has a user manager. From inside it is a pure cgroup v2 machine, also on a hybrid host. Built once into DIR (some
# minutes); CHECKOUT is shown read-only at /agentmux, the Node that runs this at /usr/local/bin/node. Needs root and
# Debian. LINGER=0 at `up`: the user manager lives only while dev is logged in.
#
#   desktop  in dev's user manager, as a terminal of a desktop     ssh      in the session scope of an ssh login
#   service  in a system service of dev, without any bus           su       by `su -l dev` from a system service
#   root     as root, in a system service
set -euo pipefail
action=$1 dir=$(mkdir -p "$2" && cd "$2" && pwd)
rootfs=$dir/rootfs
shift 2

main() {
  case $action in
    up) build; [ -z "$(leader)" ] || { echo up; return; }; boot "$1" ;;
    exec) run_inside "$@" ;;
    down) power_off ;;
    *) echo "bed.sh: what is $action?" >&2; exit 2 ;;
  esac
}

build() {
  [ ! -e "$dir/built" ] || return 0
  need systemd-nspawn:systemd-container mmdebstrap:mmdebstrap ssh:openssh-client
  rm -rf "$rootfs"
  mmdebstrap --variant=minbase "$(. /etc/os-release && echo "$VERSION_CODENAME")" "$rootfs" $(apt_sources) \
    --include=systemd,systemd-sysv,dbus,dbus-user-session,libpam-systemd,polkitd,openssh-server,procps,util-linux,libstdc++6 \
    >"$dir/build.log" 2>&1 || { tail -5 "$dir/build.log" >&2; exit 1; }
  chroot "$rootfs" useradd -m -u 1000 -s /bin/bash dev
  # No password, but not locked either: sshd would refuse a locked account.
  chroot "$rootfs" usermod -p '*' dev
  echo bed >"$rootfs/etc/hostname"
  printf 'ListenAddress 127.0.0.1\nUseDNS no\nPasswordAuthentication no\n' >"$rootfs/etc/ssh/sshd_config.d/bed.conf"
  rm -f "$dir/key" "$dir/key.pub"
  ssh-keygen -q -t ed25519 -N '' -f "$dir/key"
  install -D -o 1000 -g 1000 -m 600 "$dir/key.pub" "$rootfs/home/dev/.ssh/authorized_keys"
  chown 1000:1000 "$rootfs/home/dev/.ssh"
  for unit in systemd-networkd.service systemd-resolved.service systemd-timesyncd.service apt-daily.timer apt-daily-upgrade.timer; do
    ln -sf /dev/null "$rootfs/etc/systemd/system/$unit"
  done
  touch "$dir/built"
}

# The package sources of this host.
apt_sources() {
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*; do
    grep -qsE '^(deb |Types:.*\bdeb\b)' "$file" && echo "$file"
  done || true
}

# need COMMAND:PACKAGE…
need() {
  local packages=() pair
  for pair; do command -v "${pair%:*}" >/dev/null || packages+=("${pair#*:}"); done
  [ ${#packages[@]} -gt 0 ] || return 0
  apt-get -qq update >&2
  DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends "${packages[@]}" >&2
}

boot() {
  local checkout=$1 group linger=$rootfs/var/lib/systemd/linger
  mkdir -p "$linger" "$rootfs/agentmux" "$rootfs/usr/local/bin"
  if [ "${LINGER:-1}" = 1 ]; then touch "$linger/dev"; else rm -f "$linger/dev"; fi
  touch "$rootfs/usr/local/bin/node"
  for group in $(groups_of_bed); do mkdir -p "$group"; done
  (
    # In groups of its own, v2 and on a hybrid host systemd's v1 too: else nspawn makes groups in the root group.
    for group in $(groups_of_bed); do echo "$BASHPID" >"$group/cgroup.procs"; done
    export SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1
    exec setsid systemd-nspawn --quiet --directory "$rootfs" --machine "$(name)" --boot --register=no --keep-unit \
      --private-network --console=pipe --resolv-conf=off --timezone=off --link-journal=no \
      "--bind-ro=$(readlink -f "$(command -v node)"):/usr/local/bin/node" "--bind-ro=$checkout:/agentmux" \
      </dev/null >"$dir/console.log" 2>&1
  ) &
  echo $! >"$dir/nspawn.pid"
  for _ in $(seq 600); do
    if is_up; then echo up; return; fi
    sleep 0.1
  done
  tail -20 "$dir/console.log" >&2
  exit 1
}

is_up() {
  local pid
  pid=$(leader)
  [ -n "$pid" ] || return 1
  nsenter -t "$pid" -n bash -c 'exec 3<>/dev/tcp/127.0.0.1/22' 2>/dev/null || return 1
  [ "${LINGER:-1}" != 1 ] || [ -S "/proc/$pid/root/run/user/1000/systemd/private" ]
}

name() { echo "agentmux-bed-$(printf %s "$dir" | cksum | cut -d' ' -f1)"; }

# Where its processes are on the host: in v2, and in systemd's own v1 hierarchy if there is one.
groups_of_bed() {
  local v2
  v2=$(awk '$3 == "cgroup2" { print $2; exit }' /proc/mounts)
  echo "$v2/$(name)"
  [ ! -e /sys/fs/cgroup/systemd/cgroup.procs ] || echo "/sys/fs/cgroup/systemd/$(name)"
}

# Pid of the container's PID 1, nothing if it does not run: the child of an nspawn that works on our directory.
leader() {
  local pid=$(cat "$dir/nspawn.pid" 2>/dev/null)
  [ -n "$pid" ] && tr '\0' ' ' 2>/dev/null <"/proc/$pid/cmdline" | grep -qF -- "--directory $rootfs " || return 0
  pgrep -o -P "$pid" || true
}

run_inside() {
  local setting=$1 pid quoted
  shift
  pid=$(leader)
  [ -n "$pid" ] || { echo 'bed.sh: the bed is not up' >&2; exit 125; }
  quoted=$(printf '%q ' "$@")
  local enter=(nsenter -t "$pid" -m -u -i -n -p -C -r -w --)
  local service=(systemd-run --quiet --pipe --wait --collect --service-type=exec)
  # A service's command line expands $NAME.
  local plain=("${@//\$/\$\$}")
  case $setting in
    desktop)
      exec "${enter[@]}" setpriv --reuid=dev --regid=dev --init-groups env -i PATH=/usr/local/bin:/usr/bin:/bin \
        HOME=/home/dev XDG_RUNTIME_DIR=/run/user/1000 "${service[@]}" --user -- "${plain[@]}" ;;
    ssh)
      exec nsenter -t "$pid" -n ssh -F /dev/null -T -i "$dir/key" -o BatchMode=yes -o StrictHostKeyChecking=no \
        -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o ControlMaster=no dev@127.0.0.1 "$quoted" ;;
    service) exec "${enter[@]}" "${service[@]}" --uid=dev --working-directory=/home/dev -- "${plain[@]}" ;;
    su) exec "${enter[@]}" "${service[@]}" -- su -l dev -c "${quoted//\$/\$\$}" ;;
    root) exec "${enter[@]}" "${service[@]}" -- "${plain[@]}" ;;
    *) echo "bed.sh: no setting $setting" >&2; exit 2 ;;
  esac
}

power_off() {
  local pid nspawn group
  pid=$(leader)
  nspawn=$(cat "$dir/nspawn.pid" 2>/dev/null || true)
  # systemd(1): SIGRTMIN+4 powers off.
  [ -z "$pid" ] || kill -s RTMIN+4 "$pid"
  for _ in $(seq 150); do [ -n "$(leader)" ] || break; sleep 0.1; done
  [ -z "$(leader)" ] || kill -KILL "$nspawn"
  rm -f "$dir/nspawn.pid"
  for group in $(groups_of_bed); do
    [ ! -d "$group" ] || find "$group" -depth -type d -exec rmdir {} + 2>/dev/null || true
  done
}

main "$@"
