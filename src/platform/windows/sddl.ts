/** Well-known accounts as security descriptors abbreviate them ("SID Strings"). */
const SYSTEM = new Set(['SY', 'S-1-5-18']);
const ADMINISTRATORS = new Set(['BA', 'S-1-5-32-544']);
/** Who may do it stands for whoever made the thing. */
const STANDS_FOR_OWNER = new Set(['CO', 'S-1-3-0', 'OW', 'S-1-3-4']);

/** Rights that change a file or directory, or who may change it, as letters and as bits. */
const WRITING_LETTERS = new Set(['GA', 'GW', 'FA', 'FW', 'WD', 'WO', 'SD', 'DC', 'LC', 'DT', 'WP', 'KA', 'KW']);
/** GENERIC_ALL, GENERIC_WRITE, WRITE_DAC, WRITE_OWNER, DELETE, FILE_DELETE_CHILD, and writing data, names and attributes. */
const WRITING_BITS = 0x500d_0156;

/** Only that user: of an object, or of a directory and all that is made in it. */
export function ownerOnlySddl(sid: string, kind: 'object' | 'directory'): string {
  const inherit = kind === 'directory' ? 'OICI' : '';
  return `O:${sid}D:P(A;${inherit};GA;;;${sid})`;
}

/** Owner of a security descriptor in text; undefined if it names none. */
export function parseOwner(sddl: string): string | undefined {
  return /^O:(S-[0-9-]+|[A-Z]{2})(?=[GDS]:|$)/.exec(sddl)?.[1];
}

/**
 * Who beside the user (in all spellings), the system and its administrators may write, by the access list of a security
 * descriptor in text; `everyone` alone if it has no list, since then everybody may. Refusals are not taken off: better one
 * too many.
 */
export function findForeignWriters(sddl: string, user: ReadonlySet<string>): string[] {
  const list = /D:([A-Z_]*)((?:\([^)]*\))*)/.exec(sddl);
  if (list === null || list[1]?.includes('NO_ACCESS_CONTROL') === true) return ['everyone'];
  const writers = new Set<string>();
  for (const [, entry = ''] of list[2]?.matchAll(/\(([^)]*)\)/g) ?? []) {
    const [type, flags = '', rights = '', , , sid = ''] = entry.split(';');
    const isGrant = type === 'A' || type === 'OA' || type === 'XA';
    // An entry for what is made below says nothing of the thing itself, but of all of ours in it.
    if (isGrant && allowsWriting(rights) && !isTrusted(sid, user, flags)) writers.add(sid);
  }
  return [...writers];
}

function isTrusted(sid: string, user: ReadonlySet<string>, flags: string): boolean {
  if (STANDS_FOR_OWNER.has(sid)) return sid.startsWith('O') || sid === 'S-1-3-4' || flags.includes('IO');
  return user.has(sid) || SYSTEM.has(sid) || ADMINISTRATORS.has(sid);
}

function allowsWriting(rights: string): boolean {
  if (/^0x[0-9a-f]+$/i.test(rights)) return (Number(rights) & WRITING_BITS) !== 0;
  if (/^\d+$/.test(rights)) return (Number(rights) & WRITING_BITS) !== 0;
  return (rights.match(/../g) ?? []).some((letters) => WRITING_LETTERS.has(letters));
}
