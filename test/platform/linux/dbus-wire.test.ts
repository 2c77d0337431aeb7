import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type DbusMessage,
  type DbusValue,
  decodeMessage,
  encodeCall,
  signatureOf,
} from '../../../src/platform/linux/dbus-wire.ts';
import { scopeArguments } from '../../../src/platform/linux/systemd.ts';
import { recorded } from '../../fixtures/dbus-messages.ts';

function decodeAll(bytes: Buffer): DbusMessage[] {
  const messages: DbusMessage[] = [];
  for (let rest = bytes; rest.length > 0; ) {
    const message = decodeMessage(rest);
    if (!message) throw new Error('the bytes end within a message');
    messages.push(message);
    rest = rest.subarray(message.length);
  }
  return messages;
}

describe('encodeCall', () => {
  it('writes the bytes that a manager accepted', () => {
    const pidAt = recorded.call.indexOf('PIDs') + 16;
    const body = scopeArguments({
      name: 'agentmux-rec-p.scope',
      description: 'agentmux block rec',
      slice: 'agentmux.slice',
      pids: [recorded.call.readUInt32LE(pidAt)],
    });
    const call = {
      serial: 1,
      destination: 'org.freedesktop.systemd1',
      path: '/org/freedesktop/systemd1',
      interface: 'org.freedesktop.systemd1.Manager',
      member: 'StartTransientUnit',
      body,
    };
    expect(encodeCall(call)).toEqual(recorded.call);
    expect(body.map(signatureOf).join('')).toBe('ssa(sv)a(sa(sv))');
  });

  it('writes nothing that reads as another length than it has', () => {
    const text = fc.string({ unit: 'binary' });
    const value: fc.Arbitrary<DbusValue> = fc.oneof(
      text.map((one): DbusValue => ({ type: 's', value: one })),
      fc.nat().map((one): DbusValue => ({ type: 'u', value: one })),
      fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map((one): DbusValue => ({ type: 't', value: one })),
      fc.boolean().map((one): DbusValue => ({ type: 'v', value: { type: 'b', value: one } })),
      fc.array(fc.nat()).map((all): DbusValue => {
        return { type: 'a', element: 'u', value: all.map((one) => ({ type: 'u', value: one })) };
      }),
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 6 }), text, (body, member) => {
        const bytes = encodeCall({ serial: 7, destination: 'd', path: '/p', interface: 'i', member, body });
        expect(decodeMessage(bytes)).toMatchObject({ type: 'call', length: bytes.length });
        expect(decodeMessage(bytes.subarray(0, -1)) === undefined || body.length === 0).toBe(true);
      }),
    );
  });
});

describe('decodeMessage', () => {
  it('reads signals and the answer behind them', () => {
    const messages = decodeAll(recorded.started);
    expect(messages.map((message) => message.type)).toEqual(['signal', 'signal', 'return']);
    expect(messages[2]).toMatchObject({ replySerial: 1 });
    expect(messages[2]?.text).toMatch(/^\/org\/freedesktop\/systemd1\/job\/\d+$/);
  });

  it('reads errors with their name and text', () => {
    expect(decodeAll(recorded.exists)).toMatchObject([
      {
        type: 'error',
        replySerial: 2,
        errorName: 'org.freedesktop.systemd1.UnitExists',
        text: 'Unit agentmux-rec-p.scope was already loaded or has a fragment file.',
      },
    ]);
    expect(decodeAll(recorded.dead)[0]?.errorName).toBe('org.freedesktop.DBus.Error.UnixProcessIdUnknown');
  });

  it('reads what a bus says', () => {
    expect(decodeAll(recorded.hello)).toMatchObject([
      { type: 'return', replySerial: 1, text: expect.stringMatching(/^:1\.\d+$/) },
      { type: 'signal' },
    ]);
    expect(decodeAll(recorded.startedByBus)[0]).toMatchObject({ type: 'return', replySerial: 2 });
  });

  it('waits for the rest of a message, wherever it is cut', () => {
    for (let end = 0; end < recorded.exists.length; end += 1) {
      expect(decodeMessage(recorded.exists.subarray(0, end))).toBeUndefined();
    }
  });

  it('ends on any bytes: a message, a wait for more, or an error that says so', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, isLittle) => {
        const buffer = Buffer.from([isLittle ? 0x6c : 0x42, ...bytes]);
        try {
          const message = decodeMessage(buffer);
          expect(message === undefined || message.length <= buffer.length).toBe(true);
        } catch (error) {
          expect((error as Error).message).toBe('the answer is no D-Bus message');
        }
      }),
    );
  });
});
