import type Koa from 'koa';
import { applyIndexes, defineModel, offsetPaging, type RequestContext, service, t } from 'koa-mongo-resource';
import { ObjectId } from 'mongodb';
import { useDatabase } from '../support/database/database.ts';
import { send, useServer } from '../support/http/serve.ts';
import { byName } from './parts/by-name.ts';
import { exchangesOf, Player } from './parts/exchanges.ts';
import { useWritePage, type WrittenPage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/tenants.md';
const database = useDatabase();
const serve = useServer();
const exchanges = exchangesOf(page);
const bearer = (ctx: Koa.Context) => ctx.get('authorization').slice('Bearer '.length);

interface User {
  readonly name: string;
  readonly tenant: string;
}
const ann = { name: 'ann', tenant: 'acme', tenants: ['acme'] };
const bob = { name: 'bob', tenant: 'globex', tenants: ['globex', 'acme'] };
const authenticate = (ctx: Koa.Context) => ({ ann, bob })[bearer(ctx)];

let written: WrittenPage;
beforeAll(async () => {
  written = await writePage(page);
});

describe('tenants in shared collections', () => {
  it('answer as the page shows, and may have the same unique values', async () => {
    const { createApi } = await written.load('api.ts');
    const api = createApi(database.db, authenticate);
    await applyIndexes(api);
    const { port } = await serve(api.routes());
    await new Player(port).playAll(exchanges.slice(0, -1));

    const asBob = { authorization: 'Bearer bob' };
    const customer = await send(port, 'POST', '/api/customers', { headers: asBob, body: { email: 'jo@example.com' } });
    const body = { number: 'A-1', customer: customer.body.data.id, total: 1 };
    expect((await send(port, 'POST', '/api/invoices', { headers: asBob, body })).status).toBe(201);

    const { findLeaks } = await written.load('leaks.ts');
    expect(await findLeaks(api, ann, bob)).toEqual([]);
    expect(await findLeaks(api, ann, ann)).toHaveLength(2);
  });
});

describe('a tenant in the path', () => {
  it('answers as the page shows', async () => {
    const { createRouter } = await written.load('mounted.ts');
    const { port } = await serve(createRouter(database.db, authenticate).routes());
    await new Player(port).play(exchanges.at(-1) as never);
    const list = async (tenant: string, name: string) =>
      (await send(port, 'GET', `/tenants/${tenant}/customers`, { headers: { authorization: `Bearer ${name}` } })).body.data.length;
    expect([await list('acme', 'ann'), await list('acme', 'bob'), await list('globex', 'bob')]).toEqual([1, 1, 1]);
  });
});

describe('a database for each tenant', () => {
  it('is chosen by the host, and is never made of an unknown one', async () => {
    const { perTenant } = await written.load('per-tenant.ts');
    const tenant = database.db.databaseName; // a name that no other test uses
    const members = { ann: { tenants: [tenant] }, bob: { tenants: [`${tenant}b`] } };
    const served = perTenant(database.client, new Set([tenant, `${tenant}b`]), byName(members));
    const { port } = await serve(...served);
    const ask = async (name: string, host: string, method = 'GET', body?: object) => {
      const headers = { host: `${host}.example.com`, ...(name && { authorization: `Bearer ${name}` }) };
      return send(port, method, '/api/customers', { headers, body });
    };
    try {
      expect((await ask('ann', tenant, 'POST', { email: 'jo@example.com' })).status).toBe(201);
      expect((await ask('ann', tenant)).body.data).toHaveLength(1);
      expect((await ask('bob', `${tenant}b`)).body.data).toEqual([]);
      expect((await ask('ann', 'unknown')).body.code).toBe('not_found');
      for (const method of ['GET', 'POST']) {
        const answers = await Promise.all([ask('bob', tenant, method, { email: 'x@example.com' }), ask('', tenant, method)]);
        expect([method, answers.map(({ status }) => status)]).toEqual([method, [403, 401]]);
      }
    } finally {
      for (const one of [tenant, `${tenant}b`]) await database.client.db(`tenant_${one}`).dropDatabase();
    }
  });
});

describe('findLeaks', () => {
  const shop = service({ authenticate });
  const Row = defineModel('Row', {
    collection: 'rows',
    fields: { tenant: t.string({ policy: { group: true } }), size: t.int({ policy: { aggregate: true, group: true } }) },
  });
  const scoped = (ctx: RequestContext<User>) => ({ tenant: ctx.requirePrincipal().tenant });
  type Options = { readonly scope?: typeof scoped; readonly paging?: ReturnType<typeof offsetPaging> };
  const find = async (options: Options, one: User = ann, other: User = bob) => {
    const rows = shop.resource({ model: Row, aggregate: true, export: {}, ...options });
    const { findLeaks } = await written.load('leaks.ts');
    return (await findLeaks(shop.api({ db: database.db, prefix: '/api', resources: [rows] }), one, other)) as string[];
  };
  beforeAll(async () => {
    const rows = Array.from({ length: 50 }, (_, size) => ({ tenant: size % 2 ? 'acme' : 'globex', size: 1 }));
    await database.db.collection('rows').insertMany(rows);
  });

  it('finds nothing where each caller has its own records, also of numbers that are equal', async () => {
    expect(await find({ scope: scoped })).toEqual([]);
  });

  it.each([undefined, offsetPaging()])('finds each record of all pages that both see', async (paging) => {
    const found = await find(paging ? { paging } : {});
    expect([found.length, found.every((leak) => leak.startsWith('/api/rows: '))]).toEqual([50, true]);
  });

  it('does not take a refusal for an empty list', async () => {
    await expect(find({ scope: scoped }, ann, { ...bob, tenant: undefined as never })).rejects.toThrow('/api/rows was answered with 500');
  });
});

describe('a sign-up', () => {
  it('makes a tenant and its first user, and lets nobody into another tenant', async () => {
    const { createApi } = await written.load('sign-up.ts');
    const api = createApi(database.db, (ctx: Koa.Context) => (bearer(ctx) ? { tenant: new ObjectId(bearer(ctx)) } : undefined));
    await applyIndexes(api);
    const { port } = await serve(api.routes());
    const ask = (method: string, path: string, body?: object, tenant = '') =>
      send(port, method, `/api/${path}`, { body, headers: tenant ? { authorization: `Bearer ${tenant}` } : {} });
    const first = await ask('POST', 'sign-ups', { slug: 'acme', email: 'ann@example.com' });
    expect([first.status, first.body.data.email]).toEqual([201, 'ann@example.com']);
    const { tenant } = first.body.data;
    expect((await ask('GET', `tenants/${tenant}`, undefined, tenant)).body.data.slug).toBe('acme');

    const taken = await ask('POST', 'sign-ups', { slug: 'acme', email: 'eve@example.com' });
    expect([taken.status, await database.db.collection('people').countDocuments()]).toEqual([409, 1]);
    const forged = await ask('POST', 'sign-ups', { slug: 'globex', email: 'eve@example.com', tenant });
    expect([forged.status, forged.body.errors[0].rule]).toEqual([422, 'unknown_field']);

    const second = await ask('POST', 'sign-ups', { slug: 'globex', email: 'bob@example.com' });
    const people = await ask('GET', 'people', undefined, second.body.data.tenant);
    expect(people.body.data.map(({ email }: { email: string }) => email)).toEqual(['bob@example.com']);
    expect((await ask('GET', `tenants/${tenant}`, undefined, second.body.data.tenant)).status).toBe(404);
    for (const method of ['GET', 'POST']) expect((await ask(method, 'people', { email: 'x@example.com' })).status).toBe(401);
  });
});
