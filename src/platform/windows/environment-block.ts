/**
 * The environment as CreateProcessW takes it: `NAME=value` each with a NUL, sorted by the upper-case name, and one more
 * NUL. Names that differ only in case are one variable, of which the last counts; a name or value with a NUL cannot be.
 */
export function environmentBlock(env: Readonly<Record<string, string | undefined>>): Buffer {
  const entries = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || name === '' || name.includes('\0') || value.includes('\0')) continue;
    entries.set(name.toUpperCase(), `${name}=${value}`);
  }
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => `${entry}\0`);
  // An empty block has two NULs.
  return Buffer.from(`${sorted.join('')}${sorted.length === 0 ? '\0' : ''}\0`, 'utf16le');
}
