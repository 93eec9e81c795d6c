import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ObjectId } from 'mongodb';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useTemporaryFolder } from '../../support/temporary-folder.ts';
import { useCli } from './run-cli.ts';

const { library, webhooks, runCli } = useCli();
const database = useDatabase();
const folder = useTemporaryFolder();
const [first, second] = ['6745a0b0c1d2e3f4a5b6d001', '6745a0b0c1d2e3f4a5b6d002'];

const module = `import { defineModel, service, t } from '${library}';
import { defineWebhooks } from '${webhooks}';
const Order = defineModel('Order', { collection: 'orders', fields: { id: t.int({ policy: { insert: true } }), revision: t.revision() }, outbox: true });
const Note = defineModel('Note', { collection: 'notes', fields: { id: t.objectId() } });
const { model: Subscription } = defineWebhooks('Subscription', { collection: 'subscriptions' });
const shop = service();
export default (db) => shop.api({ db, resources: [shop.resource({ model: Order })] });
export const sending = (db) => shop.api({ db, resources: [shop.resource({ model: Order }), shop.resource({ model: Subscription })], models: [Subscription] });
export const without = (db) => shop.api({ db, resources: [shop.resource({ model: Note })] });
`;

const rows = () => database.db.collection<Any>('events');
const deliveries = () => database.db.collection<Any>('subscriptions_deliveries');
const letter = `${second}:6745a0b0c1d2e3f4a5b6e001`;

function event(id: string, record: number, revision: number, more: object): object {
  const at = new Date('2026-01-31T12:00:00Z');
  const what = {
    type: 'order.patched',
    model: 'Order',
    subject: `${record}`,
    record,
    life: null,
    revision,
    at,
    change: 'patched',
    actor: null,
  };
  return { _id: new ObjectId(id), ...what, ...more };
}

async function run(...args: string[]) {
  const path = join(folder.path, 'api.mjs');
  await writeFile(path, module);
  return runCli(['events', path, '--uri', process.env.MONGODB_URI ?? '', '--db', database.db.databaseName, ...args]);
}

beforeEach(async () => {
  await rows().deleteMany({});
  await rows().insertMany([
    event(first as string, 1, 1, { state: 'dead', attempts: 9, lastError: 'the index is \u001b[31mdown' }),
    event(second as string, 2, 1, { state: 'dead', attempts: 1, lastError: 'gone' }),
    event('6745a0b0c1d2e3f4a5b6d003', 1, 2, { state: 'pending', behind: true, dueAt: new Date(Date.now() + 3_600_000) }),
    event('6745a0b0c1d2e3f4a5b6d004', 1, 0, { state: 'delivered', deliveredAt: new Date() }),
  ] as never);
});

describe('koa-mongo-resource events', () => {
  it('counts the events of each outbox, and shows dead letters with their last errors', async () => {
    const { code, stdout, stderr } = await run();
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toBe(`events: 1 pending, 2 dead, 1 delivered
  dead letter               type           subject  at                        attempts  last error
  ${first}  order.patched  1        2026-01-31T12:00:00.000Z  9         the index is \\u{1b}[31mdown
  ${second}  order.patched  2        2026-01-31T12:00:00.000Z  1         gone
`);
  });

  it('prints JSON', async () => {
    const { code, stdout } = await run('--json');
    expect(code).toBe(1);
    const letter = {
      id: second,
      type: 'order.patched',
      subject: '2',
      revision: 1,
      at: '2026-01-31T12:00:00.000Z',
      attempts: 1,
      lastError: 'gone',
    };
    expect(JSON.parse(stdout).queues).toMatchObject([
      { collection: 'events', pending: 1, dead: 2, delivered: 1, letters: [{ id: first }, letter] },
    ]);
  });

  it('releases one dead letter, or all', async () => {
    const one = await run('--release', second as string);
    expect([one.code, one.stderr]).toEqual([1, 'Released: 1.\n']);
    expect(await rows().findOne({ _id: new ObjectId(second) })).toMatchObject({ state: 'pending', attempts: 0 });
    const all = await run('--release', 'all');
    expect([all.code, all.stderr]).toEqual([0, 'Released: 1.\n']);
    expect(all.stdout).toBe('events: 3 pending, 0 dead, 1 delivered\n');
  });

  it('skips a dead letter, after which the next event of its record is due', async () => {
    const { code, stdout } = await run('--skip', first as string);
    expect([code, stdout.split('\n')[0]]).toEqual([1, 'events: 1 pending, 1 dead, 2 delivered']);
    const next = await rows().findOne({ record: 1, revision: 2 });
    expect(next?.behind).toBeUndefined();
    expect(next?.dueAt.getTime()).toBeLessThan(Date.now() + 60_000);
  });

  it.each<[what: string, args: string[], message: string]>([
    ['an id that is none', ['--release', 'some'], '"some" is not the id of a dead letter, which begins with 24 hexadecimal digits.\n'],
    ['an id of no dead letter', ['--skip', '6745a0b0c1d2e3f4a5b6d003'], 'There is no dead letter 6745a0b0c1d2e3f4a5b6d003.\n'],
    ['both at once', ['--skip', 'a', '--release', 'all'], 'Give --release or --skip, not both.\n'],
    ['an api without an outbox', ['--export', 'without'], 'No model of the api has an `outbox`.\n'],
  ])('ends with 2 for %s', async (_what, args, message) => {
    const { code, stdout, stderr } = await run(...args);
    expect([code, stdout, stderr]).toEqual([2, '', message]);
  });
});

describe('koa-mongo-resource events of an api that knows subscriptions', () => {
  const sent = { subscription: '6745a0b0c1d2e3f4a5b6e001', event: second, type: 'order.created', model: 'Order', subject: '2', life: null };
  const at = new Date('2026-01-31T12:00:00Z');

  beforeEach(async () => {
    await deliveries().deleteMany({});
    await deliveries().insertMany([
      { _id: letter, ...sent, revision: 0, at, actor: null, state: 'dead', attempts: 70, lastError: 'connection: refused' },
      { _id: `${first}:6745a0b0c1d2e3f4a5b6e001`, ...sent, revision: 1, at, actor: null, state: 'pending', behind: true, dueAt: at },
    ]);
  });

  it('shows the deliveries after the outboxes', async () => {
    const { code, stdout, stderr } = await run('--export', 'sending');
    expect([code, stderr]).toEqual([1, '']);
    const [outbox, own] = stdout.split('\n\n');
    expect(outbox).toContain('events: 1 pending, 2 dead, 1 delivered\n');
    expect(own).toBe(`subscriptions_deliveries: 1 pending, 1 dead, 0 delivered
  dead letter                                        type           subject  at                        attempts  last error
  ${letter}  order.created  2        2026-01-31T12:00:00.000Z  70        connection: refused
`);
    const json = JSON.parse((await run('--export', 'sending', '--json')).stdout);
    expect(json.queues).toMatchObject([{ collection: 'events' }, { collection: 'subscriptions_deliveries', letters: [{ id: letter }] }]);
  });

  it('releases a delivery by its id, and no event of it, and all deliveries with all events', async () => {
    const one = await run('--export', 'sending', '--release', letter);
    expect([one.code, one.stderr]).toEqual([1, 'Released: 1.\n']);
    expect(await deliveries().findOne({ _id: letter })).toMatchObject({ state: 'pending', attempts: 0 });
    expect(await rows().countDocuments({ state: 'dead' })).toBe(2);
    await deliveries().updateMany({}, { $set: { state: 'dead' } });
    const all = await run('--export', 'sending', '--release', 'all');
    expect([all.code, all.stderr]).toEqual([0, 'Released: 4.\n']);
  });

  it('skips a delivery, after which the next one of its record to its subscription is due', async () => {
    const { stdout } = await run('--export', 'sending', '--skip', letter);
    expect(stdout).toContain('subscriptions_deliveries: 1 pending, 0 dead, 1 delivered\n');
    const next = await deliveries().findOne({ revision: 1 });
    expect(next?.behind).toBeUndefined();
    expect(next?.dueAt.getTime()).toBeGreaterThan(at.getTime());
  });

  it('does not know the deliveries without the model of the subscriptions', async () => {
    expect((await run('--skip', letter)).stderr).toBe(`There is no dead letter ${letter}.\n`);
  });
});
