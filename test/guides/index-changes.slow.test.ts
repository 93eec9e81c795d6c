import { setTimeout as delay } from 'node:timers/promises';
import { applyIndexes, applyValidators, planIndexes } from 'koa-mongo-resource';
import type { ObjectId } from 'mongodb';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { commandsOf } from '../support/docs/console.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';
import { useWritePage, type WrittenPage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/index-changes.md';
const database = useDatabase();
const serve = useServer();

let written: WrittenPage;
let [oldApi, newApi]: Any[] = [];
let oldServer: TestServer;
let newServer: TestServer;
let clients: readonly Client[];
beforeAll(async () => {
  written = await writePage(page);
  oldApi = (await written.load('api-1.ts')).default(database.db);
  newApi = (await written.load('api-2.ts')).default(database.db);
  await applyIndexes(oldApi);
  oldServer = await serve(oldApi.routes());
  newServer = await serve(newApi.routes());
  for (const name of ['ann', 'ben', 'eve', 'dan'])
    await oldServer.request('POST', '/api/customers', { body: { name, email: `${name === 'eve' ? 'ann' : name}@example.org`, tel: '1' } });
  clients = [new Client(oldServer, 'tel'), new Client(newServer, 'phone')];
});
afterAll(async () => {
  for (const client of clients) await client.stop();
});

/** Creates, finds, changes and lists customers all the time, and keeps what is not answered as it should be. */
class Client {
  readonly failed: string[] = [];
  answered = 0;
  #isStopped = false;
  readonly #server: TestServer;
  readonly #phone: string;
  readonly #end: Promise<void>;

  constructor(server: TestServer, phone: string) {
    this.#server = server;
    this.#phone = phone;
    this.#end = this.#run();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#end;
  }

  /** Waits until every kind of request was answered again. */
  async round(): Promise<void> {
    const enough = this.answered + 8;
    while (this.answered < enough && !this.#isStopped) await delay(5);
  }

  async #run(): Promise<void> {
    for (let turn = 0; !this.#isStopped; turn++) {
      const email = `${this.#phone}-${turn}@example.org`;
      const created = await this.#ask(201, 'POST', '/api/customers', { name: `${turn}`, email, [this.#phone]: `${turn}` });
      await this.#ask(200, 'PATCH', `/api/customers/${created.id}`, { [this.#phone]: `${turn}!` });
      const [found] = await this.#ask(200, 'GET', `/api/customers?email=${email}`);
      if (found?.[this.#phone] !== `${turn}!`) this.failed.push(`${email} ${JSON.stringify(found)}`);
      await this.#ask(200, 'GET', this.#phone === 'tel' ? '/api/customers?sort=name' : '/api/customers?city=Ulm');
    }
  }

  async #ask(expected: number, method: string, path: string, body?: object): Promise<Any> {
    const answer = await this.#server.request(method, path, body ? { body } : {});
    if (answer.status !== expected) this.failed.push(`${method} ${path} ${answer.status} ${answer.text}`);
    this.answered++;
    return answer.body?.data ?? {};
  }
}

/** Both versions are asked for everything after each step. */
async function expectAnswers(): Promise<void> {
  for (const client of clients) await client.round();
  expect(clients.map(({ failed }) => failed)).toEqual([[], []]);
}

describe('the guide on index changes, with clients of the old and of the new version all the time', () => {
  const customers = () => database.db.collection('customers');
  const indexNames = async () => (await customers().indexes()).map(({ name }) => name);

  it('prints the plan that it shows', async () => {
    const [shown] = commandsOf(page);
    expect(`${await planIndexes(newApi)}\nMissing indexes: 2. With --apply they are created.`).toBe(shown?.printed);
    await expectAnswers();
  });

  it('refuses further duplicates, finds the others, and makes the index unique', async () => {
    const { prepareUnique, findDuplicates, makeUnique } = await written.load('unique.ts');
    await prepareUnique(newApi, database.db);
    await prepareUnique(newApi, database.db);
    await expectAnswers();
    const another = await oldServer.request('POST', '/api/customers', { body: { name: 'x', email: 'ben@example.org' } });
    expect([another.status, another.body.code]).toEqual([409, 'duplicate_key']);
    const [duplicate, ...others]: { _id: string; ids: ObjectId[] }[] = await findDuplicates(database.db, 'customers', 'email').toArray();
    expect([duplicate?._id, duplicate?.ids.length, others]).toEqual(['ann@example.org', 2, []]);
    await expect(makeUnique(newApi, database.db)).rejects.toThrow(/Cannot convert the index to unique/);
    await oldServer.request('PATCH', `/api/customers/${duplicate?.ids[1]}`, { body: { email: 'eve@example.org' } });
    await makeUnique(newApi, database.db);
    await makeUnique(newApi, database.db);
    expect((await customers().indexes()).find(({ name }) => name === 'email_1')).toMatchObject({ unique: true });
    await expectAnswers();
  });

  it('builds the other indexes, and finds nothing missing then', async () => {
    await applyIndexes(newApi);
    const [plan] = (await planIndexes(newApi)).collections;
    expect([plan?.missing, plan?.conflicting]).toEqual([[], []]);
    await expectAnswers();
  });

  it('shows each version what the other one has written, under its own name', async () => {
    await newServer.request('POST', '/api/customers', { body: { name: 'fay', email: 'fay@example.org', phone: '7', city: 'Ulm' } });
    const [seen] = (await oldServer.request('GET', '/api/customers?email=fay@example.org')).body.data;
    expect(seen).toMatchObject({ name: 'fay', tel: '7' });
    expect((await newServer.request('GET', '/api/customers?email=dan@example.org')).body.data[0].phone).toBe('1');
    await expectAnswers();
  });

  it('hides what is unused but for what is named, and drops it', async () => {
    const { hideUnused, dropHidden } = await written.load('unused.ts');
    await hideUnused(newApi, database.db, ['name_1__id_1']);
    await expectAnswers();
    await dropHidden(newApi, database.db);
    expect((await indexNames()).sort()).toEqual(['_id_', 'city_1__id_1', 'email_1', 'name_1__id_1']);
    await hideUnused(newApi, database.db);
    await hideUnused(newApi, database.db);
    await expectAnswers();
    await dropHidden(newApi, database.db);
    expect((await indexNames()).sort()).toEqual(['_id_', 'city_1__id_1', 'email_1']);
    await expectAnswers();
  });

  it('lets the database warn, and then refuse', async () => {
    await applyValidators(newApi, { validationAction: 'warn' });
    await customers().insertOne({ name: 7, email: 'seven@example.org' });
    await expectAnswers();
    await customers().deleteOne({ name: 7 });
    await applyValidators(newApi, { validationAction: 'error' });
    await expect(customers().insertOne({ name: 7, email: 'eight@example.org' })).rejects.toThrow('Document failed validation');
    await expectAnswers();
  });
});
