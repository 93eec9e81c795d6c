import type { QueryField } from '../../../src/model/compile/query-fields.ts';
import type { Expression } from '../../../src/mongo/through/expression.ts';
import { own, parse, refusalsOf } from './sales.ts';

/** A parsed query, with the names of its fields. */
function show(query: string) {
  const { groups, figures, conditions, through, filter, sort, having, window, ...rest } = parse(query);
  return {
    groups: groups.map(({ name, field, unit }) => [name, field.name, ...(unit ? [unit] : [])].join(' ')),
    figures: figures.map(({ kind, field, isShown }) => `${kind} ${field.name}${isShown ? '' : ' for comparison'}`),
    sort: sort.map(({ field, direction }) => `${direction === 1 ? '' : '-'}${field.name}`),
    having: having && showFilter(having),
    window: window && { size: window.size, from: window.from?.values },
    conditions: conditions.map(({ field, operator, value }) => `${field.path} ${operator} ${value}`),
    through: through.map(({ field, operator, value }) => `${field.name} ${operator} ${value}`),
    filter: filter && showFilter(filter),
    ...rest,
  };
}

function showFilter(filter: Expression): string {
  if (filter.kind !== 'condition') return filter.kind;
  const { field, operator, value } = filter.condition;
  return `${field.path} ${operator} ${value}`;
}

const twice = (name: string) => `${name} ${name}`;
const nothing = {
  sort: expect.any(Array),
  having: undefined,
  window: undefined,
  groups: [],
  figures: [],
  conditions: [],
  through: [],
  filter: undefined,
  isCounted: true,
  timeZone: 'UTC',
};

describe('the query string of an aggregate', () => {
  it.each<[query: string, parsed: object]>([
    ['', {}],
    ['group=status', { groups: ['status status'] }],
    ['group=status,city&group=isGift', { groups: ['status status', 'city city', 'isGift isGift'] }],
    ['group[]=status&group[]=city', { groups: ['status status', 'city city'] }],
    ['group=status,status&group=status', { groups: ['status status'] }],
    ['group=place.zip', { groups: ['place.zip place.zip'] }],
    [
      'group=at[year],at[quarter],at[month],at[week],at[day],at[hour]',
      { groups: ['year', 'quarter', 'month', 'week', 'day', 'hour'].map((unit) => `at[${unit}] at ${unit}`) },
    ],
    [
      'group=status,city,isGift,place.zip,at[day],pieces,big,amount',
      { groups: [...['status', 'city', 'isGift', 'place.zip'].map(twice), 'at[day] at day', ...['pieces', 'big', 'amount'].map(twice)] },
    ],
    ['sum=amount', { figures: ['sum amount'], isCounted: false }],
    ['max=at,only&sum[]=place.floor&sum=big,big', { figures: ['sum place.floor', 'sum big', 'max at', 'max only'], isCounted: false }],
    ['min=weight&avg=weight', { figures: ['avg weight', 'min weight'], isCounted: false }],
    ['sum=amount&count=true', { figures: ['sum amount'], isCounted: true }],
    ['count=false', { isCounted: false }],
    ['timezone=Europe/Berlin', { timeZone: 'Europe/Berlin' }],
    ['pieces[gt]=1&status=open', { conditions: ['pieces gt 1', 'status eq open'] }],
    ['customer.status=open&status=paid', { conditions: ['status eq paid'], through: ['customer.status eq open'] }],
    ['filter=pieces > 5', { filter: 'pieces gt 5' }],
  ])('%s', (query, parsed) => expect(show(query)).toEqual({ ...nothing, ...parsed }));

  it('leaves `deleted` to the middleware that decides about it, where there is one', () => {
    expect(parse('deleted=only&group=status', { takesDeleted: true })).toEqual(parse('group=status'));
    const unknown = 'unknown_parameter: is not a field or parameter of this aggregate';
    expect(refusalsOf('deleted=only')).toEqual(['invalid_query', `deleted ${unknown} {}`]);
    const suggested = (name: string) => ['invalid_query', `${name} ${unknown}; did you mean \`deleted\`? {"suggestion":"deleted"}`];
    for (const name of ['deleted[eq]', 'deleted[]', 'deletd'])
      expect(refusalsOf(`${name}=only`, { takesDeleted: true })).toEqual(suggested(name));
    expect(refusalsOf('deletd=only')).toEqual(['invalid_query', `deletd ${unknown} {}`]);
  });

  it('may have a filter as long as one in a URL, and no longer', () => {
    const comparisons = (count: number) => Array.from({ length: count }, (_, index) => `pieces > ${index}`).join(' AND ');
    expect(show(`filter=${comparisons(32)}`).filter).toBe('and');
    expect(refusalsOf(`filter=${comparisons(33)}`)).toEqual([
      'invalid_query',
      expect.stringContaining('filter too_complex: has more than 32 comparisons'),
    ]);
  });
});

describe('an aggregate is refused', () => {
  const groups = 'status, city, isGift, place.zip, at, pieces, big, amount, weight';
  const needsUnit = 'group parameter_syntax: needs a unit for `at`: `at[month]`. Units: year, quarter, month, week, day, hour {}';
  const takesNone = (name: string) => `group parameter_syntax: takes no unit for \`${name}\`, which is not a date {}`;
  const cannot = (name: string) => `group not_groupable: cannot group by \`${name}\`. Allowed: ${groups} {"name":"${name}"}`;
  const notBoolean = 'count type: must be true or false {"type":"boolean"}';
  const notZone = 'timezone format: must be a time zone, such as Europe/Berlin or +02:00 {"format":"time-zone"}';
  const unknown = 'unknown_parameter: is not a field or parameter of this aggregate';

  it.each<[query: string, ...errors: string[]]>([
    ['group=x', cannot('x')],
    ['group=id', cannot('id')],
    ['group=secret', cannot('secret')],
    ['group=customer.status', cannot('customer.status')],
    ['group=place', 'group not_groupable: cannot group by `place`; did you mean `place.zip`? {"name":"place","suggestion":"place.zip"}'],
    ['group=at[month][day]', cannot('at[month][day]')],
    ['group=at[month]x', cannot('at[month]x')],
    ['group=x]at[month]', cannot('x]at[month]')],
    ['group=x[month]', cannot('x')],
    ['group=', `group not_groupable: must name a field. Allowed: ${groups} {"name":""}`],
    ['group=stauts', 'group not_groupable: cannot group by `stauts`; did you mean `status`? {"name":"stauts","suggestion":"status"}'],
    ['group=at', needsUnit],
    ['group=at[]', needsUnit],
    ['group=at[minute]', needsUnit],
    ['group=status[month]', takesNone('status')],
    ['group=status[]', takesNone('status')],
    ['group=status,city,isGift,place.zip,at[day],at[hour],pieces,big,amount', 'group maxItems: must have at most 8 fields {"limit":8}'],
    ['sum=status', 'sum not_aggregable: cannot be asked of `status`. Allowed: place.floor, pieces, big, amount, weight {"name":"status"}'],
    ['sum=at', 'sum not_aggregable: cannot be asked of `at`. Allowed: place.floor, pieces, big, amount, weight {"name":"at"}'],
    ['avg=only', 'avg not_aggregable: cannot be asked of `only`. Allowed: pieces, big, amount, weight {"name":"only"}'],
    ['max=', 'max not_aggregable: must name a field. Allowed: at, pieces, big, amount, weight, only {"name":""}'],
    ['sum=amuont', 'sum not_aggregable: cannot be asked of `amuont`; did you mean `amount`? {"name":"amuont","suggestion":"amount"}'],
    [
      'sum=customer.pieces',
      'sum not_aggregable: cannot be asked of `customer.pieces`. Allowed: place.floor, pieces, big, amount, weight {"name":"customer.pieces"}',
    ],
    ['count=yes', notBoolean],
    ['count=', notBoolean],
    ['count=true&count=true', 'count repeated_parameter: is given twice {}'],
    ['timezone=UTC&timezone=UTC', 'timezone repeated_parameter: is given twice {}'],
    ['filter=pieces>1&filter=pieces>1', 'filter repeated_parameter: is given twice {}'],
    ['count[]=true', `count[] ${unknown}; did you mean \`count\`? {"suggestion":"count"}`],
    ['filter[]=pieces>1', `filter[] ${unknown}; did you mean \`filter\`? {"suggestion":"filter"}`],
    ['timezone[]=UTC', `timezone[] ${unknown}; did you mean \`timezone\`? {"suggestion":"timezone"}`],
    ['group[in]=status', `group[in] ${unknown}; did you mean \`group\`? {"suggestion":"group"}`],
    ['page=5', `page ${unknown} {}`],
    ['secret=1', `secret ${unknown} {}`],
    ['group=at,x&sum=x&count=x&timezone=x', needsUnit, cannot('x'), expect.stringMatching(/^sum not_aggregable/), notBoolean, notZone],
  ])('%s', (query, ...errors) => expect(refusalsOf(query)).toEqual(['invalid_query', ...errors]));

  it.each(['pieces[gt]=9223372036854775808', 'filter=pieces>9223372036854775808'])(
    'by 422 for an integer of more than 64 bits: %s',
    (query) => {
      expect(refusalsOf(query)).toEqual(['validation_failed', expect.stringContaining('out_of_range')]);
      expect(refusalsOf(`${query}&count=x`)).toEqual(['invalid_query', notBoolean]);
    },
  );

  it('names at most 20 mistakes', () => {
    const names = Array.from({ length: 21 }, (_, index) => `x${index}`);
    expect(refusalsOf(`group=${names}`)).toEqual(['invalid_query', ...names.slice(0, 20).map(cannot)]);
  });

  it('does not take a name that is missing for a misspelt one', () => {
    const single = new Map([['n', { ...(own.get('pieces') as QueryField), name: 'n' }]]);
    expect(refusalsOf('sum=', { own: single })).toEqual(['invalid_query', 'sum not_aggregable: must name a field. Allowed: n {"name":""}']);
  });

  it('names no field where none is legal', () => {
    expect(refusalsOf('group=status&sum=', { own: new Map() })).toEqual([
      'invalid_query',
      'group not_groupable: cannot group by `status` {"name":"status"}',
      'sum not_aggregable: must name a field {"name":""}',
    ]);
  });
});

describe('a time zone', () => {
  it.each([
    'UTC',
    'Europe/Berlin',
    'America/Argentina/Buenos_Aires',
    'Etc/GMT%2B5',
    'Etc/GMT-14',
    '%2B00:00',
    '%2B05:30',
    '-09:59',
    '%2B10:00',
    '-14:59',
  ])('is taken: %s', (zone) => expect(parse(`timezone=${zone}`).timeZone).toBe(decodeURIComponent(zone)));

  it.each([
    '',
    'Mars',
    '$$ROOT',
    ' UTC',
    'UTC ',
    '%2B15:00',
    '%2B24:00',
    '%2B02:60',
    '%2B2:00',
    '%2B02:0',
    '%2B02:000',
    '02:00',
    'x%2B02:00',
    '%2B0200',
    '%2B02',
    'x'.repeat(64),
    'x'.repeat(65),
  ])('is refused: %j', (zone) => expect(refusalsOf(`timezone=${zone}`)[1]).toMatch(/^timezone format: must be a time zone/));
});
