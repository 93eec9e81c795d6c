import { defineModel, everything, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const fields = () => ({
  id: t.string({ policy: { insert: true } }),
  text: t.string({ default: 'd' }),
  owner: t.string({ default: 'ann' }),
});
const Doc = defineModel('Doc', { collection: 'docs', fields: { ...fields(), revision: t.revision() } });
const Tag = defineModel('Tag', { collection: 'tags', fields: fields() });

/** The scope of each operation, by its method. */
let scopes: Readonly<Record<string, Any>> = {};
const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const api = useApi<string>(
  database,
  (shop) => [
    shop.resource({ model: Tag, ops: ['create', 'patch'], scope: (ctx) => scopes[ctx.method] ?? everything }),
    shop.resource({ model: Doc, ops: ['create', 'patch', 'put'], scope: (ctx) => scopes[ctx.method] ?? everything, scopeWrites: false }),
  ],
  { authenticate: () => 'ann', idempotency: { principal: () => 'ann' }, batch: { maxOperations: 1000 } },
);
const collectionOf = (name: string) => database.db.collection<{ _id: string; [key: string]: unknown }>(name);
const finds = () => commands.events.filter(({ commandName }) => commandName === 'find').map(({ command }) => String(command.find));
const send = (operations: readonly object[]): Promise<Any> =>
  api.request('POST', '/api/batch', { body: { operations }, headers: { 'idempotency-key': 'k' } });
const create = (resource: string, id: string) => ({ method: 'POST', path: `/${resource}`, body: { id } });
const patch = (resource: string, id: string) => ({ method: 'PATCH', path: `/${resource}/${id}`, body: { text: 'y' } });

beforeEach(async () => {
  scopes = {};
  for (const name of ['idempotency_keys', 'docs', 'tags']) await collectionOf(name).deleteMany({});
});

describe('the repeated request of a batch', () => {
  async function sendTwice(operations: readonly object[]): Promise<Any> {
    const first = await send(operations);
    expect(first.status).toBe(200);
    commands.clear();
    const again = await send(operations);
    expect([again.status, again.text]).toEqual([200, first.text]);
  }

  it('asks for the records of all operations by one command for each collection', async () => {
    const operations = Array.from({ length: 50 }, (_, index) => [create('docs', `d${index}`), create('tags', `t${index}`)]).flat();
    await sendTwice(operations);
    expect(finds().toSorted()).toEqual(['docs', 'idempotency_keys', 'tags']);
  });

  it('asks once for a record that several operations show', async () => {
    await sendTwice([create('docs', 'n'), patch('docs', '{0}')]);
    expect(commands.events.find(({ command }) => command.find === 'docs')?.command.filter).toEqual({ _id: { $in: ['n'] } });
  });

  it('asks once for each scope, and refuses by that of the operation', async () => {
    await collectionOf('docs').insertMany(['a', 'b', 'c'].map((_id) => ({ _id, text: 'x', owner: 'ann', revision: 1 })));
    scopes = { PATCH: { owner: 'ann' }, PUT: { owner: { in: ['ann', 'bob'] } } };
    const put = { method: 'PUT', path: '/docs/c', body: { text: 'z' } };
    const operations = [patch('docs', 'a'), patch('docs', 'b'), put];
    await sendTwice(operations);
    expect(finds()).toEqual(['idempotency_keys', 'docs', 'docs']);
    await collectionOf('docs').updateMany({ _id: { $in: ['b', 'c'] } }, { $set: { owner: 'bob' } });
    expect((await send(operations)).body).toMatchObject({ status: 404, operation: 1 }); // c may be seen
    await collectionOf('docs').updateMany({ _id: 'b' }, { $set: { owner: 'ann' } });
    expect((await send(operations)).status).toBe(200);
  });

  it('keeps scopes apart whose values are equal only as texts', async () => {
    await collectionOf('docs').insertMany(['a', 'b'].map((_id) => ({ _id, text: '1', owner: 'ann', revision: 1 })));
    scopes = { PATCH: { text: { in: ['1', '2'] } }, PUT: { text: { in: ['1,2', '1', '2'] } } };
    const put = { method: 'PUT', path: '/docs/b', body: { text: '2' } };
    const operations = [{ ...patch('docs', 'a'), body: { text: '2' } }, put];
    await sendTwice(operations);
    await collectionOf('docs').updateMany({}, { $set: { text: '1,2' } });
    expect((await send(operations)).body).toMatchObject({ status: 404, operation: 0 });
  });

  it('names the first operation whose record may not be seen', async () => {
    const operations = ['a', 'b', 'c'].map((id) => create('docs', id));
    await sendTwice([create('tags', 't'), ...operations]);
    await collectionOf('docs').deleteMany({ _id: { $in: ['b', 'c'] } });
    expect((await send([create('tags', 't'), ...operations])).body).toMatchObject({ status: 404, code: 'not_found', operation: 2 });
  });
});
