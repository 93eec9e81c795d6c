import { inspect } from 'node:util';
import { ConfigurationError, cursorPaging, defineModel, service, t } from '../../src/index.ts';
import { checkOrder } from '../../src/middleware/exchange/order.ts';
import type { ApiDescription } from '../../src/openapi/api-description.ts';
import { Components } from '../../src/openapi/components.ts';
import { useDatabase } from '../support/database/database.ts';

// A chain of a standard operation is made by its first request. A mistake that showed only then would be a 500 for a
// client, and not an api that does not start. So every option of definitions that use most of the library is given
// every odd value, and every place in their values the oddest: what is made of them must be refused, or must let every
// chain be made.

const database = useDatabase();
const nothing = () => true;
const oddest: readonly unknown[] = [
  ...[undefined, null, true, '', 'list', '__proto__', 0, -1, 0.5, 7, Number.NaN, 1n, Symbol('s')],
  ...[nothing, new Map(), [undefined], ['x'], {}],
];
const odd: readonly unknown[] = [
  ...oddest,
  ...[false, 'x', '30d', 1, 2 ** 31, 2 ** 53, class {}, new Date(0), /x/, [], Object.create(null), [nothing, nothing], { x: 1 }],
];

const ofModel = {
  collection: 'docs',
  fields: {
    id: t.string({ policy: { insert: true } }),
    text: t.string({ minLength: 1, pattern: '^[a-z]*$', policy: { filter: true, sort: true, group: true } }),
    total: t.nullable(t.decimal({ minimum: '0', policy: { filter: ['gte'] } })),
    secret: t.optional(t.string({ policy: { read: 'staff', filter: true } })),
    hidden: t.string({ default: 'x', policy: { private: true } }),
    place: t.optional(t.point({ policy: { near: { maxMetres: 5_000 } } })),
    address: t.optional(t.object('Address', { city: t.string({ policy: { filter: true } }) })),
    ofKeys: t.map(t.string(), { merge: true, filterKeys: ['a'], default: {}, policy: { filter: ['eq'] } }),
    stock: t.counter({ minimum: 0 }),
    tags: t.array(t.ref('Tag', { id: t.string(), onDelete: 'pull' }), { default: [], maxItems: 5 }),
    tag: t.optional(t.ref('Tag', { id: t.string(), as: 'first', onDelete: 'cascade' })),
    shout: t.computed(t.string(), { from: ['text'], get: ({ text }) => `${text}!` }),
    revision: t.revision(),
    updatedAt: t.updatedAt(),
    deletedAt: t.deletedAt(),
  },
  maxTimeMS: 500,
  check: () => undefined,
  search: { fields: { text: 2 } },
  indexes: [{ fields: ['text', '-updatedAt'] }],
  history: { scopeFields: ['text'] },
};
const ops = ['list', 'get', 'create', 'patch', 'put', 'delete', 'restore', 'patchMany', 'deleteMany'];
const ofResource = {
  path: 'docs',
  description: 'Docs.',
  ops,
  guards: [nothing],
  guardsFor: { delete: [nothing], read: [nothing] },
  scope: () => ({ text: 'x' }),
  scopeFields: ['text'],
  serverFields: { create: () => ({ hidden: 'y' }), update: () => ({}) },
  before: { delete: [nothing], create: [nothing] },
  within: { change: [nothing], delete: [nothing] },
  after: { write: [nothing], get: [nothing] },
  deleted: { guards: [nothing] },
  paging: cursorPaging({ max: 100, total: true }),
  include: ['tags', 'first'],
  through: ['first'],
  links: ['tags'],
  counters: ['stock'],
  fields: true,
  filters: ['text = … AND total >= …'],
  export: {},
  aggregate: true,
  live: true,
  history: true,
  maxAffected: 10,
  cacheControl: 'no-store',
  vary: ['Cookie'],
  operations: { send: { handler: nothing, problems: ['not_found'] } },
};
const ofApi = {
  prefix: '/api',
  batch: { maxOperations: 5 },
  idempotency: { principal: () => 'x', ttl: 60 },
  maxConcurrency: { total: 10, each: 5, by: () => 'x' },
  maxStreams: 5,
  maxTimeMS: 1_000,
  maxBody: 1_000,
  health: true,
  openapi: { guards: [nothing] },
};
const legal = { model: ofModel, resource: ofResource, api: ofApi };
type Level = keyof typeof legal;

const Tag = defineModel('Tag', {
  collection: 'tags',
  fields: { id: t.string(), name: t.string({ policy: { filter: true, sort: true } }), docs: t.hasMany('Doc', { via: 'tag' }) },
});

/** The api with one of the definitions replaced. */
function make(given: Partial<Record<Level, object>>): Made {
  const { model, resource, api } = { ...legal, ...given };
  const shop = service({ authenticate: () => 'x', rules: { staff: nothing } });
  const docs = shop.resource({ ...resource, model: defineModel('Doc', model as never) } as never);
  const tags = shop.resource({
    model: Tag,
    ops: ['list', 'get', 'delete'],
    include: ['docs'],
    nested: ['docs'],
    through: ['docs'],
  } as never);
  return shop.api({ db: database.db, ...api, resources: [docs, tags] } as never) as unknown as Made;
}

interface Made {
  readonly description: ApiDescription;
}

/** The options that a definition may have, as its message about an unknown one names them. */
function optionsOf(level: Level): readonly string[] {
  try {
    make({ [level]: { ...legal[level], qqqqqqqq: 1 } });
  } catch (error) {
    return /Allowed: ([^.]*)\./.exec((error as Error).message)?.[1]?.split(', ') ?? [];
  }
  return [];
}

/** A definition with another value at a path. */
function replace(definition: unknown, [step, ...further]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  const copy = Array.isArray(definition) ? [...definition] : { ...(definition as object) };
  const made = replace(Reflect.get(copy, step), further, value);
  return Object.assign(copy, { [step]: made });
}

/** The paths of all values in a definition: what stands in its arrays and objects, too. */
function placesOf(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  const isTable = Array.isArray(value) || Object.getPrototypeOf(value ?? 0) === Object.prototype;
  const members = isTable ? Object.entries(value as object) : [];
  return [path, ...members.flatMap(([key, one]) => placesOf(one, [...path, key]))];
}

/** Stops a middleware before it does anything. */
const stop = new Error('stopped');
const stopping = new Proxy({}, { get: () => raise(stop), set: () => raise(stop), has: () => raise(stop) });
function raise(error: Error): never {
  throw error;
}

/** What only shows when the chains are made and run. */
async function mistakesOf({ description }: Made): Promise<string[]> {
  const { resources, beside } = description;
  const found: string[] = [];
  const attempt = async (what: string, run: () => unknown) => {
    try {
      await run();
    } catch (error) {
      if (error !== stop) found.push(`${what}: ${error}`);
    }
  };
  for (const one of beside) await attempt('beside', () => one.describe(description, new Components()));
  for (const held of [[], ['staff']])
    for (const { rows } of description.seenBy(new Set(held)).resources)
      for (const { name, chain } of rows) await attempt(`${name}, seen by [${held}]`, chain);
  for (const one of resources)
    for (const { name, whole, chain, run, ownRun, replayRun } of one.rows) {
      await attempt(name, () => checkOrder(chain(), name));
      await attempt(name, whole);
      for (const each of [run, ownRun, replayRun]) await attempt(name, () => each(stopping as never, nothing as never));
    }
  return found;
}

it('the definitions are legal, and their chains have what most of the library is about', async () => {
  const made = make({});
  expect(await mistakesOf(made)).toEqual([]);
  const names = new Set(made.description.resources.flatMap(({ rows }) => rows.flatMap(({ chain }) => chain().map((one) => one.name))));
  const parts =
    'guards scope deleted beforeHooks afterHooks findIncluded findPage findRecord fields filterQuery caching ifMatch notModified';
  expect(parts.split(' ').filter((name) => !names.has(name))).toEqual([]);
  expect([...names].filter((name) => !/^\w+( \+ \w+)*$/.test(name))).toEqual([]);
});

describe.each<[Level, neverMade: readonly string[], least: number]>([
  ['model', ['history'], 1], // the scope of the resource needs it as it is
  ['resource', [], 5],
  ['api', [], 25],
])('an odd value in the definition of a %s', (level, neverMade, least) => {
  it('is refused at the start, or lets every chain be made', async () => {
    jest.spyOn(process, 'emitWarning').mockReturnValue();
    const found: string[] = [];
    const refused = new Set<string>();
    const made = new Set<string>();
    const others = optionsOf(level).filter((option) => !(option in legal[level]));
    expect(others.length).toBeGreaterThanOrEqual(least);
    for (const path of [...placesOf(legal[level]).slice(1), ...others.map((option) => [option])])
      for (const value of path.length === 1 ? odd : oddest) {
        const where = `${path.join('.')}: ${inspect(value)}`;
        try {
          const api = make({ [level]: replace(legal[level], path, value) as object });
          made.add(path[0] as string);
          found.push(...(await mistakesOf(api)).map((mistake) => `${where}: ${mistake}`));
        } catch (error) {
          refused.add(path[0] as string);
          if (!(error instanceof ConfigurationError)) found.push(`${where}: at the start, ${error}`);
        }
      }
    jest.restoreAllMocks();
    expect(found).toEqual([]);
    expect(Object.keys(legal[level]).filter((option) => !made.has(option))).toEqual(neverMade);
    expect(Object.keys(legal[level]).filter((option) => !refused.has(option))).toEqual([]);
  });
});
