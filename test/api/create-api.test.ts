import { MongoClient } from 'mongodb';
import { ConfigurationError, defineModel, service, t } from '../../src/index.ts';
import { js } from '../model/misuse.ts';

const db = new MongoClient('mongodb://127.0.0.1:1').db(); // an api opens its collections, and asks nothing of them
const Doc = defineModel('Doc', { collection: 'docs', fields: { text: t.string() } });
const Broken = defineModel('Broken', { collection: 'broken', fields: { a: js.string({ minLenght: 1 }), b: js.int({ minimun: 1 }) } });
const shop = service();

/** The lines of the error that an api ends in: the mistakes, behind their number if there are several. */
function mistakesOf(options: object, ...resources: object[]): string[] {
  try {
    shop.api({ db, resources: resources.map((one) => shop.resource(one as never)), ...options });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const lines = error.message.split('\n');
    expect(error.errors?.map(({ message }) => `- ${message}`)).toEqual(lines.length > 1 ? lines.slice(1) : undefined);
    return lines;
  }
  return [];
}

describe('all mistakes of an api are reported at once', () => {
  it('of its options, its resources and its models', () => {
    const found = mistakesOf(
      { prefix: 'api', maxBody: 0 },
      { model: Doc, guards: [1], after: { creat: [] } },
      { model: Broken, path: 'first' },
      { model: Broken, path: 'second', operations: { send: { handler: 5, method: 'SEND' }, get: {} } },
    );
    expect(found).toEqual([
      '9 mistakes:',
      expect.stringMatching(/^- `prefix` must begin with a slash/),
      '- `maxBody` must be a whole number of bytes, at least 1.',
      expect.stringMatching(/^- `guards` of resource `docs` must be .* functions; it has `1`\.$/),
      expect.stringMatching(/^- `creat` is not an operation in `after` of resource `docs`; did you mean `create`\?/),
      '- Model `Broken`: `minLenght` of `a` is not a keyword of a field of type string; did you mean `minLength`?',
      '- Model `Broken`: `minimun` of `b` is not a keyword of a field of type int; did you mean `minimum`?',
      expect.stringMatching(/^- `method` of `operations.send` of resource `second` must be one of/),
      '- `handler` of `operations.send` of resource `second` must be a function, or be left out.',
      expect.stringMatching(/^- `operations.get` of resource `second` has the name of a standard operation/),
    ]);
  });

  it('of each of its options', () => {
    const wrong = { docs: 1, health: 1, openapi: 1, proxy: 1, onError: 1, observe: 1, maxConcurrency: 0, maxPrefix: 0, maxSortKeys: 0 };
    const found = mistakesOf({ ...wrong, title: '', securitySchemes: { a: {} }, colour: 1, requestTimeout: 0, models: 1 });
    expect(found[0]).toBe('14 mistakes:');
    for (const name of Object.keys(wrong)) expect(found.filter((line) => line.startsWith(`- \`${name}\` must be`))).toHaveLength(1);
  });

  it('of each name that a resource includes', () => {
    const found = mistakesOf({}, { model: Doc, include: ['a', 'b'] });
    expect(found).toEqual([
      '2 mistakes:',
      expect.stringMatching(/^- `include` of resource `docs` names `a`/),
      expect.stringMatching(/^- .*names `b`/),
    ]);
  });

  it('of the write concern, and of the time limits', () => {
    const unacknowledged = new MongoClient('mongodb://127.0.0.1:1', { writeConcern: { w: 0 } }).db();
    expect(mistakesOf({ db: unacknowledged, maxTimeMS: 0, bodyTimeout: 2 ** 31 }, { model: Doc })).toEqual([
      '3 mistakes:',
      expect.stringMatching(/^- The write concern of `db` is `w: 0`/),
      expect.stringMatching(/^- `maxTimeMS` must be a whole number of milliseconds/),
      expect.stringMatching(/^- `bodyTimeout` must be a whole number of milliseconds/),
    ]);
  });

  it('of the paths that two resources have, or the api itself', () => {
    const found = mistakesOf({ health: true }, { model: Doc }, { model: Doc }, { model: Doc, path: 'health' });
    expect(found).toEqual([
      '2 mistakes:',
      expect.stringMatching(/^- Two resources have the path `docs`/),
      expect.stringMatching(/^- A resource cannot have the path `health`/),
    ]);
  });

  it('of the paths that two resources have, beside what an option adds wrongly', () => {
    const found = mistakesOf({ idempotency: { principal: 3 } }, { model: Doc }, { model: Doc });
    expect(found).toEqual([
      '2 mistakes:',
      expect.stringMatching(/^- `principal` of `idempotency`/),
      expect.stringMatching(/^- Two resources have the path `docs`/),
    ]);
  });

  it('of each custom operation that has the name of a read, beside one whose option is wrong', () => {
    const custom = { handler: () => null, method: 'GET' };
    const operations = { export: custom, history: custom, aggregate: custom, live: custom };
    const found = mistakesOf({}, { model: Doc, export: {}, history: true, aggregate: true, live: 3, operations });
    const named = found.flatMap((line) => /has `(\w+)`, so that a custom operation/.exec(line)?.[1] ?? []);
    expect([named.sort(), found.filter((line) => line.startsWith('- `live`')).length]).toEqual([Object.keys(operations).sort(), 1]);
  });

  it('of what only the description of the api would show', () => {
    const named = (name: string, fields: object) =>
      defineModel(name, { collection: name, fields: { a: t.object('Part', fields as never) } });
    const two = [{ model: named('One', { x: t.int() }) }, { model: named('Two', { y: t.int() }) }];
    expect(mistakesOf({}, ...two)).toEqual([expect.stringMatching(/^Two different embedded objects are called `Part`/)]);
    expect(mistakesOf({ openapi: false }, ...two)).toEqual([]);
    const examples = defineModel('Example', { collection: 'examples', fields: { n: t.int({ examples: ['many'] }) } });
    expect(mistakesOf({}, { model: examples })).toEqual([expect.stringMatching(/^`examples` of `n` do not fit/)]);
  });

  it('of resources of other services beside the others', () => {
    const { resource } = service({ authenticate: () => 5 });
    const build = () => shop.api({ db, prefix: 'api', resources: [resource({ model: Doc }) as never] });
    expect(build).toThrow(/^2 mistakes:\n- `prefix` .*\n- The resource `docs` of an api was not made by/);
  });
});

describe('what follows from a mistake is not reported', () => {
  it.each<[string, object, object, RegExp]>([
    ['a misspelt `db`', { bd: db }, { model: Doc }, /^`bd` is not an option of an api; did you mean `db`\?/],
    ['a misspelt `model`', {}, { modl: Doc, path: 'docs' }, /^`modl` is not an option of resource `docs`; did you mean `model`\?/],
    [
      'a misspelt `operations`',
      {},
      { model: Doc, operatons: { send: {} }, guardsFor: { send: [] } },
      /^`operatons` is not an option of resource `docs`/,
    ],
    ['a misspelt `scope`', {}, { model: Doc, scpe: () => ({}), scopeFields: ['text'] }, /^`scpe` is not an option of resource `docs`/],
    [
      'a misspelt operation in `ops`',
      {},
      { model: Doc, ops: ['putt'], guardsFor: { put: [] } },
      /^`putt` is not an operation in `ops` of resource `docs`/,
    ],
    ['a handler that is misspelt', {}, { model: Doc, operations: { send: { handlr: () => 1 } } }, /^`handlr` is not an option of/],
    ['a limit that is none', { maxPageBytes: 1 }, { model: Doc, include: [] }, /^`maxPageBytes` must be/],
  ])('%s', (_name, options, resource, message) => {
    const database = 'bd' in options ? {} : { db };
    const build = () => shop.api({ ...database, ...options, resources: [shop.resource(resource as never)] } as never);
    expect(build).toThrow(ConfigurationError);
    expect(build).toThrow(message);
  });

  it('a resource that cannot be compiled is not one that relations cannot find', () => {
    const Note = defineModel('Note', { collection: 'notes', fields: { doc: t.ref('Doc', { as: 'of' }) } });
    const found = mistakesOf({}, { model: Note, include: ['of'] }, { model: Doc, guard: [] });
    expect(found).toEqual([expect.stringMatching(/^`guard` is not an option of resource `docs`/)]);
  });
});

describe('one mistake alone', () => {
  it('is the error itself, and names its resource or model', () => {
    expect(mistakesOf({}, { model: Doc, ops: ['gett'] })).toEqual([
      '`gett` is not an operation in `ops` of resource `docs`; did you mean `get`? Allowed: list, get, create, patch, put, delete, restore, patchMany, deleteMany.',
    ]);
    expect(mistakesOf({}, { model: undefined, path: 'things' })).toEqual([expect.stringMatching(/^Resource `things`: A `model` is what/)]);
    expect(mistakesOf({}, { model: Doc }, {})).toEqual([expect.stringMatching(/^`resources\[1\]`: A `model` is what/)]);
  });

  it('shared by two resources is reported once', () => {
    const Wrong = defineModel('Wrong', { collection: 'wrong', fields: { a: js.string({ minLenght: 1 }) } });
    expect(mistakesOf({}, { model: Wrong }, { model: Wrong, path: 'again' })).toEqual([
      'Model `Wrong`: `minLenght` of `a` is not a keyword of a field of type string; did you mean `minLength`?',
    ]);
  });
});

it('an api learns of the servers of its client from its start on, and not from its first request', () => {
  const client = new MongoClient('mongodb://127.0.0.1:1');
  const before = client.listenerCount('topologyDescriptionChanged');
  shop.api({ db: client.db(), resources: [shop.resource({ model: Doc })] });
  expect(client.listenerCount('topologyDescriptionChanged')).toBe(before + 1);
});

it('an error that is none of the configuration passes as it is', () => {
  const foreign = new TypeError('a bug');
  const options = {
    model: Doc,
    get guards(): never {
      throw foreign;
    },
  };
  expect(() => shop.api({ db, prefix: 'api', resources: [shop.resource(options as never)] })).toThrow(foreign);
});
