import { BYTE_ORDER } from './byte-order.ts';
import { readSmall } from './read-small.ts';

/** The units in which the kernel counts memory and time in procfs. */
export interface KernelUnits {
  readonly pageBytes: number;
  readonly ticksPerSecond: number;
}

/** Units of the running kernel; what every common configuration uses if the auxiliary vector cannot be read. */
export function readKernelUnits(procRoot: string): KernelUnits {
  const bytes = readSmall(`${procRoot}/self/auxv`);
  return bytes === undefined ? USUAL_UNITS : parseKernelUnits(bytes, wordBytes());
}

/** Parses an auxiliary vector (getauxval(3)): pairs of words, ended by AT_NULL. */
export function parseKernelUnits(bytes: Buffer, wordSize: 4 | 8): KernelUnits {
  let { pageBytes, ticksPerSecond } = USUAL_UNITS;
  for (let at = 0; at + 2 * wordSize <= bytes.length; at += 2 * wordSize) {
    const type = readWord(bytes, at, wordSize);
    const value = readWord(bytes, at + wordSize, wordSize);
    if (type === AT_NULL) break;
    if (type === AT_PAGESZ && value > 0) pageBytes = value;
    if (type === AT_CLKTCK && value > 0) ticksPerSecond = value;
  }
  return { pageBytes, ticksPerSecond };
}

const USUAL_UNITS: KernelUnits = { pageBytes: 4096, ticksPerSecond: 100 };
const AT_NULL = 0;
const AT_PAGESZ = 6;
const AT_CLKTCK = 17;
const ARCHITECTURES_OF_32_BITS = new Set(['arm', 'ia32', 'mips', 'mipsel', 'ppc', 's390']);

function wordBytes(): 4 | 8 {
  return ARCHITECTURES_OF_32_BITS.has(process.arch) ? 4 : 8;
}

function readWord(bytes: Buffer, at: number, wordSize: 4 | 8): number {
  const little = BYTE_ORDER === 'LE';
  if (wordSize === 4) return little ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at);
  return Number(little ? bytes.readBigUInt64LE(at) : bytes.readBigUInt64BE(at));
}
