/** Name of the variable that carries the nonce of a block. */
const TAG_NAME = 'AGENTMUX_TAG';

/**
 * Entries `NAME=value` of an environment block. Those that start with `=` are left out: they are the working directories
 * of drives, which no program sees as variables.
 */
export function parseEnvironmentBlock(block: string): string[] {
  const end = block.indexOf('\0\0');
  return (end === -1 ? block : block.slice(0, end)).split('\0').filter((entry) => entry.indexOf('=') > 0);
}

/** Values of the variables of these names, whose case does not count; of two the first. By the names as they were asked for. */
export function findVariables(entries: readonly string[], names: ReadonlySet<string>): Map<string, string> {
  const asked = new Map(Array.from(names, (name) => [name.toUpperCase(), name]));
  const found = new Map<string, string>();
  for (const entry of entries) {
    const equals = entry.indexOf('=');
    const name = asked.get(entry.slice(0, equals).toUpperCase());
    if (name !== undefined && !found.has(name)) found.set(name, entry.slice(equals + 1));
  }
  return found;
}

/** Which of the tags the environment holds as the value of AGENTMUX_TAG. */
export function findTag(entries: readonly string[], tags: ReadonlySet<string>): string | undefined {
  const tag = findVariables(entries, new Set([TAG_NAME])).get(TAG_NAME);
  return tag !== undefined && tags.has(tag) ? tag : undefined;
}
