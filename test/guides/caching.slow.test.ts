import { useDatabase } from '../support/database/database.ts';
import { send, useServer } from '../support/http/serve.ts';
import { exchangesOf, Player } from './parts/exchanges.ts';
import { useWritePage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/caching.md';
const database = useDatabase();
const serve = useServer();

describe('the guide on caching', () => {
  it('is answered as it shows, tells what to purge, and remembers counts', async () => {
    const written = await writePage(page);
    const { createSite } = await written.load('api.ts');
    const purged: string[] = [];
    const api = createSite(database.db, async (paths: string[]) => void purged.push(...paths));
    const { port } = await serve(api.routes());
    const article = await send(port, 'POST', '/api/articles', { body: { title: 'Hello' } });
    await send(port, 'POST', '/api/countries', { body: { id: 'CH', name: 'Switzerland' } });
    await new Player(port, { '6b01b4bf4ace1bf9239ebeed': article.body.data.id }).playAll(exchangesOf(page));
    expect((await send(port, 'GET', '/api/countries')).headers.vary).toBeUndefined();
    expect((await send(port, 'GET', '/api/countries/XX')).headers['cache-control']).toBe('no-store');
    await send(port, 'PATCH', '/api/countries/CH', { body: { name: 'Suisse' } });
    expect(purged).toEqual(['/api/countries', '/api/countries', '/api/countries/CH']);

    const { remember } = await written.load('totals.ts');
    let counted = 0;
    const count = async () => ++counted;
    await Promise.all([remember(api, 'articles', 60_000, count), remember(api, 'articles', 60_000, count)]);
    const before = counted;
    expect(await remember(api, 'articles', 60_000, count)).toBeLessThanOrEqual(2);
    expect(counted).toBe(before);
    expect([await remember(api, 'articles', -1, count), await remember(api, 'articles', 60_000, count)]).toEqual([before + 1, before + 1]);
  });
});
