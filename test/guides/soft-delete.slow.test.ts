import { applyIndexes } from 'koa-mongo-resource';
import { useDatabase } from '../support/database/database.ts';
import { send, useServer } from '../support/http/serve.ts';
import { byName } from './parts/by-name.ts';
import { exchangesOf, Player } from './parts/exchanges.ts';
import { useWritePage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/soft-delete.md';
const database = useDatabase();
const serve = useServer();

describe('the guide on soft deletes', () => {
  it('is answered as it shows, empties the trash, and adopts records that were marked otherwise', async () => {
    const written = await writePage(page);
    const { createFiles, File } = await written.load('api.ts');
    const authenticate = byName({ ann: { name: 'ann', isAdmin: false }, root: { name: 'root', isAdmin: true } });
    const api = createFiles(database.db, authenticate);
    await applyIndexes(api);
    const { port } = await serve(api.routes());
    const player = new Player(port);
    await player.playAll(exchangesOf(page));

    const headers = { authorization: 'Bearer ann' };
    expect((await send(port, 'POST', '/api/files', { headers, body: { name: 'plan.txt' } })).status).toBe(201);
    const restored = await send(port, 'POST', `/api/files/${player.known.get('6b01b4bf4ace1bf9239ebeed')}/restore`, { headers });
    expect([restored.status, restored.body.errors[0].field]).toEqual([409, 'name']);

    const { adopt, emptyTrash } = await written.load('purge.ts');
    const at = new Date(0);
    await database.db.collection(File.collection).insertMany([
      { name: 'old', isDeleted: true, updatedAt: at },
      { name: 'new', isDeleted: true },
    ]);
    await adopt(database.db);
    await adopt(database.db);
    expect(await api.store(File).count({}, { deleted: 'only' })).toBe(3);
    expect([await emptyTrash(api), await emptyTrash(api, 0)]).toEqual([1, 2]);
    expect((await api.store(File).find({}, { deleted: 'with' })).map(({ name }: { name: string }) => name)).toEqual(['plan.txt']);
  });
});
