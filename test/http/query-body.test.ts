import { describe, expect, it } from 'vitest';
import { Problem } from '../../src/errors.ts';
import { parseJson } from '../../src/http/json.ts';
import { parametersIn } from '../../src/http/query-body.ts';

const addingUp = new Set(['sort', 'fields']);
const read = (json: string) => parametersIn(parseJson(json), addingUp);

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
    ['{"a":"x"}', [{ name: 'a', value: 'x' }]],
    ['{"a":""}', [{ name: 'a', value: '' }]],
    ['{"a[gte]":5}', [{ name: 'a', operator: 'gte', value: '5' }]],
    ['{"a.b[in][]":["x"]}', [{ name: 'a.b', operator: 'in', isItem: true, value: 'x' }]],
    ['{"a":9007199254740993}', [{ name: 'a', value: '9007199254740993' }]],
    ['{"a":0.12345678901234567890}', [{ name: 'a', value: '0.12345678901234567890' }]],
    ['{"a":true}', [{ name: 'a', value: 'true' }]],
    ['{"a":null}', [{ name: 'a', value: 'null' }]],
    ['{"a[in]":["x,y",2]}', ['x,y', '2'].map((value) => ({ name: 'a', operator: 'in', isItem: true, value }))],
    ['{"a[in]":[]}', [{ name: 'a', operator: 'in', value: '' }]],
    ['{"a":[]}', [{ name: 'a', value: '' }]],
    ['{"sort":[],"fields":[]}', []],
    ['{"__proto__":"x"}', [{ name: '__proto__', value: 'x' }]],
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
  ])('%s: it %s', (json, message, params) => {
    const errors = refusal(json)[2] as readonly { readonly message: string; readonly params?: object }[];
    expect(errors.map((one) => [one.message, one.params])).toEqual([[message, params]]);
  });

  it('are up to 1,000', () => expect(read(`{"a":[${Array(1000).fill(1)}]}`)).toHaveLength(1000));
});
