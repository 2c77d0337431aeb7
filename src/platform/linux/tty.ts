/**
 * Name of a terminal by the device number of the status line (proc_pid_stat(5), field 7): `pts/3`, `tty1`, `ttyS0`,
 * `console`, else `major:minor`; undefined for 0, which is no terminal. Majors are those of the kernel's
 * admin-guide/devices.txt.
 */
export function formatTty(ttyNr: number): string | undefined {
  if (ttyNr === 0) return undefined;
  const major = (ttyNr >>> 8) & 0xfff;
  const minor = (ttyNr & 0xff) | ((ttyNr >>> 12) & 0xfff00);
  if (major >= UNIX98_FIRST && major <= UNIX98_LAST) return `pts/${minor + (major - UNIX98_FIRST) * 256}`;
  if (major === VIRTUAL) return minor < 64 ? `tty${minor}` : `ttyS${minor - 64}`;
  if (major === ALTERNATE && minor === 1) return 'console';
  return `${major}:${minor}`;
}

const VIRTUAL = 4;
const ALTERNATE = 5;
const UNIX98_FIRST = 136;
const UNIX98_LAST = 143;
