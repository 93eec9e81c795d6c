import { killChangeStreams } from '../../support/database/change-streams.ts';
import { useDatabase } from '../../support/database/database.ts';
import { randomFrom } from '../../support/fuzzing/random-from.ts';
import { givenSeed, rounds } from '../../support/fuzzing/rounds.ts';
import { send, useServer } from '../../support/http/serve.ts';
import { boardApi } from '../../support/live/board.ts';
import { BoardClient, settle } from '../../support/live/board-client.ts';
import { Dice, randomWatched } from '../../support/live/board-queries.ts';
import { BoardWriter } from '../../support/live/board-writes.ts';
import { useBoardProcess } from '../../support/live/use-board-process.ts';

/** `ROUNDS=20 SEED=7 npm run test:slow live-property` plays with 200 clients and 4,800 writes. */
const count = Math.min(40 * rounds, 200);
const writes = 240 * rounds;
const seed = givenSeed ?? 1;
/** After so many writes it becomes quiet, and all clients are compared. In each round one process is killed. */
const round = 60;

const database = useDatabase();
const serve = useServer();
const startProcess = useBoardProcess();

describe(`${count} clients of two processes, whose lists, records and rights change by ${writes} random writes (seed ${seed})`, () => {
  it('show after each quiet what GET answers, byte for byte, and were never sent what they may not see', async () => {
    const dice = new Dice(randomFrom(seed));
    const options = { hasMembers: true, warnOnScan: false, live: { recheckEvery: 1_000 } };
    const errors: Error[] = [];
    const api = boardApi(database.db, { ...options, onError: (error) => errors.push(error) });
    const startOther = () => startProcess(process.env.MONGODB_URI ?? '', database.db.databaseName, options);
    const own = await serve(api.routes());
    let other = await startOther();
    const ports = [own.port, other.port];
    const writer = new BoardWriter(dice, ports, api);
    await writer.fill();
    const clients = Array.from({ length: count }, () => new BoardClient(randomWatched(dice), { refusals: [400, 401, 403, 404, 503] }));
    const connect = (client: BoardClient) => client.connect(dice.pick(ports));
    await Promise.all(clients.map(connect));
    const vanished: BoardClient[] = [];
    const vanish = (client: BoardClient) => {
      client.vanish();
      vanished.push(client);
    };
    let killedCursors = 0;
    for (let begun = 0; begun < writes; begun += round) {
      const [killed, startedAgain] = [5 + dice.below(20), 30 + dice.below(20)];
      let starting = Promise.resolve(other);
      for (let at = 0; at < round; at++) {
        if (at === killed) {
          await other.kill();
          ports.pop();
          for (const client of clients) if (client.isThere && client.port === other.port) vanish(client);
          starting = startOther();
        }
        if (at === startedAgain) {
          other = await starting;
          ports.push(other.port);
        }
        await writer.write();
        if (dice.chance(0.1)) await writer.changeRights(database.db);
        if (dice.chance(0.05)) killedCursors += await killChangeStreams(database.db);
        const client = dice.pick(clients);
        if (dice.chance(0.1) && client.isConnected) vanish(client);
        if (dice.chance(0.05)) await Promise.all(vanished.splice(0).map(connect));
      }
      await Promise.all(vanished.splice(0).map(connect));
      // A stream has ended if its record is gone, or its user may not read it for now: the client comes again.
      expect(await settle(clients, dice.pick(ports), { comeAgain: true })).toEqual([]);
    }
    for (const client of clients) client.vanish();
    expect(clients.flatMap(({ faults }) => faults)).toEqual([]);
    expect(errors).toEqual([]);
    expect(killedCursors).toBeGreaterThan(0);
    expect(sum(clients.map(({ same }) => same))).toBeGreaterThan(0);
    expect(sum(clients.map(({ events }) => events))).toBeGreaterThan(writes);
  });
});

describe('clients of one writer', () => {
  it('are shown nothing but what GET answered after some write, in the order of the writes', async () => {
    const dice = new Dice(randomFrom(seed + 1));
    const api = boardApi(database.db, { warnOnScan: false });
    const { port } = await serve(api.routes());
    await Promise.all(['teams', 'projects', 'tags', 'tasks', 'remarks'].map((name) => database.db.collection(name).deleteMany({})));
    const writer = new BoardWriter(dice, [port], api);
    await writer.fill();
    // Each is one read of the database: what includes show may be of a later moment than their records.
    const paths = ['/tasks', '/tasks?sort=rank&limit=3', '/tasks?status=open&fields=title,rank', '/tasks?filter=any(lines,sku=%22s1%22)'];
    const clients = paths.flatMap((path) => ['ann', 'ada', 'root'].map((user) => new BoardClient({ user, path })));
    await Promise.all(clients.map((client) => client.connect(port)));
    const shown = clients.map((client) => [client.shown]);
    for (const [at, client] of clients.entries()) client.stream.whenRead = () => shown[at]?.push(client.shown);
    const answered = clients.map(({ shown }) => [shown]);
    for (let written = 0; written < 60; written++) {
      await writer.write({ isAtomic: true });
      await Promise.all(
        clients.map(async ({ watched: { user, path } }, at) => {
          answered[at]?.push((await send(port, 'GET', path, { headers: { authorization: user } })).text);
        }),
      );
      if (written % 4 === 3) expect(await settle(clients, port)).toEqual([]);
    }
    for (const [at, { watched }] of clients.entries()) {
      let from = 0;
      for (const state of shown[at] ?? []) {
        const found = answered[at]?.indexOf(state, from) ?? -1;
        expect([watched, state, found >= from]).toEqual([watched, state, true]);
        from = found;
      }
    }
    for (const client of clients) client.vanish();
    expect(clients.flatMap(({ faults }) => faults)).toEqual([]);
    expect(sum(shown.map((states) => states.length))).toBeGreaterThan(60);
  });
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
