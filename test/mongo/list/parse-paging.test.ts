import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { defineModel } from '../../../src/model/define/define-model.ts';
import { t } from '../../../src/model/define/t.ts';
import { compileRelations } from '../../../src/model/relations/includable.ts';
import { formatCursor } from '../../../src/mongo/list/cursor.ts';
import { checkPaging, isPaging } from '../../../src/mongo/list/parse-paging.ts';
import { cursorPaging, offsetPaging } from '../../../src/resource/define/paging.ts';
import { parseList, refusalsOf } from './parse-list.ts';

const byNumber = { paging: offsetPaging({ max: 50, size: 20, maxOffset: 100 }) };
const totals = (total: boolean | 'estimate') => ({ paging: cursorPaging({ total }) });

describe('limit', () => {
  it.each([
    ['', 20],
    ['limit=1', 1],
    ['limit=50', 50],
    ['limit=007', 7],
    ['limit=51', 50],
    ['limit=99999999999999999999', 50],
  ])('is the size of the page, up to the largest: "%s"', (query, limit) => {
    expect(parseList(query).limit).toBe(limit);
  });

  it.each(['0', '', 'x', '-1', '1x', 'x1', '1.5', '1e1'])('is a whole number in digits: not %j', (text) => {
    expect(refusalsOf(`limit=${text}`)).toEqual([
      'invalid_query',
      'limit positive_integer: must be a whole number of at least 1, in digits {}',
    ]);
  });

  it('is given once', () => {
    expect(refusalsOf('limit=1&limit=1')).toEqual(['invalid_query', 'limit repeated_parameter: is given twice {}']);
  });
});

describe('page', () => {
  it.each([
    ['', 1],
    ['page=1', 1],
    ['page=6', 6], // records 101 to 120
    ['page=11&limit=10', 11],
  ])('is a number from 1 on, to where the list may skip to: "%s"', (query, number) => {
    expect(parseList(query, byNumber).window).toEqual({ mode: 'offset', number });
  });

  it.each([
    [
      'page=7',
      'page max_offset: is too deep: a page may skip 100 records, so that the last one of 20 is 6; narrow the list by filters {"limit":100,"last":6}',
    ],
    [
      'page=5&limit=30',
      'page max_offset: is too deep: a page may skip 100 records, so that the last one of 30 is 4; narrow the list by filters {"limit":100,"last":4}',
    ],
    ['page=0', 'page positive_integer: must be a whole number of at least 1, in digits {}'],
    ['page=x', 'page positive_integer: must be a whole number of at least 1, in digits {}'],
    ['after=x', 'after not_available: is not available: this list is paged by number; use page {}'],
    ['before=x', 'before not_available: is not available: this list is paged by number; use page {}'],
  ])('is refused: %s', (query, line) => {
    expect(refusalsOf(query, byNumber)).toEqual(['invalid_query', line]);
  });

  it('stands in the place of both cursors', () => {
    const line = 'not_available: is not available: this list is paged by number; use page {}';
    expect(refusalsOf('before=x&after=x', byNumber)).toEqual(['invalid_query', `after ${line}`, `before ${line}`]);
  });

  it('is not of a list that is paged by cursor', () => {
    expect(refusalsOf('page=1')).toEqual([
      'invalid_query',
      'page not_available: is not available: this list is paged by cursor; use after {}',
    ]);
  });
});

describe('after and before', () => {
  const first = parseList('sort=name').window;
  const list = first.mode === 'cursor' ? first.list : '';
  const position = { values: ['b', 'x'], side: 1 } as const;
  const cursor = formatCursor(list, position);

  it.each([
    ['sort=name', undefined, 1],
    [`sort=name&after=${cursor}`, position, 1],
    [`sort=name&before=${cursor}`, position, -1],
  ])('lead to what is behind a position, and before it: %.20s', (query, from, direction) => {
    expect(parseList(query).window).toEqual({ mode: 'cursor', from, direction, list });
  });

  it('are no cursors of another list', () => {
    for (const query of [`after=${cursor}`, `sort=name&name=b&after=${cursor}`, `sort=-name&before=${cursor}`])
      expect(refusalsOf(query)).toEqual(['invalid_cursor']);
    expect(refusalsOf(`sort=name&after=${cursor}`, { resource: 'others' })).toEqual(['invalid_cursor']);
  });

  it('do not stand beside each other', () => {
    expect(refusalsOf('after=x&before=x')).toEqual([
      'invalid_query',
      'before conflicting_parameter: cannot stand beside after: a page lies on one side of a cursor {"with":"after"}',
    ]);
  });
});

describe('total', () => {
  it.each<[string, boolean | 'estimate', string | undefined]>([
    ['', true, undefined],
    ['total=false', true, undefined],
    ['total=false', false, undefined],
    ['total=true', true, 'exact'],
    ['total=true&name=a', true, 'exact'],
    ['total=estimate', true, 'estimate'],
    ['total=estimate', 'estimate', 'estimate'],
  ])('is counted, or estimated: "%s" where it is %o', (query, total, expected) => {
    expect(parseList(query, totals(total)).total).toBe(expected);
  });

  it.each<[string, boolean | 'estimate', boolean, string]>([
    ['total=1', true, false, 'enum: must be true, false or estimate {"values":["true","false","estimate"]}'],
    ['total=', false, false, 'enum: must be true, false or estimate {"values":["true","false","estimate"]}'],
    ['total=true', false, false, 'not_available: is not available for this list {}'],
    ['total=estimate', false, false, 'not_available: is not available for this list {}'],
    ['total=true', 'estimate', false, 'estimate_only: can only be estimated in this list; use total=estimate {}'],
    ['total=estimate', 'estimate', true, 'not_estimable: cannot be estimated: the list shows a part of its records only {}'],
    ['total=estimate', true, true, 'not_estimable: cannot be estimated: the list shows a part of its records only; use total=true {}'],
    ['total=estimate&name=a', 'estimate', false, 'not_estimable: cannot be estimated under a filter; leave the filters out {}'],
    ['total=estimate&name=a', true, false, 'not_estimable: cannot be estimated under a filter; use total=true {}'],
  ])('is refused: %s where it is %o, of a part of the records: %o', (query, total, isScoped, line) => {
    expect(refusalsOf(query, totals(total), { isPartial: isScoped })).toEqual(['invalid_query', `total ${line}`]);
  });

  it('is exact of a part of the records, too', () => {
    expect(parseList('total=true', totals(true), { isPartial: true }).total).toBe('exact');
  });
});

describe('fields and include', () => {
  const Order = compileModel(
    defineModel('Order', {
      collection: 'orders',
      fields: { id: t.string(), note: t.string(), customerId: t.ref('Customer', { id: t.string(), as: 'customer' }) },
    }),
  );
  const rules = {
    fields: Order.clientFields,
    selector: Order.selector,
    includes: { names: ['customer'], relations: compileRelations(Order.fieldTable) },
  };

  it('choose what is fetched, and what is embedded', () => {
    const { fields, include, isSelectable } = parseList('fields=note&fields=id&include=customer', rules);
    expect([fields?.paths, include, isSelectable]).toEqual([['_id', 'note', 'customerId'], ['customer'], true]);
    expect(parseList('fields[]=note', rules).fields?.paths).toEqual(['_id', 'note']);
  });

  it('choose nothing where they are not given', () => {
    const { fields, include, isSelectable } = parseList('', rules);
    expect([fields, include, isSelectable]).toEqual([undefined, [], true]);
    expect(parseList('').isSelectable).toBe(false);
  });

  it('are refused where there is nothing to choose', () => {
    expect(refusalsOf('fields=note')).toEqual(['invalid_query', 'fields not_available: is not available for this list {}']);
    expect(refusalsOf('include=customer')).toEqual([
      'invalid_query',
      'include not_available: is not available: there are no relations to include here {}',
    ]);
  });
});

describe('a paging', () => {
  it.each([cursorPaging(), offsetPaging(), cursorPaging({ max: 5 })])('is what the functions of the library return: %j', (paging) => {
    expect(isPaging(paging)).toBe(true);
    expect(() => checkPaging(paging)).not.toThrow();
  });

  it.each([
    undefined,
    null,
    'cursor',
    {},
    { mode: 'cursor' },
    { mode: 'cursor', size: 5 },
    { mode: 'cursor', max: 5 },
    { mode: 'page', size: 5, max: 5 },
    { mode: 'offset', size: 1.5, max: 5 },
    { size: 5, max: 5 },
  ])('is nothing else: %j', (paging) => {
    expect(isPaging(paging)).toBe(false);
    expect(() => checkPaging(paging as never)).toThrow('`paging` must be what `cursorPaging()` or `offsetPaging()` returns.');
  });
});
