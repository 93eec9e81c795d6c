import { ObjectId, UUID } from 'mongodb';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import type { QueryField, QueryFields } from '../../../src/model/compile/query-fields.ts';
import { defineModel } from '../../../src/model/define/define-model.ts';
import { t } from '../../../src/model/define/t.ts';
import type { ListContext } from '../../../src/mongo/list/parse-list-query.ts';
import type { Paging } from '../../../src/mongo/list/parse-paging.ts';
import { Item, key, ref } from '../../support/models/item.ts';
import { parseList, refusalsOf } from './parse-list.ts';

const conditionsOf = (query: string) => parseList(query).conditions.map(({ field, operator, value }) => [field.name, operator, value]);
const sortOf = (query: string) => parseList(query).sort.map(({ field, direction }) => [field.name, direction]);
const bare = compileModel(defineModel('Bare', { collection: 'bare', fields: { id: t.string(), name: t.string() } })).clientFields;

describe('a filter', () => {
  it.each<[string, readonly unknown[]]>([
    ['name=a', [['name', 'eq', 'a']]],
    ['name[eq]=a', [['name', 'eq', 'a']]],
    ['name=', [['name', 'eq', '']]],
    ['name[ne]=a,b', [['name', 'ne', 'a,b']]],
    ['name[in]=a,b', [['name', 'in', ['a', 'b']]]],
    ['name[in]=', [['name', 'in', []]]],
    ['name[in][]=', [['name', 'in', ['']]]],
    ['name[in][]=a,b&name[in][]=c', [['name', 'in', ['a,b', 'c']]]],
    ['name[in]=a,b,c', [['name', 'in', ['a', 'b', 'c']]]],
    ['name[nin][]=a,b', [['name', 'nin', ['a,b']]]],
    ['name[nin]=a&name[nin]=b', [['name', 'nin', ['a', 'b']]]],
    [
      'name[in]=a&name[nin]=b',
      [
        ['name', 'in', ['a']],
        ['name', 'nin', ['b']],
      ],
    ],
    [
      'name[in]=a&id[in]=b',
      [
        ['name', 'in', ['a']],
        ['id', 'in', ['b']],
      ],
    ],
    [
      'count[gt]=1&count[lte]=5',
      [
        ['count', 'gt', 1n],
        ['count', 'lte', 5n],
      ],
    ],
    ['big=9007199254740993', [['big', 'eq', 9007199254740993n]]],
    ['ref[gte]=0123456789abcdef01234567', [['ref', 'gte', new ObjectId(ref)]]],
    [`key[lt]=${key}`, [['key', 'lt', new UUID(key)]]],
    ['count[exists]=true', [['count', 'exists', true]]],
    ['count[exists]=false', [['count', 'exists', false]]],
    ['name[prefix]=', [['name', 'prefix', '']]],
    ['place.city[prefix]=Ul', [['place.city', 'prefix', 'Ul']]],
  ])('is cast by its field: %s', (query, conditions) => {
    expect(conditionsOf(query)).toEqual(conditions);
  });

  it.each<[string, readonly unknown[]]>([
    ['count=null', [['count', 'eq', null]]],
    ['count[ne]=null', [['count', 'ne', null]]],
    ['count[in]=1,null', [['count', 'in', [1n, null]]]],
    ['note=null', [['note', 'eq', 'null']]],
    ['kind=null', [['kind', 'eq', 'null']]],
  ])('means null by null, where no text of the type could be meant: %s', (query, conditions) => {
    expect(conditionsOf(query)).toEqual(conditions);
  });

  it('means null by null for bytes too, as nobody would mean three of them', () => {
    const fields = { id: t.string(), bytes: t.nullable(t.binary({ policy: { filter: true } })) };
    const { clientFields } = compileModel(defineModel('Blob', { collection: 'blobs', fields }));
    const [condition] = parseList('bytes=null', { fields: clientFields }).conditions;
    expect(condition?.value).toBeNull();
  });

  it('means no null where none can be, and has the operators of its field', () => {
    const fields = { id: t.string(), size: t.int({ policy: { filter: ['gte', 'in'] } }) };
    const { clientFields } = compileModel(defineModel('Shoe', { collection: 'shoes', fields }));
    expect(refusalsOf('size[in]=null', { fields: clientFields })).toEqual([
      'invalid_query',
      'size[in] type: must be an integer {"type":"integer"}',
    ]);
    expect(refusalsOf('size=5', { fields: clientFields })).toEqual([
      'invalid_query',
      'size unknown_operator: does not have the operator `eq`. Allowed: gte, in {"operators":["gte","in"]}',
    ]);
  });

  it.each([
    ['nmae=x', 'nmae unknown_parameter: is not a field or parameter of this list; did you mean `name`? {"suggestion":"name"}'],
    ['lmit=5', 'lmit unknown_parameter: is not a field or parameter of this list; did you mean `limit`? {"suggestion":"limit"}'],
    ['shutt=x', 'shutt unknown_parameter: is not a field or parameter of this list {}'], // what is near cannot be filtered
    ['xyzzy[gt]=x', 'xyzzy[gt] unknown_parameter: is not a field or parameter of this list {}'],
    ['xyzzy[in][]=x', 'xyzzy[in][] unknown_parameter: is not a field or parameter of this list {}'],
    ['only[in]=x', 'only[in] unknown_operator: does not have the operator `in`. Allowed: eq {"operators":["eq"]}'],
    ['parts.sku[ne]=x', 'parts.sku[ne] unknown_operator: does not have the operator `ne`. Allowed: eq, in {"operators":["eq","in"]}'],
    ['limit[gt]=1', 'limit[gt] unknown_parameter: is not a field or parameter of this list; did you mean `limit`? {"suggestion":"limit"}'],
    ['limit[]=1', 'limit[] unknown_parameter: is not a field or parameter of this list; did you mean `limit`? {"suggestion":"limit"}'],
    ['name[]=a', 'name[] parameter_syntax: takes one value: [] is for lists of them, behind [in] or [nin] {}'],
    ['name[gt][]=a', 'name[gt][] parameter_syntax: takes one value: [] is for lists of them, behind [in] or [nin] {}'],
    ['count=x', 'count type: must be an integer {"type":"integer"}'],
    ['count[in]=1,x', 'count[in] type: must be an integer {"type":"integer"}'],
    ['count[gt]=null', 'count[gt] not_null: cannot be null: nothing is greater or less {}'],
    ['id=a&id=a', 'id repeated_parameter: is given twice {}'],
    ['count[gt]=1&count[gt]=2', 'count[gt] repeated_parameter: is given twice {}'],
    ['count[exists]=1', 'count[exists] type: must be true or false {"type":"boolean"}'],
    ['name[in]=a,b,c,d', 'name[in] maxItems: must have at most 3 values {"limit":3}'],
    ['name[in]=a,b&name[in]=c,d', 'name[in] maxItems: must have at most 3 values {"limit":3}'],
    ['name[prefix]=abcde', 'name[prefix] maxLength: must have at most 4 characters {"limit":4}'],
  ])('is refused: %s', (query, line) => {
    expect(refusalsOf(query)).toEqual(['invalid_query', line]);
  });

  it('may have as much as the limits say, in characters', () => {
    expect(conditionsOf('name[in]=a,b&name[in]=c')).toEqual([['name', 'in', ['a', 'b', 'c']]]);
    expect(conditionsOf('name[prefix]=abcd')).toEqual([['name', 'prefix', 'abcd']]);
    expect(conditionsOf('name[prefix]=%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80%F0%9F%98%80')).toEqual([
      ['name', 'prefix', '\u{1f600}'.repeat(4)],
    ]);
  });

  it('on what no filter can be about names what it can', () => {
    const [, shut] = refusalsOf('shut=x');
    expect(shut).toMatch(/^shut not_filterable: cannot be filtered. Allowed: id, name, note, .*, … \{"fields":\["id","name","note",/);
    expect(refusalsOf('name=x', { fields: bare })).toEqual(['invalid_query', 'name not_filterable: cannot be filtered {"fields":[]}']);
  });

  it('compares no object, no map and no untyped value', () => {
    const fields = { id: t.string(), any: t.any({ policy: { filter: true } }) };
    const { clientFields } = compileModel(defineModel('Any', { collection: 'any', fields }));
    const any = clientFields.get('any') as NonNullable<ReturnType<typeof clientFields.get>>;
    const asText = new Map([['any', { ...any, operators: new Set(['eq'] as const) }]]);
    expect(refusalsOf('any=x', { fields: new Map([...clientFields, ...asText]) })).toEqual([
      'invalid_query',
      'any not_comparable: cannot be compared {}',
    ]);
  });

  it('for an integer of more than 64 bits is 422, where nothing else is wrong', () => {
    const line = expect.stringMatching(/^big out_of_range: /);
    expect(refusalsOf('big=9223372036854775808')).toEqual(['validation_failed', line]);
    expect(refusalsOf('big=9223372036854775808&x=1')).toEqual(['invalid_query', expect.stringMatching(/^x unknown_parameter/)]);
  });

  it('tells the first twenty errors', () => {
    const many = Array.from({ length: 25 }, (_, index) => `x${index}=1`).join('&');
    expect(refusalsOf(many)).toHaveLength(1 + 20);
    const huge = Array.from({ length: 25 }).fill('big[in]=9223372036854775808').join('&');
    expect(refusalsOf(huge)).toHaveLength(1 + 20);
  });
});

describe('a sort', () => {
  it.each<[string, readonly unknown[]]>([
    ['', [['id', 1]]],
    [
      'sort=name',
      [
        ['name', 1],
        ['id', 1],
      ],
    ],
    [
      'sort=name,-count',
      [
        ['name', 1],
        ['count', -1],
        ['id', -1],
      ],
    ],
    [
      'sort=-name&sort=count',
      [
        ['name', -1],
        ['count', 1],
        ['id', 1],
      ],
    ],
    [
      'sort[]=name&sort[]=-count',
      [
        ['name', 1],
        ['count', -1],
        ['id', -1],
      ],
    ],
    [
      'sort=-name',
      [
        ['name', -1],
        ['id', -1],
      ],
    ],
    ['sort=-id', [['id', -1]]],
    [
      'sort=name,id,count',
      [
        ['name', 1],
        ['id', 1],
      ],
    ],
  ])('ends with the id, in the direction before it: %s', (query, sort) => {
    expect(sortOf(query)).toEqual(sort);
  });

  it.each([
    ['sort=naem', 'sort not_sortable: cannot sort by `naem`; did you mean `name`? {"name":"naem","suggestion":"name"}'],
    ['sort=', /^sort not_sortable: must name a field. Allowed: id, name, note, .* \{"name":""\}$/],
    ['sort=-', /^sort not_sortable: must name a field. Allowed: id, /],
    ['sort=xyzzy', /^sort not_sortable: cannot sort by `xyzzy`. Allowed: id, /],
    ['sort=shut', /^sort not_sortable: cannot sort by `shut`/],
    ['sort=name,-name', 'sort repeated_sort_key: names name twice {"name":"name"}'],
    ['sort=name,count,on', 'sort maxItems: must have at most 3 keys, the id included {"limit":3}'],
  ])('is refused: %s', (query, line) => {
    expect(refusalsOf(query)).toEqual(['invalid_query', typeof line === 'string' ? line : expect.stringMatching(line)]);
  });

  it('may have as many keys as the limit says, the id included', () => {
    expect(sortOf('sort=name,count')).toHaveLength(3);
  });

  it('has nothing to offer where no field has an order', () => {
    expect(refusalsOf('sort=name', { fields: bare })).toEqual([
      'invalid_query',
      'sort not_sortable: cannot sort by `name`. This list has one order only {"name":"name"}',
    ]);
  });
});

describe('the parameters of a list', () => {
  const asked = { deleted: 'with' } as const;
  const digestOf = (query: string, others?: ListContext) => {
    const { window } = parseList(query, {}, others);
    return window.mode === 'cursor' ? window.list : undefined;
  };

  it('have `deleted` where the list shows deleted records, which is no filter there', () => {
    expect(parseList('deleted=with', {}, asked).conditions).toEqual([]);
  });

  it.each([
    ['deleted=with', {}, 'deleted unknown_parameter: is not a field or parameter of this list {}'],
    ['deleted[eq]=with', asked, /^deleted\[eq\] unknown_parameter: .* did you mean `deleted`\?/],
    ['deleted[]=with', asked, /^deleted\[\] unknown_parameter: .* did you mean `deleted`\?/],
    ['delted=with', asked, /^delted unknown_parameter: .* did you mean `deleted`\?/],
    ['delted=with', {}, 'delted unknown_parameter: is not a field or parameter of this list {}'],
  ])('are refused if there is no such one: %s, where the request has %o', (query, others, line) => {
    expect(refusalsOf(query, {}, others)).toEqual(['invalid_query', typeof line === 'string' ? line : expect.stringMatching(line)]);
  });

  it.each(['limit=1&limit=2', 'filter=name="a"&filter=name="b"'])('are given once: %s', (query) => {
    expect(refusalsOf(query)).toEqual(['invalid_query', expect.stringMatching(/ repeated_parameter: is given twice \{\}$/)]);
  });

  it('have one cursor for all spellings of a filter, and another for another filter or record above', () => {
    const digest = digestOf('filter=name = "a" AND count > 1');
    expect(digestOf('filter=(count > 1) AND (name = "a")')).toBe(digest);
    const others = [digestOf(''), digestOf('filter=name = "a"'), digestOf('filter=name = "a" AND count > 1', { parent: 'p' })];
    expect(new Set([digest, ...others]).size).toBe(4);
  });

  it('have no estimate under a filter', () => {
    expect(refusalsOf('total=estimate&filter=name="a"')).toEqual([
      'invalid_query',
      expect.stringMatching(/^total not_estimable: .* under a filter/),
    ]);
  });

  it('hold a longer filter in a body than in a URL', () => {
    const long = `filter=name = "${'a'.repeat(5000)}"`;
    expect(refusalsOf(long)).toEqual(['invalid_query', expect.stringMatching(/^filter too_complex: /)]);
    expect(parseList(long, {}, { isInBody: true }).filter).toMatchObject({ kind: 'condition' });
  });

  it('tell a condition on a related record from one on a record of the list', () => {
    const name = parseList('name=a').conditions[0]?.field as QueryField;
    const fields: QueryFields = new Map([
      ['id', name],
      ['name', name],
      ['owner.name', { ...name, name: 'owner.name', steps: [] } as QueryField],
    ]);
    const { conditions, through } = parseList('name=a&owner.name=b', { fields });
    expect([conditions, through].map((all) => all.map(({ field }) => field.name))).toEqual([['name'], ['owner.name']]);
  });

  it('choose the fields of included records where they name any', () => {
    const selector = compileModel(Item).selector;
    const selectors = new Map([
      ['owner', { names: new Set(['name']), select: (names: readonly string[]) => ({ ...chosen, paths: names }) }],
    ]);
    const chosen = selector.select(['name']);
    const includes = { names: ['owner'], relations: new Map(), selectors };
    const owners = ['owner', { ...chosen, paths: ['name'] }] as const;
    expect(parseList('include=owner&fields=owner.name', { selector, includes }).includedFields).toEqual(new Map([owners]));
    expect(parseList('include=owner&fields=name', { selector, includes })).not.toHaveProperty('includedFields');
    expect(parseList('include=owner', { selector, includes })).not.toHaveProperty('includedFields');
  });

  it('name no field of an included record where no relation has fields to choose', () => {
    const includes = { names: ['owner'], relations: new Map() };
    const { selector } = compileModel(Item);
    expect(refusalsOf('include=owner&fields=owner.name', { selector, includes })[0]).toBe('invalid_query');
  });
});

describe('a query in a body', () => {
  it.each<[body: string, readonly unknown[]]>([
    ['{"name":"a"}', [['name', 'eq', 'a']]],
    ['{"name":"a,b"}', [['name', 'eq', 'a,b']]],
    ['{"name[in]":["a,b","c"]}', [['name', 'in', ['a,b', 'c']]]],
    ['{"name[in]":[]}', [['name', 'in', []]]],
    ['{"name[nin]":["a","b","c"]}', [['name', 'nin', ['a', 'b', 'c']]]],
    ['{"name[prefix]":"abcd"}', [['name', 'prefix', 'abcd']]],
    ['{"count[gt]":1}', [['count', 'gt', 1n]]],
    ['{"count":1.0}', [['count', 'eq', 1n]]],
    ['{"big":9007199254740993}', [['big', 'eq', 9007199254740993n]]],
    ['{"ref[gte]":"0123456789abcdef01234567"}', [['ref', 'gte', new ObjectId(ref)]]],
    ['{"note[exists]":false}', [['note', 'exists', false]]],
    ['{"note":null}', [['note', 'eq', null]]],
    ['{"note[ne]":null}', [['note', 'ne', null]]],
    ['{"note[in]":[null,"null"]}', [['note', 'in', [null, 'null']]]],
  ])('%s', (body, conditions) => expect(conditionsOf(body)).toEqual(conditions));

  it.each([
    ['{"name":5}', ['name type: must be a string {"type":"string"}']],
    ['{"name":["a"]}', ['name type: must be a string {"type":"string"}']],
    ['{"name[in]":"a"}', ['name[in] type: must be an array {"type":"array"}']],
    ['{"name[in]":["a",5,true]}', ['name[in] type: must be a string {"type":"string"}']],
    ['{"name[in]":["a","b","c","d"]}', ['name[in] maxItems: must have at most 3 values {"limit":3}']],
    ['{"name[prefix]":5}', ['name[prefix] type: must be a text {"type":"string"}']],
    ['{"name[prefix]":"abcde"}', ['name[prefix] maxLength: must have at most 4 characters {"limit":4}']],
    ['{"note[exists]":"true"}', ['note[exists] type: must be true or false {"type":"boolean"}']],
    ['{"name":null}', ['name not_null: cannot be null {}']],
    ['{"name[in]":[null]}', ['name[in] not_null: cannot be null {}']],
    ['{"note[gt]":null}', ['note[gt] not_null: cannot be null {}']],
    ['{"count":"1"}', ['count type: must be an integer {"type":"integer"}']],
  ])('%s is refused', (body, lines) => expect(refusalsOf(body)).toEqual(['invalid_query', ...lines]));

  it.each([
    ['{"sort":["-name"],"limit":5,"total":true}', { limit: 5, total: 'exact' }],
    ['{"total":"estimate"}', { limit: 20, total: 'estimate' }],
    ['{"total":false,"sort":[]}', { limit: 20, total: undefined }],
  ])('%s', (body, settings) => expect(parseList(body)).toMatchObject(settings));

  it('sorts by the items of an array', () => expect(sortOf('{"sort":["-name","id"]}')).toEqual(sortOf('sort=-name,id')));
});

describe('the parameters of a list that is answered whole', () => {
  const paging: Paging = { mode: 'cursor', size: 1, max: 1, total: false };
  const { selector } = compileModel(Item);
  const whole = { isWhole: true, paging, selector };

  it('are those which choose records, and what follows a cursor', () => {
    const { conditions, filter, sort, fields, limit } = parseList('name=a&filter=name = "b"&sort=-name&fields=name', whole);
    expect([conditions.length, filter?.kind, sort.map(({ direction }) => direction), fields?.paths, limit]).toEqual([
      1,
      'condition',
      [-1, -1],
      expect.arrayContaining(['name']),
      1,
    ]);
    expect(() => parseList('after=x', whole)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
  });

  it('are not those of pages, each of which is refused once', () => {
    const line = (name: string) => `${name} not_available: is not available when the list is exported whole {}`;
    for (const name of ['before', 'page', 'limit', 'total', 'include']) {
      expect(refusalsOf(`${name}=x`, whole)).toEqual(['invalid_query', line(name)]);
      expect(refusalsOf(`${name}=1&sort=nome`, whole)).toEqual([
        'invalid_query',
        line(name),
        expect.stringMatching(/^sort not_sortable: /),
      ]);
    }
    expect(parseList('limit=5').limit).toBe(5);
  });
});
