import type { ServerResponse } from 'node:http';
import { useDatabase } from '../../support/database/database.ts';
import { useListener } from '../../support/http/listen.ts';
import { until } from '../../support/until.ts';
import { type Received, receive } from './receivers.ts';
import { retry, useWebhooks, webhooks } from './use-webhooks.ts';

const database = useDatabase();
const listen = useListener();
const { start, subscribe, rows, isSettled, orders, order } = useWebhooks(database);

/** The revisions that a receiver was sent of each record, without repetitions. */
function revisionsOf(received: readonly Received[]): number[][] {
  const ids = new Map<unknown, Set<number>>();
  for (const { event } of received) {
    const { id, revision } = event.data;
    ids.set(id, (ids.get(id) ?? new Set()).add(revision as number));
  }
  return Array.from(ids.values(), (set) => [...set]);
}

describe('webhooks to receivers that fail', () => {
  it('arrive in order for each record at a receiver that fails, hangs and resets for a while', async () => {
    const received: Received[] = [];
    let [secret, requests] = ['', 0];
    const good = receive(() => secret, received);
    const held: ServerResponse[] = [];
    const bad: ((response: ServerResponse) => unknown)[] = [
      (response) => response.writeHead(500).end(),
      (response) => response.socket?.resetAndDestroy(),
      (response) => response.writeHead(302, { location: '/' }).end(),
      (response) => held.push(response), // until the time is over
      (response) => response.writeHead(429, { 'retry-after': '0' }).end(),
      (response) => response.socket?.write('nonsense\r\n\r\n'),
      (response) => response.writeHead(404).end(),
    ];
    const port = await listen((request, response) => {
      const fail = requests++ < 40 ? bad[requests % bad.length] : undefined;
      if (fail) fail(response);
      else good(request, response);
    });
    ({ secret } = await subscribe(`http://127.0.0.1:${port}/`));
    await start();
    const all = await Promise.all(Array.from({ length: 4 }, () => order()));
    for (let revision = 1; revision < 5; revision++)
      await Promise.all(all.map(({ id }) => orders().update(id, { status: `step ${revision}` })));
    await until(async () => requests > 40 && (await isSettled()));
    expect(revisionsOf(received)).toEqual(all.map(() => [0, 1, 2, 3, 4]));
    expect(await rows({ state: 'delivered' })).toHaveLength(20);
  });

  it('reach everybody else while a receiver is dead, however many events wait for it', async () => {
    const received: Received[] = [];
    let secret = '';
    const dead = await listen(() => undefined);
    const port = await listen(receive(() => secret, received));
    const { id: subscription } = await subscribe(`http://127.0.0.1:${dead}/`);
    ({ secret } = await subscribe(`http://127.0.0.1:${port}/`));
    await start({ concurrency: 6, retry: { first: 60_000 } });
    await Promise.all(Array.from({ length: 60 }, () => order()));
    await until(() => received.length === 60);
    expect(await rows({ state: 'pending', subscription })).toHaveLength(60);
  });

  it('stop only the record and the subscription of a dead letter', async () => {
    const received: Received[] = [];
    let [secret, isHealed] = ['', false];
    const { id: refused } = await order();
    const port = await listen(
      receive(
        () => secret,
        received,
        ({ event }) => (event.data.id === String(refused) && !isHealed ? 500 : 200),
      ),
    );
    ({ secret } = await subscribe(`http://127.0.0.1:${port}/`));
    const seen: string[] = [];
    await start({ retry: { ...retry, for: 0 }, observe: ({ kind }) => seen.push(kind) });
    await orders().update(refused, { status: 'sent' });
    await order();
    await until(async () => received.length === 1 && (await rows({ state: 'dead' })).length === 1);
    await order();
    await until(() => received.length === 2);
    expect(await rows({ subject: String(refused) })).toMatchObject([
      { state: 'dead', lastError: 'The receiver has answered with 500.', revision: 0 },
      { state: 'pending' },
    ]);
    expect(seen).toContain('dead');
    const letters = webhooks.letters(database.db);
    const [letter] = await letters.findDead(10);
    expect(await letters.skip(letter?._id)).toBe(true);
    await until(async () => (await letters.findDead(10)).some(({ revision }) => revision === 1));
    isHealed = true;
    expect(await letters.release()).toBe(1);
    await until(() => received.length === 3);
  });
});
