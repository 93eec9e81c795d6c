import { Problem } from '../../src/errors.ts';
import { parseJson } from '../../src/http/json.ts';
import { JsonNumber } from '../../src/http/json-number.ts';
import { parametersIn, type SettingKind } from '../../src/http/query-body.ts';

const settings = new Map<string, SettingKind>([
  ['sort', 'texts'],
  ['fields', 'texts'],
  ['after', 'text'],
  ['limit', 'number'],
  ['total', 'flag'],
]);
const read = (json: string) => parametersIn(parseJson(json), settings);

function refusal(json: string) {
  try {
    read(json);
  } catch (error) {
    if (error instanceof Problem) return [error.status, error.code, error.errors];
    throw error;
  }
  throw new Error('is legal');
}

describe('the parameters in a body', () => {
  it.each([
    ['{}', []],
    ['{"a":"x"}', [{ name: 'a', value: 'x', json: 'x' }]],
    ['{"a":""}', [{ name: 'a', value: '', json: '' }]],
    ['{"a[gte]":5}', [{ name: 'a', operator: 'gte', value: '', json: 5 }]],
    ['{"a":9007199254740993}', [{ name: 'a', value: '', json: 9007199254740993n }]],
    ['{"a":0.12345678901234567890}', [{ name: 'a', value: '', json: new JsonNumber('0.12345678901234567890') }]],
    ['{"a":true}', [{ name: 'a', value: '', json: true }]],
    ['{"a":null}', [{ name: 'a', value: '', json: null }]],
    ['{"a.b[in]":["x,y",2]}', [{ name: 'a.b', operator: 'in', value: '', json: ['x,y', 2] }]],
    ['{"a":[]}', [{ name: 'a', value: '', json: [] }]],
    ['{"sort":[],"fields":[]}', []],
    ['{"sort":["-a,b","c"]}', ['-a,b', 'c'].map((value) => ({ name: 'sort', isItem: true, value }))],
    ['{"sort[gte]":"x"}', [{ name: 'sort', operator: 'gte', value: 'x', json: 'x' }]],
    ['{"after":""}', [{ name: 'after', value: '' }]],
    ['{"limit":5}', [{ name: 'limit', value: '5' }]],
    ['{"limit":5.0}', [{ name: 'limit', value: '5' }]],
    ['{"limit":1e400}', [{ name: 'limit', value: '1e400' }]],
    ['{"limit":9007199254740993}', [{ name: 'limit', value: '9007199254740993' }]],
    ['{"total":true}', [{ name: 'total', value: 'true' }]],
    ['{"total":"estimate"}', [{ name: 'total', value: 'estimate' }]],
    ['{"__proto__":"x"}', [{ name: '__proto__', value: 'x', json: 'x' }]],
  ])('%s', (json, parameters) => expect(read(json)).toEqual(parameters));

  it.each([
    ['[]', '', 'type'],
    ['"a"', '', 'type'],
    ['null', '', 'type'],
    ['1', '', 'type'],
    ['{"a":{}}', 'a', 'parameter_syntax'],
    ['{"a":[{}]}', 'a', 'parameter_syntax'],
    ['{"a":[[1]]}', 'a', 'parameter_syntax'],
    ['{"a[b":1}', 'a[b', 'parameter_syntax'],
    ['{"a[in][]":["x"]}', 'a[in][]', 'parameter_syntax'],
    ['{"sort":"a"}', 'sort', 'type'],
    ['{"sort":["a",1]}', 'sort', 'type'],
    ['{"after":5}', 'after', 'type'],
    ['{"after":["x"]}', 'after', 'type'],
    ['{"limit":"5"}', 'limit', 'type'],
    ['{"limit":true}', 'limit', 'type'],
    ['{"total":"true"}', 'total', 'type'],
    ['{"total":"false"}', 'total', 'type'],
    ['{"total":1}', 'total', 'type'],
    ['{"total":null}', 'total', 'type'],
    ['{"a":"\\u0000"}', 'a', 'nul_character'],
    ['{"a":["\\u0000"]}', 'a', 'nul_character'],
    ['{"a":"\\ud800"}', 'a', 'unicode'],
    [`{"a":[${Array(1001).fill(1)}]}`, '', 'too_many_parameters'],
  ])('%.40s is refused', (json, field, rule) =>
    expect(refusal(json)).toEqual([400, 'invalid_query', [expect.objectContaining({ field, rule })]]),
  );

  it.each([
    ['[]', 'must be an object whose members are the parameters', { type: 'object' }],
    ['{"a":{}}', 'must be a text, a number, true, false, null, or an array of them', undefined],
    ['{"a":"\\ud800"}', 'holds a lone surrogate', undefined],
    ['{"sort":"a"}', 'must be an array of texts', { type: 'array' }],
    ['{"after":5}', 'must be a text', { type: 'string' }],
    ['{"limit":"5"}', 'must be a number', { type: 'number' }],
    ['{"total":1}', 'must be true, false or a text', { type: 'boolean' }],
  ])('%s: it %s', (json, message, params) => {
    const errors = refusal(json)[2] as readonly { readonly message: string; readonly params?: object }[];
    expect(errors.map((one) => [one.message, one.params])).toEqual([[message, params]]);
  });

  it('are up to 1,000, with the items of arrays', () => {
    expect(read(`{"sort":[${Array(1000).fill('"x"')}]}`)).toHaveLength(1000);
    expect(refusal(`{"a":[${Array(999).fill(1)}],"b":1,"c":1}`)[2]).toMatchObject([{ rule: 'too_many_parameters' }]);
  });
});
