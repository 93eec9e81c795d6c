import { beforeEach, describe, expect, it } from 'vitest';
import { defineModel, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';

const Sheet = defineModel('Sheet', {
  collection: 'sheets',
  fields: {
    id: t.string({ policy: { insert: true } }),
    a: t.int({ default: 0 }),
    b: t.int({ default: 0 }),
    revision: t.revision(),
  },
  history: true,
});

const database = useDatabase();
const shop = service<string>({ authenticate: (ctx) => ctx.get('authorization') || undefined });
let api: Any;

beforeEach(async () => {
  for (const name of ['sheets', 'sheets_history']) await database.db.collection(name).deleteMany({});
  const sheets = shop.resource({
    model: Sheet,
    ops: ['get', 'create', 'patch'],
    history: true,
    scope: (ctx) => ({ id: { prefix: ctx.requirePrincipal().slice(0, 1) } }),
    scopeFields: ['id'],
  });
  api = shop.api({ db: database.db, resources: [sheets] });
});

async function ask(method: string, path: string, body?: object, who = 'x'): Promise<{ status: number; body: Any }> {
  const headers = { 'content-type': 'application/json', authorization: who };
  const sent = { method, headers, ...(body && { body: JSON.stringify(body) }) };
  const answer = await api.fetch(new Request(`http://shop${path}`, sent));
  return { status: answer.status, body: await answer.json() };
}
const entries = () => database.db.collection<Any>('sheets_history');

describe('the history of a model without `scopeFields`', () => {
  it('is shown to callers whose scope compares the id', async () => {
    await ask('POST', '/sheets', { id: 'x1' });
    await ask('PATCH', '/sheets/x1', { a: 1 });
    expect((await ask('GET', '/sheets/x1/history')).body.data.map(({ revision }: Any) => revision)).toEqual([1, 0]);
    expect((await ask('GET', '/sheets/x1?at=0')).body.data).toMatchObject({ a: 0, revision: 0 });
    for (const path of ['/history', '?at=0']) expect((await ask('GET', `/sheets/x1${path}`, undefined, 'y')).status).toBe(404);
  });
});
