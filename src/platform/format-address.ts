/**
 * The text of an address of 4 or 16 bytes in network order. v6 is written as in RFC 5952, with the v4 part of a mapped
 * address in dots.
 */
export function formatAddress(bytes: ArrayLike<number>): string {
  const list = Array.from(bytes);
  return list.length === 4 ? list.join('.') : formatV6(list);
}

function formatV6(bytes: readonly number[]): string {
  const groups: number[] = [];
  for (let at = 0; at < 16; at += 2) groups.push((bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0));
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return `::ffff:${bytes.slice(12).join('.')}`;
  }
  const zeros = findLongestZeros(groups);
  const hex = groups.map((group) => group.toString(16));
  if (zeros.length < 2) return hex.join(':');
  return `${hex.slice(0, zeros.start).join(':')}::${hex.slice(zeros.start + zeros.length).join(':')}`;
}

function findLongestZeros(groups: readonly number[]): { start: number; length: number } {
  let longest = { start: 0, length: 0 };
  let start = 0;
  groups.forEach((group, index) => {
    if (group !== 0) start = index + 1;
    else if (index + 1 - start > longest.length) longest = { start, length: index + 1 - start };
  });
  return longest;
}
