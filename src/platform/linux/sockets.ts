import type { Listener } from '../../model/process.ts';
import { formatAddress } from '../format-address.ts';
import { BYTE_ORDER } from './byte-order.ts';
import { readSmall } from './read-small.ts';

/**
 * Adds the listening TCP sockets, v4 and v6, of a network namespace to `into`, by inode, and to `uids` the users that
 * made them, which anybody may see; `netRoot` is …/net.
 */
export function readListeningSockets(
  netRoot: string,
  into: Map<string, Listener>,
  uids: Map<string, number> = new Map(),
): void {
  for (const protocol of ['tcp', 'tcp6'] as const) {
    const bytes = readSmall(`${netRoot}/${protocol}`);
    if (bytes !== undefined) parseListeningSockets(bytes, protocol, into, BYTE_ORDER, uids);
  }
}

/**
 * Parses proc_pid_net_tcp(5). Only lines in state 0A (TCP_LISTEN, include/net/tcp_states.h) are decoded: a busy host has
 * thousands of others. Lines that do not look like it are skipped.
 */
export function parseListeningSockets(
  bytes: Buffer,
  protocol: Listener['protocol'],
  into: Map<string, Listener>,
  byteOrder: 'LE' | 'BE' = BYTE_ORDER,
  uids: Map<string, number> = new Map(),
): void {
  const addressDigits = protocol === 'tcp' ? 8 : 32;
  let lineStart = nextLine(bytes, 0);
  while (lineStart < bytes.length) {
    const lineEnd = nextLine(bytes, lineStart);
    const local = bytes.indexOf(COLON, lineStart) + 2;
    const state = local + 2 * (addressDigits + PORT_DIGITS + 2);
    if (state + 2 < lineEnd && bytes[state] === DIGIT_0 && bytes[state + 1] === LETTER_A) {
      addSocket(bytes.toString('latin1', local, lineEnd), { protocol, into, byteOrder, uids });
    }
    lineStart = lineEnd;
  }
}

/**
 * Decodes an address of proc_pid_net_tcp(5): words of 32 bits, each printed as the host reads it. v6 is written as in
 * RFC 5952, with the v4 part of a mapped address in dots.
 */
export function parseAddress(hex: string, byteOrder: 'LE' | 'BE'): string {
  const bytes: number[] = [];
  for (let word = 0; word < hex.length; word += 8) {
    const ofWord = [0, 2, 4, 6].map((at) => Number.parseInt(hex.slice(word + at, word + at + 2), 16));
    bytes.push(...(byteOrder === 'LE' ? ofWord.reverse() : ofWord));
  }
  return formatAddress(bytes);
}

const COLON = 0x3a;
const DIGIT_0 = 0x30;
const LETTER_A = 0x41;
const NEWLINE = 0x0a;
const PORT_DIGITS = 4;

function nextLine(bytes: Buffer, from: number): number {
  const newline = bytes.indexOf(NEWLINE, from);
  return newline === -1 ? bytes.length : newline + 1;
}

/** `line` starts at the local address: address:port remote:port state queues timer retransmits uid timeout inode … */
function addSocket(line: string, { protocol, into, byteOrder, uids }: Target): void {
  const fields = line.split(/ +/);
  const local = /^((?:[0-9A-F]{8}){1,4}):([0-9A-F]{4})$/.exec(fields[0] ?? '');
  const inode = fields[INODE_FIELD];
  // Inode 0 is a socket that no file holds any more.
  if (local?.[1] === undefined || local[2] === undefined || inode === undefined || !/^[1-9]\d*$/.test(inode)) return;
  const port = Number.parseInt(local[2], 16);
  into.set(inode, { protocol, address: parseAddress(local[1], byteOrder), port });
  if (/^\d+$/.test(fields[UID_FIELD] ?? '')) uids.set(inode, Number(fields[UID_FIELD]));
}

interface Target {
  readonly protocol: Listener['protocol'];
  readonly into: Map<string, Listener>;
  readonly byteOrder: 'LE' | 'BE';
  readonly uids: Map<string, number>;
}

const UID_FIELD = 6;
const INODE_FIELD = 8;
