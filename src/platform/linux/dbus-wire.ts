/**
 * The little of the D-Bus wire format that calls to systemd need: method calls out, replies and errors in. Pure.
 * Source: D-Bus Specification, "Message Protocol" and "Marshaling (Wire Format)".
 */

/** A value with its type, written in the order given. */
export type DbusValue =
  | { readonly type: 's' | 'o' | 'g'; readonly value: string }
  | { readonly type: 'u' | 'y'; readonly value: number }
  | { readonly type: 't'; readonly value: bigint }
  | { readonly type: 'b'; readonly value: boolean }
  /** `element` is the signature of an element; needed since an array may be empty. */
  | { readonly type: 'a'; readonly element: string; readonly value: readonly DbusValue[] }
  | { readonly type: 'struct'; readonly value: readonly DbusValue[] }
  | { readonly type: 'v'; readonly value: DbusValue };

export interface DbusCall {
  readonly serial: number;
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly body: readonly DbusValue[];
}

/** A message received; fields that we do not use are left out. */
export interface DbusMessage {
  readonly type: 'call' | 'return' | 'error' | 'signal' | 'unknown';
  readonly replySerial: number | undefined;
  /** E.g. `org.freedesktop.systemd1.UnitExists`. */
  readonly errorName: string | undefined;
  /** First argument, if it is a string. */
  readonly text: string | undefined;
  /** Bytes that the message took. */
  readonly length: number;
}

const TYPES = ['unknown', 'call', 'return', 'error', 'signal'] as const;
const METHOD_CALL = 1;
const FIELD = { path: 1, interface: 2, member: 3, errorName: 4, replySerial: 5, destination: 6, signature: 8 } as const;
/** Specification: 128 MiB; a longer length is no D-Bus. */
const MAX_MESSAGE = 134_217_728;

/** Bytes of a method call, little endian. */
export function encodeCall(call: DbusCall): Buffer {
  const body = new Writer();
  for (const value of call.body) body.write(value);
  const signature = call.body.map(signatureOf).join('');
  const fields: DbusValue[] = [
    field(FIELD.path, { type: 'o', value: call.path }),
    field(FIELD.interface, { type: 's', value: call.interface }),
    field(FIELD.member, { type: 's', value: call.member }),
    field(FIELD.destination, { type: 's', value: call.destination }),
  ];
  if (signature !== '') fields.push(field(FIELD.signature, { type: 'g', value: signature }));
  const header = new Writer();
  header.bytes(0x6c, METHOD_CALL, 0, 1);
  header.uint32(body.length);
  header.uint32(call.serial);
  header.write({ type: 'a', element: '(yv)', value: fields });
  header.align(8);
  return Buffer.concat([header.toBuffer(), body.toBuffer()]);
}

/** The first message in the bytes; undefined if it is not whole yet. Throws Error for bytes that are no D-Bus. */
export function decodeMessage(bytes: Buffer): DbusMessage | undefined {
  if (bytes.length < 16) return undefined;
  const order = bytes[0];
  if (order !== 0x6c && order !== 0x42) throw new Error('the answer is no D-Bus message');
  const reader = new Reader(bytes, order === 0x6c);
  const bodyLength = reader.uint32At(4);
  const fieldsLength = reader.uint32At(12);
  const bodyStart = alignUp(16 + fieldsLength, 8);
  const length = bodyStart + bodyLength;
  if (length > MAX_MESSAGE) throw new Error('the answer is no D-Bus message');
  if (bytes.length < length) return undefined;

  const fields = reader.fields(16, 16 + fieldsLength);
  const signature = fields.get(FIELD.signature);
  const startsWithString = typeof signature === 'string' && /^[so]/.test(signature);
  const replySerial = fields.get(FIELD.replySerial);
  const errorName = fields.get(FIELD.errorName);
  return {
    type: TYPES[bytes[1] ?? 0] ?? 'unknown',
    replySerial: typeof replySerial === 'number' ? replySerial : undefined,
    errorName: typeof errorName === 'string' ? errorName : undefined,
    text: startsWithString ? reader.stringAt(bodyStart) : undefined,
    length,
  };
}

/** Signature of a value, e.g. `a(sv)`. */
export function signatureOf(value: DbusValue): string {
  if (value.type === 'a') return `a${value.element}`;
  if (value.type === 'struct') return `(${value.value.map(signatureOf).join('')})`;
  return value.type;
}

function field(code: number, value: DbusValue): DbusValue {
  return {
    type: 'struct',
    value: [
      { type: 'y', value: code },
      { type: 'v', value },
    ],
  };
}

class Writer {
  private readonly out: number[] = [];

  get length(): number {
    return this.out.length;
  }

  toBuffer(): Buffer {
    return Buffer.from(this.out);
  }

  bytes(...values: number[]): void {
    this.out.push(...values);
  }

  align(size: number): void {
    while (this.out.length % size !== 0) this.out.push(0);
  }

  uint32(value: number): void {
    this.align(4);
    this.bytes(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, (value >>> 24) & 0xff);
  }

  write(value: DbusValue): void {
    switch (value.type) {
      case 's':
      case 'o':
        this.string(value.value);
        break;
      case 'g':
        this.signature(value.value);
        break;
      case 'y':
        this.bytes(value.value);
        break;
      case 'u':
        this.uint32(value.value);
        break;
      case 't':
        this.align(8);
        this.uint32(Number(value.value & 0xffffffffn));
        this.uint32(Number(value.value >> 32n));
        break;
      case 'b':
        this.uint32(value.value ? 1 : 0);
        break;
      case 'v':
        this.signature(signatureOf(value.value));
        this.write(value.value);
        break;
      case 'struct':
        this.align(8);
        for (const member of value.value) this.write(member);
        break;
      case 'a':
        this.array(value.element, value.value);
        break;
    }
  }

  private string(text: string): void {
    const encoded = Buffer.from(text);
    this.uint32(encoded.length);
    this.bytes(...encoded, 0);
  }

  private signature(text: string): void {
    this.bytes(text.length, ...Buffer.from(text), 0);
  }

  /** The length counts from the first element, its padding left out. */
  private array(element: string, values: readonly DbusValue[]): void {
    this.uint32(0);
    const lengthAt = this.out.length - 4;
    this.align(alignmentOf(element));
    const start = this.out.length;
    for (const value of values) this.write(value);
    const length = this.out.length - start;
    for (let i = 0; i < 4; i += 1) this.out[lengthAt + i] = (length >>> (8 * i)) & 0xff;
  }
}

class Reader {
  private readonly view: Buffer;
  private readonly little: boolean;

  constructor(view: Buffer, little: boolean) {
    this.view = view;
    this.little = little;
  }

  uint32At(at: number): number {
    return this.little ? this.view.readUInt32LE(at) : this.view.readUInt32BE(at);
  }

  stringAt(at: number): string {
    return this.view.toString('utf8', at + 4, at + 4 + this.uint32At(at));
  }

  /** Header fields with a string, a signature or a number in them; all that the header may hold. */
  fields(start: number, end: number): Map<number, string | number> {
    const fields = new Map<number, string | number>();
    let at = start;
    while (at < end) {
      at = alignUp(at, 8);
      const code = this.view[at] ?? 0;
      const type = String.fromCharCode(this.view[at + 2] ?? 0);
      at += 4;
      if (type === 'g') {
        const length = this.view[at] ?? 0;
        fields.set(code, this.view.toString('latin1', at + 1, at + 1 + length));
        at += length + 2;
      } else if (type === 's' || type === 'o') {
        at = alignUp(at, 4);
        fields.set(code, this.stringAt(at));
        at += 4 + this.uint32At(at) + 1;
      } else if (type === 'u') {
        at = alignUp(at, 4);
        fields.set(code, this.uint32At(at));
        at += 4;
      } else {
        throw new Error('the answer is no D-Bus message');
      }
    }
    return fields;
  }
}

function alignmentOf(signature: string): number {
  const first = signature[0] ?? '';
  if (first === '(' || first === 't') return 8;
  return 'gvy'.includes(first) ? 1 : 4;
}

function alignUp(value: number, size: number): number {
  return Math.ceil(value / size) * size;
}
