import { type Db, Decimal128, type Document, MinKey, MongoClient } from 'mongodb';
import { eventStreamType } from '../../../src/http/media-type.ts';
import { type Api, applyIndexes, cursorPaging, defineModel, service, t } from '../../../src/index.ts';
import type { ServedRow } from '../../../src/resource/serve-resource.ts';
import type { Any } from '../../support/any.ts';
import { type TestDatabase, useDatabase } from '../../support/database/database.ts';

const id = t.string({ policy: { insert: true, filter: true, sort: true } });
/** Whatever a policy can allow, for callers who see the field. */
const everything = { filter: true, sort: true } as const;
const staff = { read: 'staff', ...everything } as const;

/** A hidden field of each kind, with two orders of its values, by the number of a record. */
const hidden: Readonly<Record<string, { readonly field: Any; value(n: number): unknown }>> = {
  hText: { field: t.optional(t.string({ policy: { ...staff, group: true } })), value: (n) => `text ${n}` },
  hFolded: { field: t.optional(t.string({ caseless: true, policy: staff })), value: (n) => `Text ${n}` },
  hInt: { field: t.nullable(t.int({ policy: { ...staff, aggregate: true, group: true } })), value: (n) => n },
  hExact: { field: t.optional(t.decimal({ policy: { ...staff, aggregate: true } })), value: (n) => Decimal128.fromString(`${n}.5`) },
  hDate: { field: t.optional(t.date({ policy: { ...staff, aggregate: true, group: true } })), value: (n) => new Date(n * 1e9) },
  hTag: {
    field: t.optional(t.ref('Tag', { id: t.string(), as: 'hChief', onDelete: 'nullify', policy: staff })),
    value: (n) => 'abc'[n % 3],
  },
  hTags: {
    field: t.array(t.ref('Tag', { id: t.string(), as: 'hAll' }), { default: [], policy: { read: 'staff' } }),
    value: (n) => [...'abc'].slice(n % 3),
  },
  hSpot: {
    field: t.optional(t.point({ policy: { read: 'staff', near: { maxMetres: 9e6 } } })),
    value: (n) => ({ type: 'Point', coordinates: [n, n] }),
  },
  hMap: { field: t.optional(t.map(t.string(), { policy: { read: 'staff' } })), value: (n) => ({ [`key${n}`]: 'v' }) },
  hInner: {
    field: t.nullable(t.object('Inner', { deep: t.string({ policy: everything }) }, { policy: { read: 'staff' } })),
    value: (n) => ({ deep: `d${n}` }),
  },
  hAny: { field: t.optional(t.any({ policy: { read: 'staff' } })), value: (n) => [n, { n }] },
  hStock: { field: t.counter({ policy: { read: 'staff' } }), value: (n) => n },
};
const hiddenFields = Object.fromEntries(Object.entries(hidden).map(([name, { field }]) => [name, field]));

const Line = t.object('Line', {
  name: t.string({ policy: { filter: true } }),
  cost: t.optional(t.string({ policy: { read: 'staff', filter: true } })),
});
const Place = t.object('Place', {
  city: t.string({ policy: everything }),
  code: t.optional(t.string({ policy: { ...staff, group: true } })),
});

const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    id,
    text: t.string({ policy: { ...everything, group: true } }),
    size: t.int({ default: 0, policy: { ...everything, group: true, aggregate: true } }),
    exact: t.optional(t.decimal({ policy: { ...everything, aggregate: true } })),
    at: t.optional(t.date({ policy: { ...everything, group: true, aggregate: true } })),
    lines: t.array(Line, { default: [], policy: { filter: true } }),
    place: t.nullable(Place),
    byKey: t.map(Line, { default: {} }),
    tagIds: t.array(t.ref('Tag', { id: t.string(), as: 'tags' }), { default: [], policy: { filter: true } }),
    stock: t.counter({ default: 1 }),
    deletedAt: t.deletedAt(),
    revision: t.revision(),
    ...hiddenFields,
  },
  history: true,
  search: { fields: { text: 1, hText: 3 } },
} as Any);

const Tag = defineModel('Tag', {
  collection: 'tags',
  fields: {
    id,
    text: t.string({ policy: everything }),
    secret: t.optional(t.string({ policy: staff })),
    notes: t.hasMany('Note', { via: 'tagIds' }),
    ofNotes: t.hasMany('Note', { via: 'tagIds', count: true }),
    led: t.hasMany('Note', { via: 'hTag' }),
    ofLed: t.hasMany('Note', { via: 'hTags', count: true }),
  },
} as Any);

function makeApi(db: Db): Api {
  const shop = service({ authenticate: () => 'ann', rules: { staff: (who) => who === 'staff' } });
  const paging = cursorPaging({ total: true });
  const resource = (model: Any, more: Any) => shop.resource({ model, paging, fields: true, ...more } as Any);
  const lists = { through: ['tags', 'hChief', 'hAll'], include: ['tags', 'hChief', 'hAll', 'tags.led'], live: true };
  return shop.api({
    db,
    warnOnScan: false,
    batch: true,
    maxTimeMS: 60_000,
    onError: () => undefined,
    resources: [
      resource(Note, {
        ops: ['list', 'get', 'create', 'patch', 'put', 'delete', 'restore', 'patchMany', 'deleteMany'],
        deleted: { guards: [() => true] },
        history: true,
        export: {},
        aggregate: {},
        links: ['tags', 'hAll'],
        ...lists,
      }),
      resource(Note, { path: 'few', ops: ['list'], export: { max: 3 }, aggregate: { maxMatches: 6, maxGroups: 3 } }),
      resource(Tag, {
        ops: ['list', 'get', 'delete'],
        nested: ['notes', 'led'],
        live: true,
        through: ['notes', 'ofNotes', 'led', 'ofLed'],
        include: ['notes', 'notes.tags', 'ofNotes', 'led', 'ofLed'],
      }),
    ],
  } as Any);
}

/** No hidden field can hold all of these. */
const misfits: readonly unknown[] = [
  null,
  5,
  'text',
  [],
  [[1], 'x', null],
  {},
  { $ref: 'a', $id: 'b' },
  new Date(Number.NaN),
  Number.NaN,
  new MinKey(),
  /x/,
  true,
  [{ deep: 1 }],
  Decimal128.fromString('NaN'),
];

/** The value of a hidden field of a record, by its number. Undefined: the field is not stored. */
type World = (n: number, name: string) => unknown;

const worlds: Readonly<Record<string, World>> = {
  nothing: () => undefined,
  rising: (n, name) => hidden[name]?.value(n) ?? `${n}`,
  falling: (n, name) => hidden[name]?.value(9 - n) ?? `${9 - n}`,
  misfits: (n, name) => misfits[(n + name.length) % misfits.length],
};

const records = 7;

async function seed(db: Db, world: World): Promise<void> {
  const own = (n: number, name: string, key = name) => {
    const value = world(n, name);
    return value === undefined ? {} : { [key]: value };
  };
  const line = (n: number, name: string) => ({ name, ...own(n, 'cost') });
  const all = await db.listCollections().toArray();
  await Promise.all(all.map(({ name }) => db.collection(name).deleteMany({})));
  await db.collection('tags').insertMany([...'abc'].map((_id, n) => ({ _id, text: `tag ${n % 2}`, ...own(n, 'secret') })) as Document[]);
  const note = (n: number) => ({
    _id: `n${n}`,
    text: `text ${n % 3}`,
    size: n % 4,
    exact: Decimal128.fromString(`${n % 2}.25`),
    at: new Date(Date.UTC(2020, n, 1)),
    lines: [line(n, `l${n % 2}`), line(n + 1, 'm')],
    place: { city: `city ${n % 2}`, ...own(n, 'code') },
    byKey: { k: line(n, 'k') },
    tagIds: [...'abc'].slice(n % 4),
    stock: 1,
    revision: 3,
    ...Object.assign(
      {},
      ...Object.keys(hidden)
        .filter((name) => name !== 'hSpot' || isPoint(world(n, name)))
        .map((name) => own(n, name)),
    ),
    ...(n === 6 && { deletedAt: new Date(0) }),
  });
  await db.collection('notes').insertMany(Array.from({ length: records }, (_, n) => note(n)) as Document[]);
  const secrets = Object.keys(hidden).flatMap((path, n) => {
    const [before, after] = [world(n, path), world(n + 1, path)];
    return before === undefined ? [] : [{ path, before, after }];
  });
  const entry = (revision: number, changes: readonly { readonly path: string }[]) => ({
    record: 'n0',
    life: null,
    revision,
    previous: revision - 1,
    at: new Date(0),
    change: 'patched',
    actor: 'ann',
    paths: changes.map(({ path }) => path),
    changes,
    private: [],
  });
  const entries = [
    entry(1, [{ path: 'text', before: 'old' } as never, ...secrets]),
    entry(2, secrets),
    entry(3, [...secrets, { path: 'place.city', before: 'Bern' } as never, { path: 'lines', before: [line(3, 'x')] } as never]),
  ];
  await db.collection('notes_history').insertMany(entries.filter(({ changes }) => changes.length > 0) as Document[]);
}

/** The index of points takes nothing else. */
function isPoint(value: unknown): boolean {
  return value === undefined || value === null || (value as Any).type === 'Point';
}

const names = Object.keys(worlds);
const databases = names.map(() => useDatabase());
let apis: readonly Api[];
/** Whether the databases are as they were seeded. */
let isSeeded = false;

beforeAll(async () => {
  apis = databases.map(({ db }) => makeApi(db));
  await Promise.all(apis.map((api) => applyIndexes(api)));
});

async function reseed(): Promise<void> {
  if (!isSeeded) await Promise.all(names.map((name, n) => seed((databases[n] as TestDatabase).db, worlds[name] as World)));
  isSeeded = true;
}

const hiddenNames = [
  ...Object.keys(hidden),
  ...'hInner.deep place.code lines.cost secret led ofLed hChief hChief.text led.text nothing'.split(' '),
];
const allNames = [...'id text size exact at lines.name place.city tagIds tags.text notes.text'.split(' '), ...hiddenNames];
const conditions = [
  'text = "text 1" AND NOT size = 1',
  'any(lines, name = "m")',
  'any(tags, text = "tag 0")',
  'none(notes)',
  'any(led, text = "text 1")',
  'none(hChief)',
  'any(hAll, text = "tag 0")',
  'any(lines, cost = "1")',
  'hInt = 1 OR text = "text 1"',
  'any(tags, none(led))',
];
const parameters = ['q=text', 'near=1,1,100000', 'deleted=include', 'deleted=only', 'total=true', 'limit=2', 'max_affected=3'];
const filters = [
  ...allNames.flatMap((name) => [`${name}=text 1`, `${name}=1`, `${name}[gte]=1`, `${name}[in]=a,n1`, `${name}[exists]=true`]),
  ...conditions.map((one) => `filter=${one}`),
  ...parameters,
];
const choices = allNames.map((name) => `fields=${name}`);
const includes = ['tags', 'hChief', 'hAll', 'tags.led', 'notes.tags', 'ofNotes', 'led', 'ofLed'].map(
  (name) => `include=${name}&fields=text`,
);
const lists = ['', ...filters, ...allNames.flatMap((name) => [`sort=${name}`, `sort=-${name},text&limit=3`]), ...choices, ...includes];
const groups = allNames.flatMap((name) => [
  ...['group=', 'sum=', 'avg=', 'group=text&max=', 'group=text,'].map((one) => one + name),
  `group=${name}[month]`,
]);
const bodies = allNames.flatMap((name) => [{ [name]: 'text 1' }, { [name]: null }, { [name]: {} }]);

/** How a row is asked, in the query string; by its name, else by its kind. */
const queries: Readonly<Record<string, readonly string[]>> = {
  aggregate: [...groups, ...filters],
  history: ['', 'limit=1', 'limit=2', 'sort=revision', ...allNames.flatMap((name) => [`path=${name}`, `path[in]=text,${name}`])],
  'get.at': [0, 1, 2, 3, 4].flatMap((at) => [`at=${at}`, ...choices.map((one) => `at=${at}&${one}`)]),
  get: ['', ...choices, ...includes],
  'get.live': ['', ...choices, ...includes],
  patchMany: filters.map((one) => `${one}&max_affected=100`),
  deleteMany: filters.map((one) => `${one}&max_affected=100`),
};
const isRead = ({ method, name }: ServedRow) => method === 'GET' || method === 'QUERY' || name.endsWith('query');

/** What a write takes in its body. */
function bodiesOf({ name, method, subject }: ServedRow): readonly object[] {
  if (subject.kind === 'custom') return [{ add: 1 }]; // the step of a counter
  if (queries[name]) return [{ text: 'x' }];
  const needed = { POST: { id: 'new', text: 'x' }, PUT: { text: 'x' } }[method];
  return bodies.map((body) => ({ ...needed, ...body }));
}

/** Each row takes other requests of those that there are, so that few requests meet every row. */
function requestsOf(path: string, row: ServedRow, at: number): Request[] {
  const { name, method, when, readsJson } = row;
  const id = name === 'restore' ? 'n6' : path === 'tags' ? 'a' : 'n0';
  const bare = `http://in-process/${path}${row.path === '/' ? '' : row.path.replace(':id', id).replace(':other', 'b')}`;
  const all = (queries[name] ?? (isRead(row) ? lists : [''])).flatMap((query) => {
    const given = new URLSearchParams(query);
    if (isRead(row) && readsJson) return [{ url: bare, body: Object.fromEntries(given) }];
    const url = given.size > 0 ? `${bare}?${given}` : bare;
    return readsJson ? bodiesOf(row).map((body) => ({ url, body })) : [{ url }];
  });
  const step = Math.max(1, Math.floor(all.length / (isRead(row) ? 40 : 12)));
  const types = when && 'accept' in when ? when.accept : ['application/json'];
  return types.flatMap((accept, n) =>
    all
      .filter((_, index) => index % step === (at + n) % step)
      .map(({ url, body }: { url: string; body?: object }) => {
        const headers = { accept, ...(body && { 'content-type': 'application/json' }) };
        return new Request(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      }),
  );
}

/** What a caller is told. Times of writes differ. */
async function told(api: Api, request: Request, principal = 'ann'): Promise<string> {
  const { status, headers, body } = await api.fetch(request.clone(), { principal: principal as never });
  const isEndless = headers.get('content-type')?.startsWith(eventStreamType);
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true });
    if (isEndless && /^event:.*\n(?:.+\n)*\n/m.test(text)) break;
  }
  const seen = [...headers].filter(([name]) => name !== 'date');
  return JSON.stringify([status, seen, text.replace(/^retry: .*/, '').replaceAll(/"at":"2[^"]*"/g, '')]);
}

const after = ['/notes?deleted=include', '/notes/n0/history'].map((path) => new Request(`http://in-process${path}`));

const table = makeApi(new MongoClient('mongodb://127.0.0.1').db('none')).description.resources;
const rows = table.flatMap(({ path, rows: own }) => own.map((row) => [`${path}.${row.name} by ${row.method}`, path, row] as const));

it.each(rows.map((row, at) => [...row, at] as const))('what is hidden changes no answer of %s', async (_name, path, row, at) => {
  for (const request of requestsOf(path, row, at)) {
    await reseed();
    isSeeded = isRead(row);
    const [first, ...others] = await Promise.all(
      apis.map(async (api) => {
        const answer = await told(api, request);
        return [answer, ...(isRead(row) ? [] : await Promise.all(after.map((one) => told(api, one))))];
      }),
    );
    for (const other of others) expect([request.url, other]).toEqual([request.url, first]);
    expect(first?.[0]).not.toMatch(/^\[5/);
  }
});

it('is another one in each world, for who sees it', async () => {
  await reseed();
  const request = new Request('http://in-process/few?fields=hText,hInt');
  const answers = await Promise.all(apis.map((api) => told(api, request, 'staff')));
  expect(new Set(answers).size).toBe(names.length);
});
