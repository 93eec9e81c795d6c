import { applyIndexes } from 'koa-mongo-resource';
import { expect, it } from 'vitest';
import { useDatabase } from '../support/database/database.ts';
import { send, useServer } from '../support/http/serve.ts';
import { exchangesOf, Player } from './parts/exchanges.ts';
import { useWritePage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/steps-and-numbers.md';
const database = useDatabase();
const serve = useServer();

it('the guide on steps and numbers is answered as it shows, and leaves no gap when many invoices are issued at once', async () => {
  const { createInvoices, prepare, Invoice } = await (await writePage(page)).load('api.ts');
  const api = createInvoices(database.db);
  await applyIndexes(api);
  await prepare(api);
  await prepare(api);
  const { port } = await serve(api.routes());
  await new Player(port).playAll(exchangesOf(page));

  const created = await api.store(Invoice).createMany(
    Array.from({ length: 20 }, () => ({ customer: 'Acme', total: '1.00' })),
    { all: true },
  );
  const ids: string[] = created.map(({ id }: { id: unknown }) => String(id));
  const twice = [...ids, ...ids].map((id) => send(port, 'POST', `/api/invoices/${id}/issue`));
  const statuses = (await Promise.all(twice)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(20);
  const issued = await api.store(Invoice).find({ status: 'issued' }, { sort: ['number'] });
  expect(issued.map(({ number }: { number: number }) => number)).toEqual(Array.from({ length: 20 }, (_, at) => at + 2));
});
