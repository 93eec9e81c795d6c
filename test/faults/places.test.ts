import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import fc from 'fast-check';
import { cases } from '../support/fuzzing/fuzz.ts';
import { type Client, playClient, type Step } from './parts/clients.ts';
import { type Deployment, startMongods } from './parts/mongods.ts';
import { rounds, seed } from './parts/random.ts';
import { type Service, useService } from './parts/service.ts';
import { authors, stored, things } from './parts/things.ts';

const places = 6;

const startService = useService();
let deployment: Deployment;
let service: Service;
beforeAll(async () => {
  deployment = await startMongods(1);
  const db = deployment.admin.db('places');
  await db.collection<{ _id: string }>(things).insertOne(stored('r'));
  await db.collection<{ _id: string; rank: number }>(authors).insertMany(['ann', 'ben', 'cat'].map((_id, rank) => ({ _id, rank })));
  service = await startService(deployment, 'places', places);
});
afterAll(() => deployment.stop());

const kinds: readonly Step['kind'][] = ['list', 'get', 'none', 'create', 'patch', 'stamp', 'malformed', 'refused'];
const step: fc.Arbitrary<Step> = fc.record({ kind: fc.constantFrom(...kinds), delay: fc.nat(6) });
const steps = fc.tuple(fc.array(step, { minLength: 1, maxLength: 8 }), fc.boolean(), fc.nat(6)).map(([all, isCut, delay]): Step[] => {
  return isCut ? [...all, { kind: 'unfinished', delay }] : all;
});
const client: fc.Arbitrary<Client> = fc.record({
  steps,
  ends: fc.constantFrom('read', 'reset', 'reset', 'end', 'destroy'),
  after: fc.nat(12),
});

describe('when all connections are gone', () => {
  it(`every place is back, and observe has heard of each request once (seed ${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(client, { minLength: 1, maxLength: 8 }), async (clients) => {
        await Promise.all(clients.map((one) => playClient(service.port, one, 'r')));
        const { received, heard, wrong } = await service.untilQuiet();
        expect({ heard, wrong }).toEqual({ heard: received, wrong: [] });
        expect(await service.countPlaces()).toBe(places);
      }),
      { ...cases(80), seed, endOnFailure: true }, // what happens depends on the moment: a smaller example need not fail
    );
  });

  it('memory is as before, however many clients have broken off', async () => {
    const random = fc.sample(client, { seed, numRuns: 400 });
    const play = async () => {
      for (let at = 0; at < random.length; at += 20) {
        await Promise.all(random.slice(at, at + 20).map((one) => playClient(service.port, one, 'r')));
      }
      const { heard, received } = await service.untilQuiet();
      expect([heard, await service.countPlaces()]).toEqual([received, places]);
      return service.measureHeap();
    };
    const before = await play(); // what is compiled and cached by then stays
    for (let round = 0; round < rounds; round++) await play();
    const after = await play();
    if (process.env.FAULT_REPORT) process.stderr.write(`heap: ${before} bytes, then ${after}\n`);
    expect(after - before).toBeLessThan(4 * 2 ** 20);
  });
});

describe('clients that ask for long lists and do not read', () => {
  it('hold little heap: what a list was made of is let go when its text is there', async () => {
    const size = 100_000;
    const long = Array.from({ length: 50 }, (_, index) => ({ ...stored(`long:${index}`), token: 'x'.repeat(size) }));
    await deployment.admin.db('unread').collection<{ _id: string }>(things).insertMany(long);
    const unread = await startService(deployment, 'unread');
    const sockets: Socket[] = [];
    /** Resolves when the head of the answer is there: it is sent behind the whole text. */
    const ask = async () => {
      const socket = connect(unread.port, '127.0.0.1');
      sockets.push(socket);
      socket.write('GET /things?limit=50 HTTP/1.1\r\nHost: x\r\nX-Request-Id: unread\r\n\r\n');
      await once(socket, 'readable');
      expect(String(socket.read(12))).toBe('HTTP/1.1 200');
    };
    await ask(); // what is compiled and cached by then stays
    const before = await unread.measureHeap();
    for (let client = 0; client < 40; client++) await ask();
    const after = await unread.measureHeap();
    if (process.env.FAULT_REPORT)
      process.stderr.write(`heap for 40 answers of ${50 * size} bytes that nobody reads: ${after - before} bytes\n`);
    expect(after - before).toBeLessThan(10 * 2 ** 20);
    for (const socket of sockets) socket.destroy();
    await unread.kill();
  });
});
