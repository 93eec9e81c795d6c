import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { applyIndexes } from 'koa-mongo-resource';
import { MongoClient } from 'mongodb';
import createApi from '../src/api.ts';
import { mongodbUri } from '../src/settings.ts';

const client = new MongoClient(mongodbUri, { serverSelectionTimeoutMS: 5_000 });
const db = client.db(`test_${randomUUID()}`); // an empty database, whatever yours has
const api = createApi(db);

before(() => applyIndexes(api));
after(async () => {
  await db.dropDatabase();
  await client.close();
});

/** Sends a request to the api in this process: one of ann, unless it has credentials. */
async function send(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const init = { method, headers: { ...headers, 'content-type': 'application/json' }, body: body && JSON.stringify(body) };
  const request = new Request(`http://127.0.0.1/api${path}`, init as RequestInit);
  const response = await api.fetch(request, 'authorization' in headers ? {} : { principal: { name: 'ann' } });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) };
}

describe('a note', () => {
  it('is created, found, changed and deleted', async () => {
    const created = await send('POST', '/notes', { title: 'Buy milk' });
    assert.equal(created.status, 201);
    const path = `/notes/${created.body.data.id}`;

    const list = await send('GET', '/notes?done=false&title[prefix]=Buy');
    assert.deepEqual(list.body.data, [created.body.data]);

    const changed = await send('PATCH', path, { done: true }, { 'if-match': created.headers.get('etag') ?? '' });
    assert.deepEqual([changed.status, changed.body.data.done], [200, true]);

    assert.equal((await send('DELETE', path)).status, 204);
    assert.equal((await send('GET', path)).status, 404);
  });

  it('is not changed by a client who has seen an older one', async () => {
    const { body } = await send('POST', '/notes', { title: 'Buy milk' });
    await send('PATCH', `/notes/${body.data.id}`, { done: true }, { 'if-match': '"0"' });
    const late = await send('PATCH', `/notes/${body.data.id}`, { title: 'Buy bread' }, { 'if-match': '"0"' });
    assert.equal(late.status, 412);
  });

  it('needs a title', async () => {
    const { status, body } = await send('POST', '/notes', { titel: 'Buy milk' });
    assert.equal(status, 422);
    assert.deepEqual(
      body.errors.map(({ field, rule }: { field: string; rule: string }) => [field, rule]),
      [
        ['titel', 'unknown_field'],
        ['title', 'required'],
      ],
    );
  });
});

describe('a caller', () => {
  it('needs credentials', async () => {
    assert.equal((await send('GET', '/notes', undefined, { authorization: '' })).status, 401);
  });

  it('is not known by any token but DEV_TOKEN, under no other host, and in production by none', async () => {
    const statusOf = async (token: string, host = '127.0.0.1') =>
      (await send('GET', '/notes', undefined, { authorization: `Bearer ${token}`, host })).status;
    const { NODE_ENV, DEV_TOKEN } = process.env;
    try {
      process.env.DEV_TOKEN = '';
      assert.deepEqual([await statusOf(''), await statusOf('dev-token')], [401, 401]);
      process.env.DEV_TOKEN = 'dev-token';
      assert.deepEqual([await statusOf('guess'), await statusOf('dev-token')], [401, 200]);
      assert.equal(await statusOf('dev-token', 'evil.example'), 401);
      process.env.NODE_ENV = 'production';
      assert.equal(await statusOf('dev-token'), 401);
    } finally {
      restore({ NODE_ENV, DEV_TOKEN });
    }
  });
});

/** Sets variables of the environment to what they were: an undefined one would become a text. */
function restore(variables: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(variables))
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
}
