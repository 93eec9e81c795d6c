import { BSON, type Document } from 'mongodb';
import { everything, service } from '../../../src/index.ts';
import { auditCollection } from '../../../src/products/audit/audit-collection.ts';
import { draftModel } from '../../../src/products/cli/draft/draft-model.ts';
import { useWritePage } from '../../guides/parts/write-page.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { expectWith } from '../../support/expect.ts';
import { useServer } from '../../support/http/serve.ts';
import { samples } from './samples.ts';

const database = useDatabase();
const writePage = useWritePage();
const serve = useServer();
const open = 'policy: { filter: true, sort: true, group: true }';
const measured = 'policy: { filter: true, sort: true, aggregate: true }';

interface Case {
  /** What a developer writes instead of pieces of the draft: policies, and other names. */
  readonly corrections: Readonly<Record<string, string>>;
  readonly list: string;
  /** A field of the first record of the list, with its value. */
  readonly first: readonly [string, string];
  readonly group: string;
  readonly patch: object;
  /** The stored keys that the patch changes, with their values. */
  readonly changed: object;
}

const cases: Record<keyof typeof samples, Case> = {
  movies: {
    corrections: {
      "numMflixComments: t.int({ stored: 'num_mflix_comments' })": `comments: t.int({ stored: 'num_mflix_comments', ${measured} })`,
      'type: t.string()': `kind: t.enum(['movie', 'series'], { stored: 'type', ${open} })`,
      'lastupdated: t.string()': "lastUpdated: t.string({ stored: 'lastupdated' })",
    },
    list: 'comments[gte]=30&sort=-comments',
    first: ['title', 'Title 39'],
    group: 'group=kind&sum=comments',
    patch: { comments: 5, awards: { wins: 9 } },
    changed: { num_mflix_comments: 5, awards: { wins: 9, nominations: 1, text: '3 wins.' } },
  },
  sales: {
    corrections: {
      'saleDate: t.date()': `soldAt: t.date({ stored: 'saleDate', ${open} })`,
      'storeLocation: t.string()': `store: t.enum(['Denver', 'Seattle'], { stored: 'storeLocation', ${open} })`,
    },
    list: 'store=Denver&sort=-soldAt',
    first: ['purchaseMethod', 'Online'],
    group: 'group=store&count=true',
    patch: { store: 'Seattle', customer: { age: 99 } },
    changed: { storeLocation: 'Seattle', customer: { gender: 'F', age: 99, email: 'c29@example.org', satisfaction: 4 } },
  },
  customers: {
    corrections: {
      'username: t.string()': `login: t.string({ stored: 'username', ${open} })`,
      'birthdate: t.date()': `bornAt: t.date({ stored: 'birthdate', ${open} })`,
    },
    list: 'bornAt[lt]=2000-01-01T00:00:00Z&sort=login',
    first: ['login', 'user13'],
    group: 'group=login&count=true',
    patch: { login: 'new' },
    changed: { username: 'new' },
  },
  trips: {
    corrections: {
      'tripduration: t.int()': `seconds: t.int({ stored: 'tripduration', ${measured} })`,
      'usertype: t.string()': `user: t.enum(['Subscriber', 'Customer'], { stored: 'usertype', ${open} })`,
    },
    list: 'user=Subscriber&sort=-seconds',
    first: ['startStationName', 'Station 29'],
    group: 'group=user&max=seconds',
    patch: { seconds: 1, startStationName: 'Here' },
    changed: { tripduration: 1, 'start station name': 'Here' },
  },
};

async function load(text: string): Promise<Any> {
  const page = await writePage('', { 'model.ts': text });
  return Object.values(await page.load('model.ts'))[0];
}

async function findMisfits(model: Any): Promise<unknown> {
  let last: Any;
  for await (last of auditCollection(model, { db: database.db }));
  return { isComplete: last.isComplete, misfits: last.misfits, unknownKeys: last.unknownKeys };
}
const nothing = { isComplete: true, misfits: [], unknownKeys: [] };

/** The bytes of the records, by their ids. */
async function readBytes(collection: string): Promise<Map<string, Buffer>> {
  const found = (await database.db.collection(collection).find({}, { raw: true }).toArray()) as unknown as Uint8Array[];
  return new Map(found.map((raw) => [String(BSON.deserialize(raw)._id), Buffer.from(raw)]));
}

/** The bytes of each member of a record, in their order. */
function membersOf(bytes: Buffer | undefined): [string, string][] {
  const record = BSON.deserialize(bytes as Buffer, { promoteValues: false });
  return Object.entries(record).map(([key, value]) => [key, Buffer.from(BSON.serialize({ value })).toString('hex')]);
}

describe.each(Object.keys(cases) as (keyof typeof samples)[])('a collection of the shape of the sample set %s', (name) => {
  const { corrections, list, first, group, patch, changed } = cases[name];

  it('has a draft that fits; with other names it is listed, filtered, sorted and aggregated, and a patch changes only what it names', async () => {
    await database.db.collection(name).insertMany(samples[name] as Document[]);
    let text = (await draftModel(database.db, { collection: name, sample: 1_000, showsValues: true })) as string;
    expect(await findMisfits(await load(text))).toEqual(nothing);
    for (const [drafted, written] of Object.entries(corrections)) {
      expect(text).toContain(drafted);
      text = text.replace(drafted, written);
    }
    const model = await load(text);
    expect(await findMisfits(model)).toEqual(nothing);

    const shop = service<never>();
    const resource = shop.resource({ model, path: name, ops: ['list', 'get', 'patch'], aggregate: true, scope: () => everything } as never);
    const { request, errors } = await serve(shop.api({ db: database.db, prefix: '/api', resources: [resource] }).routes());
    const before = await readBytes(name);
    const listed = await request('GET', `/api/${name}?${list}`);
    expectWith([listed.status, listed.body.data?.[0]?.[first[0]]], listed.text).toEqual([200, first[1]]);
    const grouped = await request('GET', `/api/${name}/aggregate?${group}`);
    expectWith(grouped.status, grouped.text).toBe(200);
    expect(await readBytes(name)).toEqual(before);

    const { id } = listed.body.data[0];
    const patched = await request('PATCH', `/api/${name}/${id}`, { body: patch });
    expectWith(patched.status, patched.text).toBe(200);
    const after = await readBytes(name);
    expect(BSON.deserialize(after.get(id) as Buffer)).toMatchObject(changed);
    const isKept = ([key]: [string, string]) => !Object.hasOwn(changed, key);
    expect(membersOf(after.get(id)).filter(isKept)).toEqual(membersOf(before.get(id)).filter(isKept));
    expect([...after].filter(([key]) => key !== id)).toEqual([...before].filter(([key]) => key !== id));
    expect(await findMisfits(model)).toEqual(nothing);
    expect(errors).toEqual([]);
  });
});
