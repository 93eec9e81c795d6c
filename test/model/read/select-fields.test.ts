import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { t } from '../../../src/model/define/t.ts';
import { parseFields } from '../../../src/model/read/select-fields.ts';
import type { Relation } from '../../../src/model/relations/includable.ts';
import type { FieldError } from '../../../src/rules.ts';
import { modelOf } from '../subject.ts';

const City = t.object('City', {
  name: t.string(),
  area: t.optional(t.object('Area', { size: t.float(), unit: t.string() })),
  hidden: t.optional(t.string({ policy: { private: true } })),
});
const Open = t.object('Open', { a: t.string(), b: t.string() });

const { selector } = modelOf({
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
});

describe('what a client may choose', () => {
  it('is every readable field, through objects and lists, and nothing within a map', () => {
    expect([...selector.names]).toEqual([
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
    expect(selector.select(text.split(',')).paths).toEqual(paths);
  });
});

describe('a choice with relations to include', () => {
  const { selector: related } = modelOf({
    name: t.string(),
    boss: t.optional(t.ref('Person')),
    helper: t.optional(t.ref('Person', { as: 'help' })),
    team: t.optional(t.object('Team', { lead: t.ref('Person', { as: 'leader' }), size: t.int() })),
  });
  const relation = (field: string, as?: string) => ({ field, ref: { model: 'Person', as } }) as unknown as Relation;

  it('fetches their ids, and shows one only where the record takes its place', () => {
    const choice = related.select(['name'], [relation('boss'), relation('helper', 'help'), relation('team.lead', 'leader')]);
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
  const read = (text: string) => JSON.parse(selector.select(text.split(',')).writeJson({ ...stored, _id: 5 }));

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
    expect(selector.select(['open', 'name']).writeJson({ _id: 5, name: 'n', open: { b: '2', a: '1' } })).toBe(
      '{"id":5,"name":"n","open":{"a":"1","b":"2"}}',
    );
  });
});

describe('the names in `fields`', () => {
  function parse(...texts: string[]) {
    const errors: FieldError[] = [];
    return { paths: parseFields(texts, selector, errors).own?.paths, messages: errors.map(({ field, message }) => `${field} ${message}`) };
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
    parseFields(['nmae'], selector, errors);
    expect(errors).toMatchObject([{ rule: 'not_selectable', params: { name: 'nmae', suggestion: 'name' } }]);
  });
});
