import { MongoClient } from 'mongodb';
import { ConfigurationError, compileThrough, defineModel, type Fields, type Model, service, t } from '../../../src/index.ts';

const database = new MongoClient('mongodb://127.0.0.1:1').db();
const id = t.string();
const own = t.string({ policy: { insert: true } });
const filtered = t.string({ policy: { filter: true } });
const Target = defineModel('Target', {
  collection: 'targets',
  fields: {
    id: own,
    name: filtered,
    before: t.hasMany('Target', { via: 'next' }),
    next: t.nullable(t.ref('Target', { id })),
    note: t.ref('Note', { id }),
  },
});
const Note = defineModel('Note', { collection: 'notes', fields: { id: own, text: t.string() } });
const Sorted = defineModel('Sorted', { collection: 'sorted', fields: { id: own, text: t.string({ policy: { sort: true } }) } });

function mistakeOf(fields: Fields, through: readonly string[], more: readonly Model[] = [Target, Note, Sorted]): string {
  const shop = service();
  const Source = defineModel('Source', { collection: 'sources', fields });
  const resources = [shop.resource({ model: Source as never, through }), ...more.map((model) => shop.resource({ model: model as never }))];
  try {
    shop.api({ db: database, resources });
    return 'none';
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as Error).message;
  }
}

describe('`through` of a resource', () => {
  const target = t.ref('Target', { id });

  it.each<[string, Fields, readonly string[], RegExp]>([
    [
      'an unknown relation',
      { target },
      ['targets'],
      /`through` of resource `sources` names `targets`: `targets` is not a relation of Source; did you mean `target`\?/,
    ],
    ['a field that is no relation', { target, name: filtered }, ['name'], /`name` is not a relation of Source/],
    ['a private relation', { target: t.ref('Target', { id, policy: { private: true } }) }, ['target'], /is not a relation of Source/],
    ['an unknown relation behind another', { target }, ['target.name'], /`name` is not a relation of Target/],
    ['an unknown target', { target: t.ref('Nobody', { id }) }, ['target'], /leads to Nobody, a model that is not known here/],
    ['a reference of another type', { target: t.ref('Target') }, ['target'], /ids of Target are of type string, not objectId/],
    ['more than three relations', { target }, ['target.next.next.next'], /at most 3 relations may follow one another/],
    [
      'a target without filters',
      { target },
      ['target.note'],
      /but no field of Note can be filtered or sorted by: give one a `policy.filter` or `policy.sort`/,
    ],
    [
      'a list of references to what can only be sorted by',
      { all: t.array(t.ref('Sorted', { id })) },
      ['all'],
      /but no field of Sorted can be filtered: give one a `policy.filter`/,
    ],
    [
      'an array of arrays',
      { all: t.array(t.array(target)) },
      ['all'],
      /`all` of Source lies in an array of arrays, which no query can reach/,
    ],
    [
      'a path that is both an embedded object and a relation',
      { target: t.object('Embedded', { name: filtered }), targetId: t.ref('Target', { id, as: 'target' }) },
      ['target'],
      /`as: 'target'` of `targetId` is already the name of a field/,
    ],
    ['what is not a list of names', { target }, 'target' as never, /`through` of resource `sources` must be an array of relations/],
  ])('refuses %s', (_what, fields, through, message) => {
    expect(mistakeOf(fields, through)).toMatch(message);
  });

  it('refuses several resources of which none is named', () => {
    const shop = service();
    const Source = defineModel('Source', { collection: 'sources', fields: { target } });
    const resources = [
      shop.resource({ model: Source, through: ['target'] }),
      shop.resource({ model: Target, path: 'one' }),
      shop.resource({ model: Target, path: 'two' }),
      shop.resource({ model: Note }),
    ];
    expect(() => shop.api({ db: database, resources })).toThrow(
      /leads to Target and so to several resources: choose by `resource` of `t.ref`/,
    );
  });

  it('takes relations by t.hasMany, for filters', () => {
    expect(mistakeOf({ target }, ['target.before'])).toBe('none');
  });

  it('takes relations in embedded objects and arrays, and up to three in a row', () => {
    const fields = { in: t.array(t.object('In', { target })), target };
    expect(mistakeOf(fields, ['in.target', 'target', 'target.next', 'target.next.next'])).toBe('none');
  });

  it('reports its mistakes together with those of `include`', () => {
    const shop = service();
    const Source = defineModel('Source', { collection: 'sources', fields: { target } });
    const resources = [
      shop.resource({ model: Source, through: ['a'] as never[], include: ['b'] as never[] }),
      shop.resource({ model: Target }),
      shop.resource({ model: Note }),
    ];
    expect(() => shop.api({ db: database, resources })).toThrow(/`include`.*`b`.*`through`.*`a`/s);
  });

  it.each([
    [{ maxConditionsThrough: 0 }, /`maxConditionsThrough` .* from 1 to 100/],
    [{ maxIdsThrough: 0 }, /`maxIdsThrough` .* from 1 to 10000/],
    [{ maxSortThrough: 100_001 }, /`maxSortThrough` .* from 1 to 100000/],
  ])('refuses a limit that is none: %j', (limits, message) => {
    expect(() => service().api({ db: database, resources: [], ...limits })).toThrow(message);
    expect(() => compileThrough(Target, [], { db: database, targets: [], ...limits })).toThrow(message);
  });
});
