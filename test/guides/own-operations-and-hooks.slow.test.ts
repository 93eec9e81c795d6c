import { applyIndexes } from 'koa-mongo-resource';
import { useDatabase } from '../support/database/database.ts';
import { send, useServer } from '../support/http/serve.ts';
import { byName } from './parts/by-name.ts';
import { exchangesOf, Player } from './parts/exchanges.ts';
import { useWritePage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/own-operations-and-hooks.md';
const database = useDatabase();
const serve = useServer();

describe('the guide on own operations and hooks', () => {
  it('is answered as it shows, and announces what was published', async () => {
    const { createBlog } = await (await writePage(page)).load('api.ts');
    const announced: string[] = [];
    const announce = async (title: string) => void announced.push(title);
    const api = createBlog({ db: database.db, authenticate: byName({ ann: { name: 'ann' } }), announce });
    await applyIndexes(api);
    const { port } = await serve(api.routes());
    await new Player(port).playAll(exchangesOf(page));
    expect(announced).toEqual(['Hello, World!']);

    const headers = { authorization: 'Bearer ann' };
    const body = { title: 'A', from: '2026-02-01T00:00:00Z', until: '2026-01-01T00:00:00Z' };
    expect((await send(port, 'POST', '/api/articles', { headers, body })).body.errors).toEqual([
      { field: 'until', message: 'must be after from', rule: 'check' },
    ]);
    expect((await send(port, 'POST', '/api/articles', { body })).status).toBe(401);
  });
});
