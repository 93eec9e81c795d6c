import { describe, expect, it } from 'vitest';
import { useDatabase } from '../../support/database/database.ts';
import { randomFrom } from '../../support/fuzzing/random-from.ts';
import { send, useServer } from '../../support/http/serve.ts';
import { boardApi } from '../../support/live/board.ts';
import { BoardClient, settle } from '../../support/live/board-client.ts';
import { Dice, randomWatched } from '../../support/live/board-queries.ts';
import { BoardWriter } from '../../support/live/board-writes.ts';
import { useBoardProcess } from '../../support/live/use-board-process.ts';

/** `LIVE_CLIENTS=200 LIVE_WRITES=5000 LIVE_SEED=7 npx vitest run --mode slow live-property` plays longer. */
const count = Number(process.env.LIVE_CLIENTS ?? 40);
const writes = Number(process.env.LIVE_WRITES ?? 240);
const seed = Number(process.env.LIVE_SEED ?? 1);
/** After so many writes it becomes quiet, and all clients are compared. */
const round = 60;

const database = useDatabase();
const serve = useServer();
const startProcess = useBoardProcess();

describe(`${count} clients of two processes, whose lists and records change by ${writes} random writes (seed ${seed})`, () => {
  it('show after each quiet what GET answers, byte for byte, and were never sent what they may not see', async () => {
    const dice = new Dice(randomFrom(seed));
    const api = boardApi(database.db, { warnOnScan: false, onError: (error) => errors.push(error) });
    const errors: Error[] = [];
    const [own, other] = [await serve(api.routes()), await startProcess(process.env.MONGODB_URI ?? '', database.db.databaseName)];
    const ports = [own.port, other.port];
    const writer = new BoardWriter(dice, ports, api);
    await writer.fill();
    const clients = Array.from({ length: count }, () => new BoardClient(randomWatched(dice)));
    const connect = (client: BoardClient) => client.connect(dice.pick(ports));
    await Promise.all(clients.map(connect));
    const vanished: BoardClient[] = [];
    for (let written = 0; written < writes; written++) {
      await writer.write();
      if (dice.chance(0.1)) {
        const client = dice.pick(clients);
        if (client.isConnected) {
          client.vanish();
          vanished.push(client);
        }
      }
      if (dice.chance(0.05)) await Promise.all(vanished.splice(0).map(connect));
      if ((written + 1) % round > 0) continue;
      await Promise.all(vanished.splice(0).map(connect));
      // A record that is gone when its client comes, and the list below such a record, are 404: it comes again.
      for (const client of clients) if (!client.isConnected) client.vanish();
      await Promise.all(clients.filter((one) => !one.isThere).map(connect));
      expect(await settle(clients, dice.pick(ports))).toEqual([]);
    }
    for (const client of clients) client.vanish();
    expect(clients.flatMap(({ faults }) => faults)).toEqual([]);
    expect(errors).toEqual([]);
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
