import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { changeStreams } from '../../support/database/change-streams.ts';
import { useDatabase } from '../../support/database/database.ts';
import { randomFrom } from '../../support/fuzzing/random-from.ts';
import { rounds } from '../../support/fuzzing/rounds.ts';
import { LiveStream } from '../../support/http/live-stream.ts';
import { RawClient } from '../../support/http/raw-client.ts';
import { send } from '../../support/http/serve.ts';
import { boardApi, Task } from '../../support/live/board.ts';
import { BoardClient, settle, textOf } from '../../support/live/board-client.ts';
import type { Said } from '../../support/live/board-process.ts';
import { Dice, randomWatched } from '../../support/live/board-queries.ts';
import { type BoardProcess, useBoardProcess } from '../../support/live/use-board-process.ts';
import { until } from '../../support/until.ts';

/** Seconds of the churn: `ROUNDS=240 npm run test:slow live-clients` plays an hour. */
const churn = 15 * rounds;

const database = useDatabase();
const startProcess = useBoardProcess();
const start = (options: object = {}) => startProcess(process.env.MONGODB_URI ?? '', database.db.databaseName, options);
const mebibyte = 2 ** 20;
const headers = { authorization: 'ann' };
const event = 'Accept: text/event-stream\r\nAuthorization: ann';

beforeEach(async () => {
  await database.db.collection('tasks').deleteMany({});
  const tasks = Array.from({ length: 20 }, (_, at) => ({ id: `a-t${at}`, tenant: 'a', owner: 'ann', title: 't', rank: 1 }));
  await boardApi(database.db)
    .store(Task)
    .createMany(tasks as never);
});

const countChangeStreams = async () => (await changeStreams(database.db)).length;
const change = (text: string) => database.db.collection('tasks').updateMany({}, { $set: { note: text } });
const large = 'x'.repeat(40_000);

/** Changes large lists until the server can send no more of them: what the system takes is megabytes. */
async function fillConnection(times: number): Promise<void> {
  for (let at = 0; at < times; at++) {
    await change(`${at}${large}`);
    await pause(300); // a list is read again four times a second at most
  }
}

describe('a client that does not read', () => {
  it('costs no more memory however much changes, and is sent the whole list as it is when it reads again', async () => {
    const board = await start();
    const slow = await new LiveStream(board.port, '/tasks', headers).opened();
    slow.pause();
    await fillConnection(16);
    const before = await board.held();
    for (let at = 0; at < 500; at++) await change(`${at}${large}`);
    const after = await board.held();
    expect(after.bytes - before.bytes).toBeLessThan(8 * mebibyte);
    await change('last');
    slow.resume();
    await slow.sees(({ data }) => data.every(({ note }: { note: string }) => note === 'last'));
    expect(slow.events.length).toBeLessThan(30);
    expect(slow.events.slice(1).map(({ event }) => event)).toContain('page');
    expect(textOf(slow.state)).toBe((await send(board.port, 'GET', '/tasks', { headers })).text);
    slow.close();
    await board.kill();
  });

  it('is cut off after `answerTimeout`, and the others are not, even if nothing changes for them', async () => {
    const board = await start({ answerTimeout: 1_000 });
    const reading = await new LiveStream(board.port, '/tasks', headers).opened();
    const quiet = await new LiveStream(board.port, '/tags', headers).opened();
    const slow = await new LiveStream(board.port, '/tasks', headers).opened();
    slow.pause();
    await fillConnection(16);
    await until(async () => (await board.held()).connections === 2);
    slow.resume();
    await until(() => slow.isEnded);
    expect([slow.last?.event, reading.isEnded, quiet.isEnded]).not.toContain('end');
    expect([reading.isEnded, quiet.isEnded]).toEqual([false, false]);
    for (const one of [reading, quiet]) one.close();
    await board.kill();
  });
});

describe('clients that connect and reset the connection', () => {
  it('leave no timer, no socket, no change stream and no memory', async () => {
    const others = await countChangeStreams(); // those of processes that were killed stay in mongod for minutes
    const board = await start({ live: { max: 200 } });
    const dice = new Dice(randomFrom(5));
    const resets = async (count: number) => {
      for (let at = 0; at < count; at += 50) await Promise.all(Array.from({ length: 50 }, () => connectAndReset(board, dice)));
      await until(async () => (await board.held()).connections === 0);
      await until(async () => (await countChangeStreams()) === others);
      return board.held();
    };
    const before = await resets(500);
    const after = await resets(2_000);
    expect(leftOf(after, before)).toEqual({});
    expect(after.bytes - before.bytes).toBeLessThan(4 * mebibyte);
    const streams = Array.from({ length: 200 }, () => new LiveStream(board.port, '/tasks', headers));
    for (const stream of streams) await stream.opened();
    expect(streams.map(({ status }) => status)).toEqual(streams.map(() => 200)); // all places are free
    for (const stream of streams) stream.close();
    await board.kill();
  });
});

/** What there is more of than before. The driver has some timers and sockets of its own, which come and go. */
function leftOf(after: Said, before: Said): Record<string, number> {
  const more = Object.entries(after.resources).map(([kind, count]) => [kind, count - (before.resources[kind] ?? 0)] as const);
  return Object.fromEntries(more.filter(([kind, count]) => count > 20 && kind !== 'TCPSocketWrap'));
}

/** Resets at some moment: before the request is whole, while the list is read, or when its first bytes have come. */
async function connectAndReset({ port }: BoardProcess, dice: Dice): Promise<void> {
  const path = dice.pick(['/tasks', '/tasks?limit=1', '/tasks/a-t1', '/tasks?include=project', '/tags', '/hooked']);
  const head = `GET ${path} HTTP/1.1\r\nHost: x\r\n${event}\r\n\r\n`;
  const moment = dice.below(4);
  const socket: Socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.write(moment === 0 ? head.slice(0, -2) : head);
  if (moment === 2) await new Promise(setImmediate);
  if (moment === 3) await Promise.race([once(socket, 'data'), once(socket, 'close')]);
  socket.resetAndDestroy();
}

describe('a `Last-Event-ID` that is not of this state', () => {
  it.each([
    ['empty', ''],
    ['of 12,000 characters', 'A'.repeat(12_000)],
    ['with operators', '{"$ne":null}'],
    ['with bytes above ASCII', '\xff\xfe'],
    ['with spaces', ' '],
  ])('is answered with the page: %s', async (_what, id) => {
    const board = await shared();
    const stream = await new LiveStream(board.port, '/tasks', { ...headers, 'last-event-id': id }).opened();
    expect([stream.status, stream.last?.event]).toEqual([200, 'page']);
    stream.close();
  });

  it('is answered with the page if it is of what another caller or another list shows', async () => {
    const board = await shared();
    const digest = async (path: string, authorization: string) => {
      const stream = await new LiveStream(board.port, path, { authorization }).opened();
      stream.close();
      return stream.last?.id;
    };
    const others = [await digest('/tasks?limit=1', 'ann'), await digest('/tasks', 'ben'), await digest('/tasks/a-t1', 'ann')];
    for (const id of others) {
      const stream = await new LiveStream(board.port, '/tasks', { ...headers, 'last-event-id': id }).opened();
      expect(stream.last?.event).toBe('page');
      stream.close();
    }
  });

  it.each([
    ['NUL', `Last-Event-ID: a\0b`, 400],
    ['more than Node takes', `Last-Event-ID: ${'A'.repeat(20_000)}`, 431],
  ])('is refused by Node: %s', async (_what, line, status) => {
    const board = await shared();
    const client = await RawClient.connect(board.port);
    await client.send(`GET /tasks HTTP/1.1\r\nHost: x\r\n${event}\r\n${line}\r\n\r\n`);
    expect((await client.answer())?.status).toBe(status);
    client.socket.destroy();
  });
});

describe('`Accept`', () => {
  const stream = 'text/event-stream';
  const lists: readonly (readonly [accept: string, isStream: boolean])[] = [
    [stream, true],
    ['TEXT/Event-Stream', true],
    ['text/event-stream;charset=utf-8', true],
    ['text/event-stream, */*;q=0.1', true],
    ['application/json;q=0.5, text/event-stream', true],
    ['text/event-stream;q=0', false],
    ['text/event-stream;q=0, */*', false],
    ['application/json, text/event-stream;q=0.5', false],
    ['*/*', false],
    ['', false],
    [';;,,=;q=q', false],
    ['text/event-stream\\', false],
    [`${'a/b,'.repeat(3_000)}*/*`, false],
  ];
  it.each(lists.map((one) => [one[0].slice(0, 60), ...one] as const))(
    '`%s` decides between a stream and JSON',
    async (_what, accept, isStream) => {
      const board = await shared();
      const client = await RawClient.connect(board.port);
      await client.send(`GET /tasks?limit=1 HTTP/1.1\r\nHost: x\r\nAuthorization: ann\r\nAccept: ${accept}\r\n\r\n`);
      const answer = await client.answer();
      client.socket.destroy();
      expect([answer?.status, answer?.headers['content-type']?.startsWith(isStream ? stream : 'application/json')]).toEqual([200, true]);
      expect(answer?.headers.vary).toContain('Accept');
    },
  );
});

let board: BoardProcess | undefined;
async function shared(): Promise<BoardProcess> {
  board ??= await start();
  return board;
}

describe(`a process whose clients come and go for ${churn} seconds while records change`, () => {
  it('holds the same memory in the end', async () => {
    const board = await start();
    const dice = new Dice(randomFrom(9));
    const clients = Array.from({ length: 40 }, () => new BoardClient(randomWatched(dice)));
    await Promise.all(clients.map((client) => client.connect(board.port)));
    const play = async (seconds: number) => {
      const end = performance.now() + seconds * 1_000;
      for (let at = 0; performance.now() < end; at++) {
        const [client, task] = [dice.pick(clients), `a-t${dice.below(20)}`];
        client.vanish();
        const written = { note: `n${at}`, rank: dice.below(9) };
        await send(board.port, 'PATCH', `/tasks/${task}`, { headers, body: written });
        await client.connect(board.port);
      }
      expect(await settle(clients, board.port)).toEqual([]);
      return board.held();
    };
    const before = await play(5); // compiled by now
    const after = await play(churn);
    expect(after.bytes - before.bytes).toBeLessThan(4 * mebibyte);
    for (const client of clients) client.vanish();
    expect(clients.flatMap(({ faults }) => faults)).toEqual([]);
    await until(async () => (await board.held()).connections === 0);
    await board.kill();
  });
});
