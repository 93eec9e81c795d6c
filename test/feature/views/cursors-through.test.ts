import { defineModel, service, t } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type TestServer, useServer } from '../../support/http/serve.ts';

const listed = { filter: true, sort: true } as const;
const Boss = defineModel('Boss', {
  collection: 'bosses',
  fields: {
    id: t.string(),
    name: t.string({ policy: listed }),
    salary: t.optional(t.int({ policy: { ...listed, read: 'staff' } })),
    works: t.hasMany('Work', { via: 'boss' }),
  },
});
const Work = defineModel('Work', { collection: 'works', fields: { id: t.string(), boss: t.ref('Boss', { id: t.string() }) } });

const database = useDatabase();
const serve = useServer();
let server: TestServer;
beforeAll(async () => {
  const shop = service<string, 'staff'>({
    authenticate: (ctx) => ctx.get('authorization'),
    rules: { staff: (name) => name === 'staff' },
  });
  const works = shop.resource({ model: Work, through: ['boss'], ops: ['list'] });
  const bosses = shop.resource({ model: Boss, nested: ['works'], ops: ['get'] });
  server = await serve(shop.api({ db: database.db, prefix: '/api', resources: [works, bosses] }).routes());
  await database.db.collection<{ _id: string }>('bosses').insertOne({ _id: 'b', name: 'B', salary: 5 } as never);
  const rows = Array.from({ length: 50 }, (_, index) => ({ _id: `w${index}`, boss: 'b' }));
  await database.db.collection<{ _id: string }>('works').insertMany(rows as never);
});

describe.each(['staff', 'ann'])('the cursors of a list through relations with rules, for %s', (authorization) => {
  const headers = { authorization };

  it.each(['/api/works', '/api/bosses/b/works'])('lead on from a page without a query: %s', async (path) => {
    const first = await server.request('GET', path, { headers });
    const [, next = ''] = /<([^>]*)>; rel="next"/.exec(String(first.headers.link)) ?? [];
    const second = await server.request('GET', next, { headers });
    expect([second.status, second.body.data?.length]).toEqual([200, 20]);
    const after = first.body.page.next_cursor;
    const posted = await server.request('POST', `${path}/query`, { headers, body: { after } });
    expect(posted.body.data).toEqual(second.body.data);
  });

  it('belong to the view of the related records that they name', async () => {
    const path = '/api/works?sort=boss.name&limit=5';
    const { body } = await server.request('GET', path, { headers });
    expect((await server.request('GET', `${path}&after=${body.page.next_cursor}`, { headers })).status).toBe(200);
    const other = { authorization: authorization === 'staff' ? 'ann' : 'staff' };
    const answer = await server.request('GET', `${path}&after=${body.page.next_cursor}`, { headers: other });
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_cursor']);
  });
});
