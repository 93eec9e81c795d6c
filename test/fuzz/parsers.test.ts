import fc from 'fast-check';
import { Problem } from '../../src/errors.ts';
import { readEntityTags } from '../../src/http/entity-tag.ts';
import { decodeUtf8, JsonNumber, type JsonValue, parseJson } from '../../src/http/json.ts';
import { parseQueryString } from '../../src/http/query-string.ts';
import { cursorPaging } from '../../src/index.ts';
import { compileModel } from '../../src/model/compile/compile-model.ts';
import { operators } from '../../src/model/operators/operators.ts';
import { noRelations } from '../../src/model/relations/includable.ts';
import { isObject } from '../../src/model/value/plain-object.ts';
import { formatCursor, parseCursor } from '../../src/mongo/list/cursor.ts';
import { parseListQuery } from '../../src/mongo/list/parse-list-query.ts';
import { buildFilter } from '../../src/mongo/predicate/filter-of.ts';
import type { SortKey } from '../../src/mongo/query/position.ts';
import { cases } from '../support/fuzzing/fuzz.ts';
import { seal } from '../support/http/forge-cursor.ts';
import { Item } from '../support/models/item.ts';

/** Changes a few bytes: some are taken out, some put in, some doubled. */
const damage = fc.array(fc.record({ at: fc.nat(), take: fc.nat(4), put: fc.uint8Array({ maxLength: 4 }), twice: fc.nat(8) }), {
  maxLength: 3,
});

function damaged(bytes: Uint8Array, damages: readonly { at: number; take: number; put: Uint8Array; twice: number }[]): Uint8Array {
  return damages.reduce<Uint8Array>((given, { at, take, put, twice }) => {
    const from = given.length === 0 ? 0 : at % given.length;
    return Buffer.concat([given.slice(0, from), put, given.slice(from, from + twice), given.slice(from + take)]);
  }, bytes);
}

/** What a function returns, or the code of the problem that it throws; anything else that it throws is a bug. */
function outcome<T>(run: () => T): { readonly value: T } | { readonly code: string } {
  try {
    return { value: run() };
  } catch (error) {
    if (error instanceof Problem) return { code: error.code };
    throw error;
  }
}

describe('the JSON reader', () => {
  const number = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.bigInt({ min: -(2n ** 80n), max: 2n ** 80n }).map(String),
    fc.constantFrom('1e400', '-0', '0.1e-7', '1E+2', '123456789012345678.5', '00', '1.', '.5', '+1'),
  );
  const text = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 6 },
      number,
      fc.string({ unit: 'binary' }).map((one) => JSON.stringify(one)),
      fc.constantFrom('null', 'true', 'false', '[]', '{}', '"\\ud800"', '{"__proto__":1}'),
      fc.array(tie('value'), { maxLength: 4 }).map((all) => `[${all.join(',')}]`),
      fc.array(tie('value'), { maxLength: 4 }).map((all) => `{${all.map((one, at) => `"${'ab'[at % 2]}":${one}`).join(',')}}`),
    ),
  })).value;

  function rounded(value: JsonValue): unknown {
    if (typeof value === 'bigint') return Number(value);
    if (value instanceof JsonNumber) return Number(value.text);
    if (Array.isArray(value)) return value.map(rounded);
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).map(([k, v]) => [k, rounded(v)])) : value;
  }

  it('reads what JSON.parse reads, as it does but for the precision of numbers, and refuses all else with 400', () => {
    fc.assert(
      fc.property(text, damage, (valid, damages) => {
        const bytes = damaged(Buffer.from(valid), damages);
        const read = outcome(() => parseJson(decodeUtf8(bytes)));
        let expected: unknown;
        try {
          expected = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
        } catch {
          expect(read).toEqual({ code: 'malformed_json' });
          return;
        }
        expect('value' in read && rounded(read.value)).toEqual(expected);
      }),
      cases(1_000),
    );
  });

  it('reads any bytes or refuses them with 400', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        const read = outcome(() => parseJson(decodeUtf8(bytes)));
        if ('code' in read) expect(read.code).toBe('malformed_json');
        else expect(read).toHaveProperty('value');
      }),
      cases(1_000),
    );
  });
});

describe('the query parser', () => {
  const { clientFields: fields, selector } = compileModel(Item);
  const rules = { resource: 'items', fields, paging: cursorPaging(), selector, includes: noRelations };
  const limits = { maxFilterValues: 5, maxPrefix: 20, maxSortKeys: 4, maxContainsMatches: 10 };
  const word = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.constantFrom(...fields.keys(), 'sort', 'limit', 'fields', 'after', 'total', '__proto__', '$where', 'secret'),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
  );
  const bracket = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('', ...operators.map((one) => `[${one}]`), '[in][]', '[nin][]', '[]') },
    { weight: 1, arbitrary: fc.constantFrom('[$gt]', '[$where]', '[__proto__]', '[in][0]', '[', ']', '[[]]', '[eq][ne]') },
  );
  const value = fc.oneof(
    fc.constantFrom(
      '',
      '1',
      'true',
      'null',
      'name',
      '-count,name',
      '2026-01-31T12:00:00Z',
      '{"$ne":null}',
      '[$gt]',
      'a,b,c',
      '99999999999999999999',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );
  const pair = fc.tuple(word, bracket, value, fc.boolean()).map(([name, brackets, given, isRaw]) => {
    const key = name + brackets;
    return isRaw ? `${key}=${given}` : `${encodeURIComponent(key)}=${encodeURIComponent(given)}`;
  });
  const raw = fc
    .array(
      pair.filter((one) => one.isWellFormed()),
      { maxLength: 5 },
    )
    .map((pairs) => pairs.join('&'));

  it('makes filters of the model’s own fields and operators, or refuses with 400 or 422', () => {
    const paths = new Set([...fields.values()].map(({ path }) => path));
    const known = new Set(['$eq', '$ne', '$in', '$nin', '$gt', '$gte', '$lt', '$lte', '$exists', '$regex']);
    let read = 0;
    fc.assert(
      fc.property(raw, (query) => {
        const result = outcome(() => parseListQuery(parseQueryString(query), { ...rules, ...limits }));
        if (!('value' in result)) {
          expect(['invalid_query', 'validation_failed', 'invalid_cursor']).toContain(result.code);
          return;
        }
        read++;
        for (const [path, conditions] of Object.entries(buildFilter(result.value.conditions))) {
          expect(paths.has(path)).toBe(true);
          for (const [operator, operand] of Object.entries(conditions as object)) {
            expect(known.has(operator)).toBe(true);
            for (const one of [operand].flat()) expect(isObject(one)).toBe(false);
          }
        }
      }),
      cases(1_000),
    );
    expect(read).toBeGreaterThan(50);
  });
});

describe('the cursor codec', () => {
  const { clientFields } = compileModel(Item);
  const sortBy = (...names: string[]): SortKey[] =>
    names.map((name) => ({ field: clientFields.get(name) as SortKey['field'], direction: 1 }));
  const whole = formatCursor('digest', { values: ['alpha', 5n, 'id'], side: 1 });

  it('reads the one text of a position, and refuses every other with 400: damaged, or sealed by somebody who has read the source', () => {
    const payload = fc.oneof(
      fc.json(),
      fc
        .array(fc.oneof(fc.constantFrom(1, -1, null, 'nalpha', 'sAAA', '{}'), fc.string({ unit: 'binary', maxLength: 12 })), {
          maxLength: 5,
        })
        .map((one) => JSON.stringify(one)),
    );
    const forged = payload.map((json) => seal('digest', Buffer.from(json).toString('base64url')));
    const broken = damage.map((damages) => Buffer.from(damaged(Buffer.from(whole), damages)).toString('latin1'));
    fc.assert(
      fc.property(fc.oneof(forged, broken), (cursor) => {
        const result = outcome(() => parseCursor(cursor, 'digest', sortBy('name', 'count', 'id')));
        if ('value' in result) expect(formatCursor('digest', result.value)).toBe(cursor);
        else expect(result.code).toBe('invalid_cursor');
      }),
      cases(1_000),
    );
    expect(parseCursor(whole, 'digest', sortBy('name', 'count', 'id')).values).toHaveLength(3);
  });
});

describe('the entity-tag parser', () => {
  /** RFC 9110 §8.8.3 and §5.6.1.2, as one expression. */
  const tag = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/.source;
  const grammar = new RegExp(`^[ \\t]*(?:\\*[ \\t]*|(?:${tag})?[ \\t]*(?:,[ \\t]*(?:${tag})?[ \\t]*)*)$`);

  it('accepts what the grammar does, and keeps every tag', () => {
    const part = fc.constantFrom(
      '"a"',
      'W/"a"',
      '"',
      'W/',
      'w/',
      '*',
      ',',
      ', ',
      ' ',
      '\t',
      '"\x80\xff"',
      '""',
      '"a b"',
      '"\x7f"',
      'a',
      '"a,b"',
      '\\',
    );
    const header = fc.oneof(
      fc.array(part, { maxLength: 8 }).map((parts) => parts.join('')),
      fc.string({ unit: fc.constantFrom(...'*"W/, \ta3\xff') }),
    );
    let read = 0;
    fc.assert(
      fc.property(header, (text) => {
        const tags = readEntityTags(text);
        expect(tags !== undefined).toBe(grammar.test(text));
        if (tags === undefined) return;
        read++;
        if (tags === '*') expect(text.trim()).toBe('*');
        else expect(tags.map(({ weak, tag: one }) => `${weak ? 'W/' : ''}"${one}"`)).toEqual(text.match(new RegExp(tag, 'g')) ?? []);
      }),
      cases(1_000),
    );
    expect(read).toBeGreaterThan(100);
  });
});
