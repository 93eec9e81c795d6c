import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { makeWrite } from './things.ts';

/**
 * A request of a {@link Client}, and how long the service is busy with it before it asks the database, in milliseconds.
 */
export interface Step {
  readonly kind: 'list' | 'get' | 'none' | 'create' | 'patch' | 'stamp' | 'malformed' | 'refused' | 'unfinished';
  readonly delay: number;
}

/**
 * A connection: all its requests are sent at once. Its client reads all answers (`read`), or breaks off after so many
 * milliseconds: it resets the connection, says that it has nothing more to send, or is closed while answers still come.
 */
export interface Client {
  readonly steps: readonly Step[];
  readonly ends: 'read' | 'reset' | 'end' | 'destroy';
  readonly after: number;
}

const messages: Readonly<Record<Step['kind'], (record: string) => readonly [line: string, body?: string]>> = {
  list: () => ['GET /authors?total=true&limit=2'],
  get: (record) => [`GET /things/${record}?include=author`],
  none: () => ['GET /nowhere'],
  create: (record) => writeOf('create', record),
  patch: (record) => writeOf('patch', record),
  stamp: (record) => writeOf('stamp', record),
  malformed: () => ['POST /things', '{'],
  refused: () => ['POST /things', '{"unknown":1}'],
  unfinished: () => ['POST /things', '{"id":'],
};

function writeOf(write: 'create' | 'patch' | 'stamp', record: string): readonly [string, string] {
  const { method, path, body } = makeWrite(write, record);
  return [`${method} ${path}`, JSON.stringify(body)];
}

function textOf({ kind, delay }: Step, record: string): string {
  const [line, body = ''] = messages[kind](record);
  const length = Buffer.byteLength(body) + (kind === 'unfinished' ? 100 : 0);
  const headers = [
    `host: x`,
    `x-request-id: ${randomUUID()}`,
    `x-delay: ${delay}`,
    `content-type: application/json`,
    `content-length: ${length}`,
  ];
  return `${line} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${body}`;
}

/** Plays a client against a service, until its connection is gone. */
export async function playClient(port: number, { steps, ends, after }: Client, record: string): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await Promise.race([once(socket, 'connect'), closed]);
  socket.write(steps.map((step) => textOf(step, record)).join(''));
  if (ends === 'read' && steps.every(({ kind }) => kind !== 'unfinished')) await readAnswers(socket, steps.length, closed);
  else {
    socket.resume();
    await new Promise((resolve) => setTimeout(resolve, after)); // the random moment at which it breaks off
  }
  if (ends === 'reset' && !socket.writableEnded) socket.resetAndDestroy();
  else if (ends === 'end') socket.end();
  else socket.destroy();
  const cut = setTimeout(() => socket.destroy(), 100); // an unfinished body would be waited for
  await closed;
  clearTimeout(cut);
}

/** Counts the first lines: no body of ours has one. */
async function readAnswers(socket: Socket, count: number, closed: Promise<unknown>): Promise<void> {
  let text = '';
  const all = new Promise<void>((resolve) => {
    socket.on('data', (bytes) => {
      text += bytes;
      if (text.split('HTTP/1.1 ').length > count) resolve();
    });
  });
  await Promise.race([all, closed]);
}
