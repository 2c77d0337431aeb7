const BLOCK_ID = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/;
const SUFFIX_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';
const SUFFIX_LENGTH = 4;
const BASE_LENGTH = 40;

/** Names of devices on Windows, in any directory and with any extension ("Naming Files, Paths, and Namespaces"). */
const DEVICE_NAME = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i;

/**
 * True for 1 to 64 of `[A-Za-z0-9._-]`, not starting with `-` (a flag) or `.` (a hidden file). Ids are names of files and
 * of kernel objects, and a state directory may be shared between systems: so none ends with a dot, which Windows drops, or
 * is the name of a device there.
 */
export function isValidBlockId(text: string): boolean {
  return BLOCK_ID.test(text) && !text.endsWith('.') && !DEVICE_NAME.test(text);
}

/**
 * A new readable id, `<base>-<4 of [a-z0-9]>`, e.g. `claude-k3f9`. `base` is an agent's id or a command (a path will
 * do); `random` is uniform in [0, 1). Not unique by itself: Store.create tells.
 */
export function newBlockId(base: string, random: () => number): string {
  let suffix = '';
  for (let i = 0; i < SUFFIX_LENGTH; i++) {
    suffix += SUFFIX_ALPHABET.charAt(Math.floor(random() * SUFFIX_ALPHABET.length));
  }
  return `${sanitizeBase(base)}-${suffix}`;
}

/** What a text that a user typed for a block names among some ids. */
export type BlockPrefixResult =
  | { readonly status: 'found'; readonly id: string }
  | { readonly status: 'ambiguous'; readonly candidates: readonly string[] }
  | { readonly status: 'none' };

/** Resolves an id or a prefix of one: an exact id wins, then the only id that starts with the text. Case counts. */
export function resolveBlockPrefix(ids: Iterable<string>, text: string): BlockPrefixResult {
  if (text === '') return { status: 'none' };
  const candidates: string[] = [];
  for (const id of ids) {
    if (id === text) return { status: 'found', id };
    if (id.startsWith(text)) candidates.push(id);
  }
  const [first] = candidates;
  if (first === undefined) return { status: 'none' };
  return candidates.length === 1
    ? { status: 'found', id: first }
    : { status: 'ambiguous', candidates: candidates.sort() };
}

/** Lowercase, so that generated ids never differ in case alone. */
function sanitizeBase(command: string): string {
  const base = command
    .slice(Math.max(command.lastIndexOf('/'), command.lastIndexOf('\\')) + 1)
    .toLowerCase()
    .replace(/\.(exe|cmd|bat|[cm]?js)$/, '')
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, BASE_LENGTH)
    .replace(/[.-]+$/, '');
  if (base === '') return 'block';
  return DEVICE_NAME.test(base) ? base.replaceAll('.', '-') : base;
}
