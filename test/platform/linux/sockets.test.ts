import { isIPv4, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Listener } from '../../../src/model/process.ts';
import { parseAddress, parseListeningSockets } from '../../../src/platform/linux/sockets.ts';

const tcp = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode                                                     
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 55001 1 0000000000000000 100 0 0 10 0                     
   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 55002 1 0000000000000000 20 4 30 10 -1                    
   2: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 55003 1 0000000000000000 100 0 0 10 0                     
   3: 0100007F:1F91 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 0 1 0000000000000000 100 0 0 10 0                     
12345: 0100007F:0A0A 0A0A0A0A:0A0A 06 00000000:00000000 03:00000A0A 00000000     0        0 0 3 0000000000000000                                      
`;
const tcp6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000000000000:0BB8 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 66001 1 0000000000000000 100 0 0 10 0
   1: 0000000000000000FFFF00000100007F:0BB9 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 66002 1 0000000000000000 100 0 0 10 0
`;

function parse(text: string, protocol: Listener['protocol']): Map<string, Listener> {
  const sockets = new Map<string, Listener>();
  parseListeningSockets(Buffer.from(text), protocol, sockets, 'LE');
  return sockets;
}

describe('parseListeningSockets', () => {
  it('takes the listening sockets of v4 that some file holds', () => {
    expect([...parse(tcp, 'tcp')]).toEqual([
      ['55001', { protocol: 'tcp', address: '127.0.0.1', port: 8080 }],
      ['55003', { protocol: 'tcp', address: '0.0.0.0', port: 22 }],
    ]);
  });

  it('takes the listening sockets of v6', () => {
    expect([...parse(tcp6, 'tcp6').values()]).toEqual([
      { protocol: 'tcp6', address: '::', port: 3000 },
      { protocol: 'tcp6', address: '::ffff:127.0.0.1', port: 3001 },
    ]);
  });

  it('never throws, and makes nothing of a table that is cut off', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => parse(Buffer.from(bytes).toString('latin1'), 'tcp').size === 0));
    fc.assert(
      fc.property(fc.nat(tcp.length), (length) => {
        for (const socket of parse(tcp.slice(0, length), 'tcp').values()) expect([8080, 22]).toContain(socket.port);
      }),
    );
  });
});

describe('parseAddress', () => {
  it.each<[string, 'LE' | 'BE', string]>([
    ['0100007F', 'LE', '127.0.0.1'],
    ['7F000001', 'BE', '127.0.0.1'],
    ['00000000000000000000000001000000', 'LE', '::1'],
    ['00000000000000000000000000000001', 'BE', '::1'],
    ['B80D0120000000000000000001000000', 'LE', '2001:db8::1'],
    ['20010DB8000000000001000000000001', 'BE', '2001:db8::1:0:0:1'],
    ['20010DB8000000010001000100010001', 'BE', '2001:db8:0:1:1:1:1:1'],
    ['FE800000000000000000000000000000', 'BE', 'fe80::'],
    ['00000000000000000000FFFFC0A80102', 'BE', '::ffff:192.168.1.2'],
  ])('reads %s (%s) as %s', (hex, byteOrder, address) => {
    expect(parseAddress(hex, byteOrder)).toBe(address);
  });

  it('writes every v4 address so that it can be read back', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const hex = address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0').toUpperCase());
        expect(parseAddress(hex.join(''), 'BE')).toBe(address);
        expect(parseAddress(hex.reverse().join(''), 'LE')).toBe(address);
      }),
    );
  });

  it('writes addresses that are addresses', () => {
    const digits = (length: number) =>
      fc.string({ unit: fc.constantFrom(...'0000000F123456789ABCDE'), minLength: length, maxLength: length });
    fc.assert(fc.property(digits(8), (hex) => isIPv4(parseAddress(hex, 'LE'))));
    fc.assert(
      fc.property(digits(32), (hex) => {
        const address = parseAddress(hex, 'LE');
        expect(isIPv6(address)).toBe(true);
        // The canonical form by the URL standard, which writes mapped addresses in hexadecimal.
        if (!address.includes('.')) expect(new URL(`http://[${address}]/`).hostname).toBe(`[${address}]`);
      }),
    );
  });
});
