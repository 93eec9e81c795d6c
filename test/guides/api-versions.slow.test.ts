import { useDatabase } from '../support/database/database.ts';
import { useListener } from '../support/http/listen.ts';
import { send } from '../support/http/serve.ts';
import { exchangesOf, Player } from './parts/exchanges.ts';
import { useWritePage, type WrittenPage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/api-versions.md';
const database = useDatabase();
const listen = useListener();

let written: WrittenPage;
let port: number;
beforeAll(async () => {
  written = await writePage(page);
  port = await listen((await written.load('versions.ts')).createApp(database.db).callback());
});

describe('the guide on versions', () => {
  it('is answered as it shows', async () => {
    await new Player(port).playAll(exchangesOf(page));
    expect((await send(port, 'GET', '/v2/people')).headers.sunset).toBeUndefined();
  });

  it('fills the records that were written before the new fields were there', async () => {
    const people = database.db.collection('people');
    await people.insertMany([{ name: 'Mary Ann Evans', revision: 4 }, { name: 'Voltaire' }]);
    const { migrate } = await written.load('migrate.ts');
    expect([await migrate(database.db), await migrate(database.db)]).toEqual([2, 0]);
    const { data } = (await send(port, 'GET', '/v2/people')).body;
    expect(data.slice(1)).toEqual([
      { id: expect.any(String), firstName: 'Mary Ann', lastName: 'Evans', revision: 5 },
      { id: expect.any(String), firstName: '', lastName: 'Voltaire', revision: 1 },
    ]);
  });

  it('keeps each version right when the other one writes', async () => {
    const created = await send(port, 'POST', '/v2/people', { body: { firstName: 'Jo', lastName: 'Doe' } });
    const { id } = created.body.data;
    expect((await send(port, 'GET', `/v1/people/${id}`)).body.data.name).toBe('Jo Doe');
    await send(port, 'PATCH', `/v1/people/${id}`, { body: { name: 'Jo Van Doe' } });
    expect((await send(port, 'GET', `/v2/people/${id}`)).body.data).toMatchObject({ firstName: 'Jo Van', lastName: 'Doe' });
  });
});
