import { errorOf, HttpError } from '../../../src/products/admin/http-error.ts';

const plain = (status: number) => `The server has answered with ${status}.`;

describe('errorOf', () => {
  it.each<[number, string, string]>([
    [502, '<html>', plain(502)],
    [502, 'null', plain(502)],
    [502, '[1]', plain(502)],
    [502, '"x"', plain(502)],
    [502, '{"code":"x","errors":{}}', plain(502)],
    [502, '{"errors":"bad"}', plain(502)],
    [422, '{"errors":[null]}', plain(422)],
    [422, '{"errors":["x"]}', plain(422)],
    [422, '{"errors":[{"field":"a","message":5}]}', plain(422)],
    [422, '{"errors":[{"field":{},"message":"x"}],"title":"Unprocessable"}', 'Unprocessable'],
    [422, '{"detail":{"a":1},"title":"Unprocessable"}', 'Unprocessable'],
    [422, '{"detail":{"a":1}}', plain(422)],
    [400, '{"code":"constructor","detail":"x"}', 'x'],
    [400, '{"code":"__proto__","detail":"x"}', 'x'],
    [400, '{"code":{"a":1},"detail":"x"}', 'x'],
  ])('of %i keeps the status of an answer that is no problem of the api: %s', (status, text, message) => {
    const error = errorOf(status, text);
    expect(error).toBeInstanceOf(HttpError);
    expect([error.status, error.statusCode, error.body.status, error.message]).toEqual([status, status, status, message]);
    expect([error.errors, error.body.errors, typeof error.body.code]).toEqual([undefined, undefined, 'string']);
  });

  it.each(['null', '"name"', '{"missing":"name"}', '{"missing":[{"toString":1}]}'])(
    'gives an error to its field, whatever its params are: %s',
    (params) => {
      const error = errorOf(422, `{"code":"x","errors":[null,{"field":"a","message":"is wrong","params":${params}}]}`);
      expect([error.message, error.errors, error.body.errors]).toEqual(['a is wrong.', { a: 'Is wrong' }, { a: 'Is wrong' }]);
    },
  );

  it('takes messages by the code, and own keys only', () => {
    expect(errorOf(409, '{"code":"taken","detail":"x"}', { taken: 'shop.taken' }).message).toBe('shop.taken');
    expect(errorOf(409, '{"code":"toString","detail":"x"}', { taken: 'shop.taken' }).message).toBe('x');
  });
});
