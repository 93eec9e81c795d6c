import type Koa from 'koa';
import { applyIndexes } from 'koa-mongo-resource';
import { useDatabase } from '../support/database/database.ts';
import { send, useServer } from '../support/http/serve.ts';
import { exchangesOf, Player } from './parts/exchanges.ts';
import { useWritePage, type WrittenPage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/tenants.md';
const database = useDatabase();
const serve = useServer();
const exchanges = exchangesOf(page);
const bearer = (ctx: Koa.Context) => ctx.get('authorization').slice('Bearer '.length);

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
    const { port } = await serve(...perTenant(database.client, new Set([tenant, `${tenant}b`])));
    const at = (name: string) => ({ headers: { host: `${name}.example.com` } });
    try {
      await send(port, 'POST', '/api/customers', { ...at(tenant), body: { email: 'jo@example.com' } });
      const list = async (name: string) => (await send(port, 'GET', '/api/customers', at(name))).body;
      expect((await list(tenant)).data).toHaveLength(1);
      expect((await list(`${tenant}b`)).data).toEqual([]);
      expect((await list('unknown')).code).toBe('not_found');
    } finally {
      await database.client.db(`tenant_${tenant}`).dropDatabase();
    }
  });
});
