/**
 * A bound of a filter: `cpu` in percent, `memory` in bytes (K, M, G, T are powers of 1024), `age` in ms (a number of
 * seconds, or with s, m, h, d), any other key a plain number. Undefined if it is none.
 */
export function parseQuantity(key: string, text: string): number | undefined {
  const match = /^(\d{1,15}(?:\.\d{1,6})?)\s*([a-z%]*)$/i.exec(text.trim());
  const factor = match === null ? undefined : (UNITS[key] ?? PLAIN)[(match[2] ?? '').toLowerCase()];
  return match === null || factor === undefined ? undefined : Number(match[1]) * factor;
}

const KIB = 1024;
const PLAIN: Readonly<Record<string, number>> = { '': 1 };

const UNITS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  cpu: { '': 1, '%': 1 },
  memory: {
    ...{ '': 1, b: 1, k: KIB, kb: KIB, kib: KIB, m: KIB ** 2, mb: KIB ** 2, mib: KIB ** 2 },
    ...{ g: KIB ** 3, gb: KIB ** 3, gib: KIB ** 3, t: KIB ** 4, tb: KIB ** 4, tib: KIB ** 4 },
  },
  age: { '': 1000, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 },
};
