import { applyIndexes } from 'koa-mongo-resource';
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
  const issue = async (id: string): Promise<number> => {
    const { status } = await send(port, 'POST', `/api/invoices/${id}/issue`);
    return status === 503 ? issue(id) : status; // so many at once may wait for one counter longer than a request does
  };
  const statuses = await Promise.all([...ids, ...ids].map(issue));
  expect(statuses.sort()).toEqual([...Array(20).fill(200), ...Array(20).fill(409)]);
  const issued = await api.store(Invoice).find({ status: 'issued' }, { sort: ['number'] });
  expect(issued.map(({ number }: { number: number }) => number)).toEqual(Array.from({ length: 20 }, (_, at) => at + 2));
});
