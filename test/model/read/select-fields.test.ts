import { ObjectId } from 'mongodb';
import { t } from '../../../src/model/define/t.ts';
import { type FieldSelector, type IncludedSelector, parseFields } from '../../../src/model/read/select-fields.ts';
import type { Relation } from '../../../src/model/relations/includable.ts';
import type { FieldError } from '../../../src/rules.ts';
import { modelOf } from '../subject.ts';

const City = t.object('City', {
  name: t.string(),
  area: t.optional(t.object('Area', { size: t.float(), unit: t.string() })),
  hidden: t.optional(t.string({ policy: { private: true } })),
});
const Open = t.object('Open', { a: t.string(), b: t.string() });

const fields = {
  name: t.string(),
  secret: t.string({ policy: { private: true } }),
  city: City,
  open: Open,
  stops: t.array(City),
  gaps: t.array(t.nullable(Open)),
  maybe: t.nullable(Open),
  kept: t.optional(t.nullable(Open, { storeNone: true })),
  keptSecret: t.nullable(City, { storeNone: true, default: { name: 'x' } }),
  veiled: t.object('Veiled', { hidden: t.string({ policy: { private: true } }) }),
  byKey: t.map(Open),
  matrix: t.array(t.array(Open)),
  any: t.any(),
};

/** Compiled by each test, and not for all of them: what does not compile is to fail them. */
const selectorOf = (): FieldSelector => modelOf(fields).selector;

describe('what a client may choose', () => {
  it('is every readable field, through objects and lists, and nothing within a map', () => {
    expect([...selectorOf().names]).toEqual([
      ...['id', 'name', 'city', 'city.name', 'city.area', 'city.area.size', 'city.area.unit', 'open', 'open.a', 'open.b'],
      ...['stops', 'stops.name', 'stops.area', 'stops.area.size', 'stops.area.unit', 'gaps', 'gaps.a', 'gaps.b'],
      ...['maybe', 'maybe.a', 'maybe.b', 'kept', 'kept.a', 'kept.b'],
      ...['keptSecret', 'keptSecret.name', 'keptSecret.area', 'keptSecret.area.size', 'keptSecret.area.unit'],
      ...['veiled', 'byKey', 'matrix', 'any'],
    ]);
  });
});

describe('the stored paths of a choice', () => {
  it.each<[string, string[]]>([
    ['name', ['_id', 'name']],
    ['id', ['_id']],
    ['open.b,name', ['_id', 'name', 'open.b']],
    // A parent covers its children, whatever comes first.
    ['open,open.a', ['_id', 'open']],
    ['open.a,open', ['_id', 'open']],
    ['open.a,open.b', ['_id', 'open.a', 'open.b']],
    ['city.area.size', ['_id', 'city.area.size']],
    ['city.area.size,city.area', ['_id', 'city.area']],
    ['stops.name', ['_id', 'stops.name']],
    ['maybe.a', ['_id', 'maybe.a']],
    // What holds private values is fetched field by field.
    ['city', ['_id', 'city.name', 'city.area']],
    ['stops', ['_id', 'stops.name', 'stops.area']],
    // A projection would leave a null out that reads otherwise than a missing key.
    ['gaps.a', ['_id', 'gaps']],
    ['kept.a', ['_id', 'kept']],
    ['keptSecret.name', ['_id', 'keptSecret']],
    ['veiled', ['_id', 'veiled']],
    ['byKey,matrix,any', ['_id', 'byKey', 'matrix', 'any']],
  ])('%s', (text, paths) => {
    expect(selectorOf().select(text.split(',')).paths).toEqual(paths);
  });
});

describe('a choice with relations to include', () => {
  const people = {
    name: t.string(),
    boss: t.optional(t.ref('Person')),
    helper: t.optional(t.ref('Person', { as: 'help' })),
    team: t.optional(t.object('Team', { lead: t.ref('Person', { as: 'leader' }), size: t.int() })),
  };
  const relation = (field: string, as?: string) => ({ field, ref: { model: 'Person', as } }) as unknown as Relation;

  it('fetches their ids, and shows one only where the record takes its place', () => {
    const choice = modelOf(people).selector.select(
      ['name'],
      [relation('boss'), relation('helper', 'help'), relation('team.lead', 'leader')],
    );
    expect(choice.paths).toEqual(['_id', 'name', 'boss', 'helper', 'team.lead']);
    const [boss, helper] = [new ObjectId(), new ObjectId()];
    const shown = choice.writeJson({ _id: new ObjectId(), name: 'n', boss, helper, team: { lead: helper, size: 2 } });
    expect(JSON.parse(shown)).toEqual({ id: expect.any(String), name: 'n', boss: boss.toHexString(), team: {} });
  });
});

describe('the text of a choice', () => {
  const city = { name: 'Ulm', area: { size: 1.5, unit: 'km²' }, hidden: 'h' };
  const stored = {
    _id: null,
    name: 'n',
    secret: 's',
    city,
    open: { a: '1', b: '2' },
    stops: [city, {}],
    maybe: null,
    veiled: { hidden: 'h' },
  };
  const read = (text: string) =>
    JSON.parse(
      selectorOf()
        .select(text.split(','))
        .writeJson({ ...stored, _id: 5 }),
    );

  it.each<[string, object]>([
    ['name', { name: 'n' }],
    ['open.b,name', { name: 'n', open: { b: '2' } }],
    ['city.area.unit', { city: { area: { unit: 'km²' } } }],
    ['stops.name', { stops: [{ name: 'Ulm' }, {}] }],
    ['city', { city: { name: 'Ulm', area: { size: 1.5, unit: 'km²' } } }],
    ['maybe.a,kept.a,veiled', { maybe: null, veiled: {} }],
    ['keptSecret.name', { keptSecret: { name: 'x' } }],
  ])('%s', (text, shown) => {
    expect(read(text)).toEqual({ id: 5, ...shown });
  });

  it('has the declared order, not that of the client', () => {
    expect(
      selectorOf()
        .select(['open', 'name'])
        .writeJson({ _id: 5, name: 'n', open: { b: '2', a: '1' } }),
    ).toBe('{"id":5,"name":"n","open":{"a":"1","b":"2"}}');
  });
});

describe('the names in `fields`', () => {
  function parse(...texts: string[]) {
    const errors: FieldError[] = [];
    return {
      paths: parseFields(texts, selectorOf(), errors).own?.paths,
      messages: errors.map(({ field, message }) => `${field} ${message}`),
    };
  }

  it('add up', () => {
    expect(parse('name', 'open.a', 'name', 'any')).toEqual({ paths: ['_id', 'name', 'open.a', 'any'], messages: [] });
    expect(parse()).toEqual({ paths: undefined, messages: [] });
  });

  it.each([
    ['nmae', 'fields cannot select `nmae`; did you mean `name`?'],
    ['open.c', 'fields cannot select `open.c`; did you mean `open.a`?'],
    ['', expect.stringMatching(/^fields must name a field. Allowed: id, name, city, /)],
    ['secret', expect.stringMatching(/^fields cannot select `secret`. Allowed: id, name, city, /)],
    ['sekret', expect.stringMatching(/^fields cannot select `sekret`. Allowed: id, name, city, /)],
    ['byKey.x', expect.stringMatching(/^fields cannot select `byKey\.x`/)],
    ['_id', expect.stringMatching(/^fields cannot select `_id`/)],
    ['name,any', expect.stringMatching(/^fields cannot select `name,any`\. /)],
    ['$where', expect.stringMatching(/^fields cannot select `\$where`\. /)],
    ['__proto__', expect.stringMatching(/^fields cannot select `__proto__`\. /)],
    ['open.__proto__', expect.stringMatching(/^fields cannot select `open\.__proto__`\. /)],
  ])('name %s in vain', (name, message) => {
    expect(parse('any', name)).toEqual({ paths: undefined, messages: [message] });
  });

  it('say by rule and params which one is wrong', () => {
    const errors: FieldError[] = [];
    parseFields(['nmae'], selectorOf(), errors);
    expect(errors).toMatchObject([{ rule: 'not_selectable', params: { name: 'nmae', suggestion: 'name' } }]);
  });
});

describe('the names in `fields` of a list that includes relations', () => {
  const asked: [names: readonly string[], included: readonly string[]][] = [];
  const behind = (...names: string[]): IncludedSelector => ({
    names: new Set(names),
    select(chosen, included) {
      asked.push([chosen, included]);
      return { ...selectorOf().select([]), paths: chosen };
    },
  });
  const selectors = new Map([
    ['boss', behind('name', 'title')],
    ['boss.team', behind('size')],
    ['city', behind('mayor')], // the record has a field of this name, too
  ]);
  const include = ['boss', 'boss.team', 'city', 'shut'];

  function parse(...texts: string[]) {
    asked.length = 0;
    const errors: FieldError[] = [];
    const { own, ofIncluded } = parseFields(texts, selectorOf(), errors, { include, relations: [], selectors });
    const included = [...ofIncluded].map(([relation, { paths }]) => [relation, paths]);
    return { own: own?.paths, included, messages: errors.map(({ field, message }) => `${field} ${message}`) };
  }

  it('belong to the record, or to one behind a relation', () => {
    expect(parse('name', 'boss.title', 'boss.team.size', 'boss.name')).toEqual({
      own: ['_id', 'name'],
      included: [
        ['boss', ['title', 'name']],
        ['boss.team', ['size']],
      ],
      messages: [],
    });
    expect(asked).toEqual([
      [['title', 'name'], include],
      [['size'], include],
    ]);
  });

  it('leave the record whole if none is its own, and an included one of which none is named', () => {
    expect(parse('boss.name')).toEqual({ own: undefined, included: [['boss', ['name']]], messages: [] });
    expect(parse('name')).toEqual({ own: ['_id', 'name'], included: [], messages: [] });
    expect(parse('city.name', 'city.mayor')).toEqual({ own: ['_id', 'city.name'], included: [['city', ['mayor']]], messages: [] });
  });

  it.each([
    ['boss.titel', 'did you mean `boss.title`?'],
    ['bossname', 'did you mean `boss.name`?'],
    ['boss.team.siz', 'did you mean `boss.team.size`?'],
    ['shut.name', 'cannot select `shut.name`'],
    ['title', 'cannot select `title`'],
    ['boss', 'cannot select `boss`'],
  ])('and none else: %s', (name, message) => {
    const { own, included, messages } = parse('name', 'boss.name', name);
    expect([own, included, asked, messages]).toEqual([undefined, [], [], [expect.stringContaining(message)]]);
  });
});

it('the chosen parts of a record are told apart from those that are only fetched', () => {
  const { selection } = selectorOf().select(['open.b', 'city']);
  expect(selection).toEqual(
    new Map<string, unknown>([
      ['id', 'whole'],
      ['open', new Map([['b', 'whole']])],
      ['city', 'whole'],
    ]),
  );
});
