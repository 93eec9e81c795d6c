import { inspect } from 'node:util';
import type { Answer } from '../support/http/serve.ts';
import { privateNames, useWorld } from '../support/models/canaries.ts';

/** What a developer is told, by code and text: most warnings are made in development only. */
const told: string[] = [];
const environment = process.env.NODE_ENV;

beforeAll(() => {
  process.env.NODE_ENV = 'development';
  jest.spyOn(process, 'emitWarning').mockImplementation((...given: unknown[]) => void told.push(inspect(given)));
});
afterAll(() => {
  process.env.NODE_ENV = environment;
  jest.restoreAllMocks();
});

/**
 * Two services that differ in their secrets only: in what is private, in all that others have, in how long and how many
 * they are.
 */
const alpha = useWorld({ marker: 'canary-alpha', number: 918_273, strangers: 1 });
const beta = useWorld({ marker: `canary-beta-${'long'.repeat(50)}`, number: 1_746_352_891, strangers: 7 });
const secrets = /canary[-\w]*|918273|1746352891/;

type Sent = readonly [method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>];

const places = [
  ...['xTop', 'xCount', 'profile.xPin', 'profile.inner.xDeep', 'cards.xCard', 'entries.k.xEntry', 'xVault', 'xVault.plain'],
  ...['xNotes', 'xLabels', 'xLabels.a', 'xAny', 'xBoss', 'xBossRecord', 'xWord', 'undeclared', 'xTp', 'xWrd', 'profile.xPi'],
];
const operators = ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'exists', 'prefix'];
const guesses = ['canary-alpha-top', '918273', 'canary', 'true', ''];

function nested(path: string, value: unknown): unknown {
  return path.split('.').reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
}

const queries = [
  ...[
    '',
    'limit=1',
    'limit=2&sort=-rank',
    'sort=name,-rank',
    'sort=profile.city',
    'total=true',
    'total=estimate',
    'page=2&limit=2',
    'page=99',
  ],
  ...['name=Ann', 'name[prefix]=canary', 'name[ne]=Ann', 'rank[gte]=2', 'rank[exists]=false', 'rank=918273', 'cards.label=visa'],
  ...['id=f1', 'id[in]=p1,f1', 'include=boss', 'include=boss.boss,team', 'include=boss.team', 'fields=name', 'fields=name,profile.city'],
];
const probes = [
  ...places.flatMap((place) => operators.map((operator) => `${place}[${operator}]=canary-alpha-top`)),
  ...places.flatMap((place) => guesses.map((guess) => `${place}=${guess}`)),
  ...places.flatMap((place) => [`sort=${place}`, `sort=-${place}`, `fields=${place}`, `include=${place}`]),
  ...['after=canary', 'before=eyJ4IjoxfQ', 'nothing=1', '$where=1', 'xTop[$ne]=1'],
];
const lists: Sent[] = [
  ...['people', 'pages', 'hooked'].flatMap((path) => queries.map((query): Sent => ['GET', `/api/${path}?${query}`])),
  ...probes.map((query): Sent => ['GET', `/api/people?${query}`]),
];

const reads: Sent[] = ['people', 'hooked'].flatMap((path): Sent[] =>
  ['p1', 'p2', 'p3', 'f1', 'f2', 'none'].flatMap((one): Sent[] => [
    ...[
      '',
      '?include=boss,team',
      '?include=boss.boss',
      '?include=xBossRecord',
      '?fields=name',
      '?fields=xTop',
      '?fields=profile',
      '?fields=profile.xPin',
    ].map((query): Sent => ['GET', `/api/${path}/${one}${query}`]),
    ['HEAD', `/api/${path}/${one}`],
    ['GET', `/api/${path}/${one}`, undefined, { 'if-none-match': '"3"' }],
    ['GET', `/api/${path}/${one}`, undefined, { 'if-match': '"918273"' }],
  ]),
);

const whole = { name: 'New', rank: 1, boss: null, teamId: null, number: null };
const values = [null, 'canary-alpha-top', 5, { plain: 'x' }, []];
const writes: Sent[] = [
  ...places.flatMap((place): Sent[] =>
    values.flatMap((value): Sent[] => [
      ['POST', '/api/people', { ...whole, id: 'n', ...(nested(place, value) as object) }],
      ['PATCH', '/api/people/p1', nested(place, value)],
      ['PATCH', '/api/pages/p1', nested(place, value)],
      ['PUT', '/api/people/p1', { ...whole, ...(nested(place, value) as object) }],
      ['PATCH', '/api/people/f1', nested(place, value)],
    ]),
  ),
  ...['p1', 'p3', 'f1', 'none'].flatMap((one): Sent[] => [
    ['PATCH', `/api/people/${one}`, { profile: null }],
    ['PATCH', `/api/people/${one}`, { profile: { city: 'Bonn' } }],
    ['PATCH', `/api/people/${one}`, { profile: { inner: { open: 'p' } } }],
    ['PATCH', `/api/people/${one}`, { cards: [] }],
    ['PATCH', `/api/people/${one}`, { entries: {} }],
    ['PATCH', `/api/people/${one}`, { rank: 7 }, { 'if-match': '"918273"' }],
    ['PATCH', `/api/people/${one}`, {}],
    ['PATCH', `/api/people/${one}`, { number: '3' }],
    ['PATCH', `/api/people/${one}`, { owner: 'ben' }],
    ['PATCH', `/api/people/${one}`, { xWord: 'my own' }],
    ['PATCH', `/api/hooked/${one}`, { rank: 8 }],
    ['PATCH', `/api/pages/${one}`, { profile: { city: 'Bern' } }],
    ['PUT', `/api/people/${one}`, whole],
    ...['touch', 'break', 'refuse', 'gone'].map((name): Sent => ['POST', `/api/people/${one}/${name}`]),
    ...['look', 'wrap', 'copy', 'part'].map((name): Sent => ['GET', `/api/people/${one}/${name}`]),
  ]),
  ['POST', '/api/people', { ...whole, id: 'n1', xWord: 'my own', profile: { city: 'Ulm' } }],
  ['POST', '/api/people', { ...whole, id: 'n1' }],
  ['POST', '/api/people', { ...whole, id: 'n2', number: '3' }],
  ['POST', '/api/people', { id: 'n3', xWord: 'no' }],
  ['POST', '/api/people', '{'],
  ['POST', '/api/people', whole, { 'sec-fetch-site': 'cross-site' }],
  ['POST', '/api/teams', { id: 'blue', title: 'Blue' }],
  ['POST', '/api/teams', { id: 'blue', title: 'Blue' }],
  ['POST', '/api/teams', { id: 'green' }],
  ['DELETE', '/api/people/f1'],
  ['DELETE', '/api/people/p4', undefined, { 'if-match': '"918273"' }],
  ['DELETE', '/api/people/p4'],
];
const others: Sent[] = [
  ...['openapi.json', 'docs', 'nothing', 'people/p1/nothing', 'teams', 'teams/red'].map((path): Sent => ['GET', `/api/${path}`]),
  ['GET', '/api/people', undefined, { 'x-user': '' }],
  ['PATCH', '/api/people/p1', {}, { 'x-user': '' }],
  ['POST', '/api/people/p1', {}],
];

async function ask(world: typeof alpha, [method, path, body, headers]: Sent): Promise<Answer> {
  return world.api.request(method, path, { ...(body === undefined ? {} : { body }), headers: { 'x-user': 'ann', ...headers } });
}

function comparable({ status, headers: { date: _, ...headers }, text }: Answer): object {
  return { status, headers, text };
}

describe('two services that differ in their secrets only', () => {
  /** Without what the client has sent itself, its own values and the names that it asked for. */
  function expectNothing({ status, headers, text }: Answer, sent: Sent): void {
    const said = decodeURIComponent(JSON.stringify(sent));
    const all = JSON.stringify([headers, text]);
    for (const [secret] of all.matchAll(new RegExp(secrets, 'g'))) expect([sent, said.includes(secret)]).toEqual([sent, true]);
    for (const name of privateNames) if (!said.includes(name)) expect([sent, status, all.includes(name)]).toEqual([sent, status, false]);
  }

  it.each([
    ['lists, filters, sorts, fields and includes', [200, 400], lists],
    ['single records', [200, 304, 400, 404, 412], reads],
    ['what is beside them: the description, the docs page, what is not there, and nobody', [200, 401, 404, 405], others],
    ['writes and operations', [200, 201, 204, 400, 403, 404, 409, 412, 422, 500], writes],
    ['lists behind the writes', [200, 400], lists.filter(([, path]) => !path.includes('x'))],
  ])('answer byte for byte the same, without a secret, the name of one or of a collection: %s', async (_what, statuses, requests) => {
    const met = new Set<number>();
    for (const sent of requests) {
      const [one, other] = [await ask(alpha, sent), await ask(beta, sent)];
      expect([sent, comparable(one)]).toEqual([sent, comparable(other)]);
      expectNothing(one, sent);
      met.add(one.status);
    }
    expect([...met].sort()).toEqual(statuses);
  });

  it.each(['people?limit=1&sort=-rank', 'people?limit=1&sort=profile.city', 'hooked?limit=1&include=boss', 'people?limit=2&name[ne]=x'])(
    'have the same cursors, forwards and back, in which nothing is hidden: %s',
    async (path) => {
      let steps = 0;
      for (const direction of ['next_cursor', 'prev_cursor'] as const) {
        let cursor: string | null = null;
        do {
          const name = direction === 'next_cursor' ? 'after' : 'before';
          const sent: Sent = ['GET', `/api/${path}${cursor === null ? '' : `&${name}=${cursor}`}`];
          const [one, other] = [await ask(alpha, sent), await ask(beta, sent)];
          expect(comparable(one)).toEqual(comparable(other));
          cursor = one.body.page[direction];
          expect(Buffer.from(cursor ?? '', 'base64url').toString('latin1')).not.toMatch(secrets);
          steps++;
        } while (cursor !== null);
      }
      expect(steps).toBeGreaterThan(2);
    },
  );

  it('report the same errors, and warn of the same, without a secret', () => {
    const errors = (world: typeof alpha) => world.api.errors.map((error) => inspect(error, { depth: 10 }));
    expect(errors(alpha)).toEqual(errors(beta));
    expect(errors(alpha).length).toBeGreaterThan(3);
    for (const code of ['INCLUDE_SHOWS_NOTHING', 'LIST_SCAN', 'RECORD_MISFIT']) expect(told).toContainEqual(expect.stringContaining(code));
    expect([...errors(alpha), ...told].filter((line) => secrets.test(line))).toEqual([]);
  });

  it('have changed nothing of what is private or of others', async () => {
    for (const { database } of [alpha, beta]) {
      const people = database.db.collection<{ _id: string; [key: string]: unknown }>('people');
      expect(String((await people.findOne({ _id: 'p1' }))?.xTop)).toMatch(/^canary/);
      expect((await people.findOne({ _id: 'f1' }))?.name).toMatch(/^canary/);
    }
  });
});
