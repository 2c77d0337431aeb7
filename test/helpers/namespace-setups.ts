/** How a host of another make is arranged, as shell text. `$GROUP` is a fresh cgroup of the test's. */
export interface HostSetup {
  /** Run once inside the new mount and pid namespaces. */
  readonly script: string;
  /** Run by every process before it enters, e.g. to join `$GROUP`. */
  readonly join?: string;
  readonly cgroupNamespace?: boolean;
}

const unmountAll = 'umount -R /sys/fs/cgroup';
const mountUnified = 'mount -t cgroup2 cgroup2 /sys/fs/cgroup';
const joinGroup = 'echo 0 > "$GROUP/cgroup.procs"';

/** The hosts that tests can be on. Each says what is special about it. */
export const hostSetups = {
  /** cgroup v2 beside the v1 hierarchies, at /sys/fs/cgroup/unified. */
  hybrid: {
    script: `${unmountAll}; mount -t tmpfs tmpfs /sys/fs/cgroup; mkdir /sys/fs/cgroup/unified
      mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified`,
  },
  /** cgroup v2 alone, at /sys/fs/cgroup. */
  unified: { script: `${unmountAll}; ${mountUnified}` },
  /** Without a /bin/sh that can be run. */
  noShell: { script: 'mount --bind /dev/null "$(readlink -f /bin/sh)"' },
  /** No cgroup v2 mount, though /proc/PID/cgroup still has its line. */
  pureV1: { script: `${unmountAll}; mount -t tmpfs tmpfs /sys/fs/cgroup` },
  /** cgroup v2 mounted read-only, as in most containers. */
  readOnly: { script: `${unmountAll}; ${mountUnified}; mount -o remount,ro,bind /sys/fs/cgroup` },
  /** Our own group is threaded: a group can be made in it, but no process can be moved there (cgroups(7)). */
  threaded: {
    script: `${unmountAll}; ${mountUnified}`,
    join: `${joinGroup}; mkdir -p "$GROUP/threads"
      grep -q '^threaded$' "$GROUP/threads/cgroup.type" || echo threaded > "$GROUP/threads/cgroup.type"
      echo $$ > "$GROUP/threads/cgroup.threads"`,
  },
  /** A cgroup namespace with a mount of its own: our group looks like the root. */
  cgroupNamespace: {
    script: `${unmountAll}; ${mountUnified}`,
    join: joinGroup,
    cgroupNamespace: true,
  },
  /** A cgroup namespace with the mount of the host: the root of the mount lies above ours (`/..` in mountinfo). */
  cgroupNamespaceOfHostMount: {
    script: ':',
    join: joinGroup,
    cgroupNamespace: true,
  },
  /** /proc shows an ordinary user its own processes alone (proc(5), hidepid=2). */
  hidepid: { script: 'mount -o remount,hidepid=2 /proc' },
} as const satisfies Record<string, HostSetup>;

export type HostName = keyof typeof hostSetups;
