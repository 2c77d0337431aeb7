/** The value of a variable among entries `NAME=value`; its name is the same in any case. */
export function findVariable(environment: readonly Buffer[], name: string): string | undefined {
  const start = `${name.toUpperCase()}=`;
  for (const entry of environment) {
    const text = entry.toString();
    if (text.slice(0, start.length).toUpperCase() === start) return text.slice(start.length);
  }
  return undefined;
}
