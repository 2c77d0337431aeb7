import type { Socket } from 'node:net';
import { type DbusMessage, type DbusValue, decodeMessage, encodeCall } from './dbus-wire.ts';

/** A call that the other side answered with an error. */
export class DbusError extends Error {
  override readonly name = 'DbusError';
  /** E.g. `org.freedesktop.systemd1.UnitExists`. */
  readonly errorName: string;
  constructor(errorName: string, message: string) {
    super(message);
    this.errorName = errorName;
  }
}

/** A connection to one bus or to a service's private socket. */
export interface DbusConnection {
  /** Resolves when the call was answered; rejects with DbusError for an error, Error for silence or a broken line. */
  call(request: DbusRequest): Promise<DbusMessage>;
  close(): void;
}

export interface DbusRequest {
  readonly destination: string;
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly body: readonly DbusValue[];
}

export interface DbusOptions {
  /** Our user id, said to the other side (SASL EXTERNAL), which checks it by the socket's credentials. */
  readonly uid: number;
  /** True for a bus, which wants Hello first; false for a service's private socket. */
  readonly isBus: boolean;
  /** Longest wait for each answer, ms. */
  readonly timeoutMs: number;
}

/** Connects to a unix socket and authenticates. Rejects with Error, the socket closed. */
export async function connectDbus(socketPath: string, options: DbusOptions): Promise<DbusConnection> {
  const { connect } = await import('node:net');
  const line = openLine(connect({ path: socketPath }), options.timeoutMs);
  try {
    await line.connected;
    line.send(`\0AUTH EXTERNAL ${Buffer.from(String(options.uid)).toString('hex')}\r\n`);
    const answer = await line.receive(takeLine);
    if (!answer.startsWith('OK ')) throw new Error(`D-Bus refused to authenticate: ${answer}`);
    line.send('BEGIN\r\n');
    const connection = createConnection(line);
    if (options.isBus) await connection.call(HELLO);
    return connection;
  } catch (error) {
    line.close();
    throw error;
  }
}

const HELLO: DbusRequest = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
  member: 'Hello',
  body: [],
};

function createConnection(line: Line): DbusConnection {
  let serial = 0;
  return {
    async call(request) {
      serial += 1;
      const sent = serial;
      line.send(encodeCall({ ...request, serial: sent }));
      for (;;) {
        const message = await line.receive(takeMessage);
        if (message.replySerial !== sent) continue;
        if (message.type === 'error')
          throw new DbusError(message.errorName ?? 'unknown', message.text ?? 'no reason given');
        return message;
      }
    },
    close: () => line.close(),
  };
}

/** Takes one unit from the front of the bytes: what it is and how long; undefined if it is not whole yet. */
type Take<T> = (bytes: Buffer) => { readonly value: T; readonly length: number } | undefined;

interface Line {
  readonly connected: Promise<void>;
  send(data: string | Buffer): void;
  receive<T>(take: Take<T>): Promise<T>;
  close(): void;
}

function openLine(socket: Socket, timeoutMs: number): Line {
  let received = Buffer.alloc(0);
  let failure: Error | undefined;
  let wake: () => void = () => undefined;
  const fail = (error: Error) => {
    failure ??= error;
    wake();
  };
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the D-Bus connection was closed')));
  const bounded = <T>(work: Promise<T>): Promise<T> => {
    const timer = setTimeout(() => fail(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    return work.finally(() => clearTimeout(timer));
  };
  const until = async <T>(test: () => T | undefined): Promise<T> => {
    for (;;) {
      const value = test();
      if (value !== undefined) return value;
      if (failure) throw failure;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  let isConnected = false;
  socket.on('connect', () => {
    isConnected = true;
    wake();
  });
  return {
    connected: bounded(until(() => (isConnected ? true : undefined))).then(() => undefined),
    send: (data) => void socket.write(data),
    receive: (take) =>
      bounded(
        until(() => {
          const taken = take(received);
          if (taken) received = received.subarray(taken.length);
          return taken;
        }),
      ).then((taken) => taken.value),
    close: () => socket.destroy(),
  };
}

function takeLine(bytes: Buffer): { value: string; length: number } | undefined {
  const end = bytes.indexOf('\r\n');
  return end < 0 ? undefined : { value: bytes.toString('latin1', 0, end), length: end + 2 };
}

function takeMessage(bytes: Buffer): { value: DbusMessage; length: number } | undefined {
  const message = decodeMessage(bytes);
  return message && { value: message, length: message.length };
}
