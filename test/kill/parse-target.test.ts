import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePort, parseTargetOperand } from '../../src/kill/parse-target.ts';

describe('parseTargetOperand', () => {
  it.each([
    ['a pid', '1234', { type: 'pid', text: '1234', pid: 1234 }],
    ['the lowest pid', '2', { type: 'pid', text: '2', pid: 2 }],
    ['the highest pid', '2147483647', { type: 'pid', text: '2147483647', pid: 2147483647 }],
    ['an identity', '12:3456', { type: 'identity', text: '12:3456', pid: 12, startTicks: 3456 }],
    ['a port', ':8080', { type: 'port', text: ':8080', port: 8080 }],
  ])('reads %s', (_title, text, expected) => {
    expect(parseTargetOperand(text)).toEqual(expected);
  });

  it.each([
    '0',
    '1',
    '-1',
    '-9',
    '-1234',
    '',
    ' ',
    '--',
    'abc',
    '2147483648',
    '99999999999',
    '1.5',
    '0x10',
    ' 12',
    '12 ',
    '12 13',
    '12\n',
    '012',
    '+12',
    '1e3',
    '12:',
    '12:abc',
    '12:-1',
    '12:01',
    '12:99999999999999999',
    ':',
    ':0',
    ':65536',
    ':-1',
    ':08',
    ':12 ',
    '１２',
    '١٢',
    'sleep 100',
    '1:1',
    '0:5',
  ])('refuses %j as a usage error', (text) => {
    expect(() => parseTargetOperand(text)).toThrow(expect.objectContaining({ kind: 'usage' }));
  });

  it('never answers a pid below 2 or above the highest, whatever is written', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.integer().map(String), fc.stringMatching(/^[-+0-9:. x]{0,14}$/)), (text) => {
        let operand: ReturnType<typeof parseTargetOperand>;
        try {
          operand = parseTargetOperand(text);
        } catch (error) {
          expect(error).toMatchObject({ kind: 'usage' });
          return;
        }
        if (operand.type === 'port') expect(operand.port).toBeGreaterThan(0);
        else expect(operand.pid >= 2 && operand.pid < 2 ** 31 && Number.isInteger(operand.pid)).toBe(true);
      }),
    );
  });
});

describe('parsePort', () => {
  it.each(['1', '80', '65535'])('reads %s', (text) => {
    expect(parsePort(text)).toBe(Number(text));
  });
  it.each(['0', '65536', '', '-1', '1.5', '0x50', 'http', '080', ' 80'])('refuses %j', (text) => {
    expect(() => parsePort(text)).toThrow(expect.objectContaining({ kind: 'usage', code: 'bad-port' }));
  });
});
