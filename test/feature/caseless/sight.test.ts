import { defineModel, openapiDocument, service, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { type ListShape, suggestIndexes } from '../../../src/mongo/indexes/list-shape.ts';
import { useCommands } from '../../support/database/commands.ts';
import { useDatabase } from '../../support/database/database.ts';
import { readShape } from '../../support/database/read-filter.ts';
import { type TestServer, useServer } from '../../support/http/serve.ts';

const open = { filter: true, sort: true } as const;
const Team = defineModel('Team', {
  collection: 'teams',
  fields: {
    id: t.string({ policy: { insert: true } }),
    name: t.string({ caseless: true, policy: open }),
    people: t.hasMany('Person', { via: 'teamId', sort: 'name' }),
  },
});
const Person = defineModel('Person', {
  collection: 'people',
  fields: {
    id: t.string({ policy: { insert: true } }),
    name: t.string({ caseless: true, policy: open }),
    salary: t.optional(t.string({ caseless: true, policy: { ...open, read: 'staff' } })),
    secret: t.optional(t.string({ caseless: true, policy: { private: true, insert: true, update: true } })),
    place: t.optional(t.object('Place', { city: t.string({ caseless: true, policy: open }) })),
    teamId: t.nullable(t.ref('Team', { id: t.string(), as: 'team' })),
  },
});

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const build = () => {
  const shop = service({ authenticate: (ctx) => ctx.get('x-user') || 'guest', rules: { staff: (who) => who === 'boss' } });
  const teams = shop.resource({ model: Team, include: ['people'], nested: ['people'], fields: true });
  const people = shop.resource({ model: Person, include: ['team'], through: ['team'], fields: true });
  return shop.api({ db: database.db, prefix: '/api', resources: [teams, people] });
};
const serve = useServer();
let api: TestServer;

beforeAll(async () => {
  api = await serve(build().routes());
  const post = async (path: string, body: object) =>
    expect((await api.request('POST', `/api/${path}`, { body, headers: { 'x-user': 'boss' } })).status).toBe(201);
  await post('teams', { id: 't', name: 'TÉAM' });
  await post('people', { id: '1', name: 'Zoë', salary: 'HÖCH', secret: 'GEHÉIM', teamId: 't', place: { city: 'KÖLN' } });
  await post('people', { id: '2', name: 'ånn', salary: 'Tief', secret: 'x', teamId: 't' });
  await post('people', { id: '3', name: 'Bob', teamId: 't' });
});

async function get(path: string, user = 'guest') {
  const answer = await api.request('GET', `/api/${path}`, { headers: { 'x-user': user } });
  expect(JSON.stringify(answer.body)).not.toMatch(/fold2|case1|geheim/);
  return answer;
}
const ids = (body: { data: { id: string }[] }) => body.data.map(({ id }) => id).join('');

describe('a folded value', () => {
  it('is part of no answer', async () => {
    for (const path of [
      'people',
      'people/1',
      'people?sort=name',
      'people?sort=-place.city&fields=id',
      'people/1?fields=place',
      'people?include=team',
    ])
      expect((await get(path)).status).toBe(200);
    expect((await get('teams/t?include=people')).body.data.people.map(({ id }: { id: string }) => id)).toEqual(['2', '3', '1']);
    expect(ids((await get('teams/t/people?sort=name')).body)).toBe('231');
  });

  it('is as visible as its field', async () => {
    expect(ids((await get('people?salary=hoch', 'boss')).body)).toBe('1');
    expect(ids((await get('people?sort=-salary', 'boss')).body)).toBe('213');
    const [hidden, unknown] = [await get('people?salary=hoch'), await get('people?zalary=hoch')];
    expect([hidden.status, hidden.body.errors[0].rule]).toEqual([400, 'unknown_parameter']);
    expect(JSON.stringify(hidden.body)).toBe(JSON.stringify(unknown.body).replaceAll('zalary', 'salary'));
    expect((await get('people?sort=salary')).body.errors[0].rule).toBe((await get('people?sort=zalary')).body.errors[0].rule);
  });

  it('of a private or hidden field is not even fetched', async () => {
    commands.clear();
    await get('people/1');
    await get('people');
    const projections = commands.events.flatMap(({ command }) => (command.find === 'people' ? [command.projection] : []));
    expect(projections.length).toBeGreaterThan(0);
    for (const projection of projections)
      expect(projection).toMatchObject({ secret: 0, 'secret[fold2]': 0, salary: 0, 'salary[fold2]': 0 });
  });

  it('is what a warning about a scan names, in the index', () => {
    const { fieldTable } = compileModel(Person);
    const shape = readShape(
      { 'name[fold2]': { $regex: '^z' } },
      new Map([
        ['place.city[fold2]', 1 as const],
        ['_id', 1 as const],
      ]),
      fieldTable,
    );
    expect(shape?.text).toBe('name[prefix]=…, sort=place.city,id');
    expect(suggestIndexes(shape as ListShape, fieldTable)[0]).toEqual([
      ['name[fold2]', 1],
      ['_id', 1],
    ]);
  });
});

describe('the description of a caseless field', () => {
  it('says that case and accents are ignored, and nothing of the stored key', () => {
    const document = openapiDocument(build());
    const text = JSON.stringify(document);
    expect(text).not.toMatch(/fold2|case1|caseless/);
    expect(text).toContain('`name` begins with this text. Case and accents are ignored.');
    expect(text).toContain('`name` equals this. Case and accents are ignored.');
  });
});
