/** Order of the bytes in a word, as node:os has it, which would be loaded for nothing else. */
export const BYTE_ORDER: 'LE' | 'BE' = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1 ? 'LE' : 'BE';
