import { createBilling } from '../../examples/billing/api.ts';
import { importTasks } from '../../examples/billing/import-tasks.ts';
import { Invoice, Task, User } from '../../examples/billing/model.ts';
import { hash, verify } from '../../examples/billing/password.ts';
import { applyIndexes, openStore, planIndexes } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';

const database = useDatabase();
const serve = useServer();
let server: TestServer;
const passwords = new Map<string, string>();

beforeAll(async () => {
  for (const name of ['ann', 'ben']) passwords.set(name, await hash(`password of ${name}`));
  server = await serve(createBilling(database.db).routes());
});

beforeEach(async () => {
  await database.db.dropDatabase();
  await applyIndexes(createBilling(database.db));
  const users = openStore(User, { db: database.db });
  await users.create({ email: 'ann@acme.example', password: passwords.get('ann') ?? '', tenant: 'acme' });
  await users.create({ email: 'ben@other.example', password: passwords.get('ben') ?? '', tenant: 'other' });
});

const basic = (email: string, password: string) => ({ authorization: `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}` });
const ann = basic('ann@acme.example', 'password of ann');
const ben = basic('ben@other.example', 'password of ben');
const ask = (method: string, path: string, body?: unknown, headers: object = ann) =>
  server.request(method, `/api${path}`, { headers: { ...headers } as never, ...(body === undefined ? {} : { body }) });

async function makeTasks(...rows: readonly string[]): Promise<string[]> {
  expect(await importTasks(database.db, 'acme', rows.join('\n'))).toEqual([]);
  return (await openStore(Task, { db: database.db }).find({ tenant: 'acme' })).map(({ id }) => String(id));
}

it.each([2, 16_384, 32_768])('knows a password by its hash of the cost %i, and by nothing else', async (cost) => {
  const hashed = await hash('correct horse', cost);
  expect(await Promise.all(['correct horse', 'correct', ''].map((password) => verify(password, hashed)))).toEqual([true, false, false]);
  expect(await Promise.all(['', 'a.b', `1.${hashed}`].map((other) => verify('correct horse', other)))).toEqual([false, false, false]);
});

it('has the indexes that it needs, and no other', async () => {
  const { collections } = await planIndexes(createBilling(database.db));
  for (const { missing, conflicting, unused } of collections) expect([missing, conflicting, unused]).toEqual([[], [], []]);
});

describe('users', () => {
  it('sign in with a password whose hash is stored, and which no answer shows', async () => {
    const created = await ask('POST', '/users', { email: 'cid@acme.example', password: 'password of cid' });
    expect([created.status, Object.keys(created.body.data)]).toEqual([201, ['id', 'email', 'tenant', 'revision']]);
    const [stored] = await openStore(User, { db: database.db }).find({ email: 'cid@acme.example' });
    expect(stored?.password).not.toContain('cid');
    const cid = basic('cid@acme.example', 'password of cid');
    expect((await ask('GET', '/users', undefined, cid)).body.data).toHaveLength(2);
    await ask('PATCH', `/users/${created.body.data.id}`, { password: 'another password' }, cid);
    expect((await ask('GET', '/users', undefined, cid)).status).toBe(401);
    expect((await ask('GET', '/users', undefined, basic('cid@acme.example', 'another password'))).status).toBe(200);
  });

  it('are told by the model what is wrong with a password, and not by its hash', async () => {
    const short = await ask('POST', '/users', { email: 'cid@acme.example', password: 'short' });
    expect([short.status, short.body.errors]).toEqual([422, [expect.objectContaining({ field: 'password', rule: 'minLength' })]]);
  });
});

describe('the import', () => {
  it('names each row that the model refuses, and imports the others', async () => {
    const refused = await importTasks(database.db, 'acme', 'Design;90;done\nReview;none\n;30\nDeploy;45;late\n');
    expect(refused.map(({ row }) => row)).toEqual([2, 3, 4]);
    expect(await openStore(Task, { db: database.db }).count({})).toBe(1);
  });
});

describe('a bill', () => {
  it('makes an invoice, its number, its tasks and an entry of its history, or nothing', async () => {
    const tasks = await makeTasks('Design;90;done', 'Review;30;done');
    const billed = await ask('POST', '/invoices/bill', { customer: 'Acme', tasks });
    expect(billed.status).toBe(201);
    expect(billed.body.data).toMatchObject({
      number: 1,
      customer: 'Acme',
      total: '180.00',
      status: 'draft',
      lines: [{ minutes: 90 }, { minutes: 30 }],
    });
    expect(billed.headers.location).toBe(`/api/invoices/${billed.body.data.id}`);
    expect(await openStore(Task, { db: database.db }).count({ invoice: { ne: null } })).toBe(2);
    const again = await ask('POST', '/invoices/bill', { customer: 'Acme', tasks });
    expect([again.status, again.body.code]).toEqual([409, 'not_billable']);
    expect(await openStore(Invoice, { db: database.db }).count({})).toBe(1);
    const history = await ask('GET', `/invoices/${billed.body.data.id}/history`);
    expect(history.body.data).toMatchObject([{ actor: 'ann@acme.example', operation: 'bill', change: 'created', revision: 0 }]);
  });

  it('of the same tasks at once makes one invoice, and numbers have no gaps', async () => {
    const tasks = await makeTasks(...Array.from({ length: 6 }, (_, index) => `Task ${index};10;done`));
    const bills = [tasks.slice(0, 2), tasks.slice(0, 2), tasks.slice(2, 4), tasks.slice(3, 5), tasks.slice(5)];
    const answers = await Promise.all(bills.map((ids) => ask('POST', '/invoices/bill', { customer: 'Acme', tasks: ids })));
    expect(answers.filter(({ status }) => ![201, 409].includes(status))).toEqual([]);
    const numbers = (await openStore(Invoice, { db: database.db }).find({}, { sort: ['number'] })).map(({ number }) => number);
    expect(numbers).toEqual([1, 2, 3]);
    expect(await database.db.collection('invoices_history').countDocuments()).toBe(3);
  });

  it('takes no tasks of another tenant', async () => {
    const tasks = await makeTasks('Design;90;done');
    expect((await ask('POST', '/invoices/bill', { customer: 'Other', tasks }, ben)).status).toBe(409);
  });

  it('may be repeated with its key, and is made once', async () => {
    const tasks = await makeTasks('Design;90;done');
    const headers = { ...ann, 'idempotency-key': '"b-1"' };
    const [first, second] = [
      await ask('POST', '/invoices/bill', { customer: 'Acme', tasks }, headers),
      await ask('POST', '/invoices/bill', { customer: 'Acme', tasks }, headers),
    ];
    expect([first?.status, second?.status, second?.text]).toEqual([201, 201, first?.text]);
  });
});

describe('changes', () => {
  it('of an invoice are in its history, with who made them, for its tenant alone', async () => {
    const tasks = await makeTasks('Design;90;done');
    const { id } = (await ask('POST', '/invoices/bill', { customer: 'Acme', tasks })).body.data;
    const sent = await ask('PATCH', `/invoices/${id}`, { status: 'sent' });
    expect(sent.body.data).toMatchObject({ status: 'sent', updatedBy: 'ann@acme.example', revision: 1 });
    await ask('PATCH', `/invoices/${id}`, { customer: 'Acme Ltd' });
    const history = await ask('GET', `/invoices/${id}/history?path=status`);
    expect(history.body.data).toMatchObject([
      {
        actor: 'ann@acme.example',
        change: 'patched',
        operation: 'patch',
        changes: [{ path: 'status', before: 'draft', after: 'sent' }, { path: 'updatedBy' }],
      },
      { change: 'created' },
    ]);
    expect((await ask('GET', `/invoices/${id}?at=0`)).body.data).toMatchObject({ status: 'draft', customer: 'Acme', revision: 0 });
    expect((await ask('GET', `/invoices/${id}/history`, undefined, ben)).status).toBe(404);
  });

  it('of many tasks are one request', async () => {
    await makeTasks('Design;90', 'Review;30', 'Deploy;45;done');
    expect((await ask('PATCH', '/tasks?status=open', { status: 'done' })).body).toEqual({ data: { matched: 2, modified: 2 } });
    expect((await ask('PATCH', '/tasks?status=done', { status: 'open' }, ben)).body).toEqual({ data: { matched: 0, modified: 0 } });
  });

  it('of a task that is on an invoice are no delete', async () => {
    const tasks = await makeTasks('Design;90;done', 'Review;30');
    await ask('POST', '/invoices/bill', { customer: 'Acme', tasks: tasks.slice(0, 1) });
    const refused = await ask('DELETE', `/tasks/${tasks[0]}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'billed']);
    expect((await ask('DELETE', `/tasks/${tasks[1]}`)).status).toBe(204);
  });
});

it('has no call of the driver', async () => {
  const { readdirSync, readFileSync } = await import('node:fs');
  const folder = new URL('../../examples/billing/', import.meta.url);
  for (const file of readdirSync(folder)) expect(readFileSync(new URL(file, folder), 'utf8')).not.toMatch(/from 'mongodb'|\.collection\(/);
});
