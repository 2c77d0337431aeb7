/** What kind of `ps` is at hand: which columns it has, and how it is asked for environments. */
export interface PsDialect {
  readonly name: 'darwin' | 'procps' | 'bsd';
  /** Options that list every process in full width. */
  readonly every: readonly string[];
  /** The same, with environments behind the commands. */
  readonly everyWithEnvironment: readonly string[];
  /** Columns of the table but for the start and the name, which come last: each prints one word. */
  readonly columns: readonly PsColumn[];
  /** Locale in which names stay as they are and times are English. */
  readonly locale: string;
  /** Undoes what it makes of bytes that are no printable ASCII. */
  decode(text: string): string;
}

export type PsColumn = 'pid' | 'ppid' | 'pgid' | 'sid' | 'tpgid' | 'ruid' | 'tty' | 'stat' | 'time' | 'rss';

/**
 * macOS (adv_cmds, ps/keyword.c and ps/print.c). `sess` is the address of a kernel structure there, so that sessions are
 * told by the leaders' letter `s` alone (sessions.ts). `-E` shows environments.
 */
const darwin: PsDialect = {
  name: 'darwin',
  every: ['-axww'],
  everyWithEnvironment: ['-axwwE'],
  columns: ['pid', 'ppid', 'pgid', 'tpgid', 'ruid', 'tty', 'stat', 'time', 'rss'],
  locale: 'C',
  decode: decodeVis,
};

/** Linux' procps-ng, ps(1): environments by the letter `e` without a dash. It replaces what its locale cannot print. */
const procps: PsDialect = {
  name: 'procps',
  every: ['-axww'],
  everyWithEnvironment: ['axwwe'],
  columns: ['pid', 'ppid', 'pgid', 'sid', 'tpgid', 'ruid', 'tty', 'stat', 'time', 'rss'],
  locale: 'C.UTF-8',
  decode: (text) => text,
};

/** FreeBSD, ps(1): `-e` shows environments there. */
const freebsd: PsDialect = { ...procps, name: 'bsd', everyWithEnvironment: ['-axwwe'], locale: 'C', decode: decodeVis };

/** The other BSDs, where `sid` may not be known. */
const bsd: PsDialect = { ...darwin, name: 'bsd', everyWithEnvironment: ['-axwwe'] };

/** The dialects to try on a system, the likeliest first. */
export function dialectsFor(system: NodeJS.Platform): readonly PsDialect[] {
  if (system === 'darwin') return [darwin];
  return system === 'linux' || system === 'android' ? [procps] : [freebsd, bsd];
}

/**
 * Undoes vis(3) with VIS_NOSLASH, by which macOS and the BSDs print a byte of 0x80 and above as `M-x` or `M^x`, where the
 * bytes make whole UTF-8 characters. Control characters (`^J`) stay as they are printed: they cannot be told from the
 * same two characters.
 */
export function decodeVis(text: string): string {
  if (!text.includes('M-') && !text.includes('M^')) return text;
  return text.replace(/(?:M(?:-[\x20-\x7e]|\^[@-_?]))+/g, (run) => decodeRun(run) ?? run);
}

function decodeRun(run: string): string | undefined {
  const bytes: number[] = [];
  for (let at = 0; at < run.length; at += 3) {
    const code = run.charCodeAt(at + 2);
    bytes.push(0x80 | (run[at + 1] === '-' ? code : code === 0x3f ? 0x7f : code - 0x40));
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}
