import { problemCodes } from '../src/errors.ts';
import { Problem, type ProblemCode, type ProblemOptions, Unauthorized } from '../src/index.ts';
import type { Any } from './support/any.ts';

const documentOf = (options: ProblemOptions) => new Problem(options).toDocument();

describe('new Problem()', () => {
  it('is a document with the code, title, detail and errors of the application', () => {
    const document = documentOf({
      status: 409,
      code: 'ticket_taken',
      title: 'Ticket taken',
      detail: 'bob has taken the ticket already.',
      errors: [{ field: 'assignee', message: 'is bob', rule: 'free', params: { by: 'bob' } }],
    });
    expect(document).toEqual({
      type: 'urn:problem:app:ticket_taken',
      title: 'Ticket taken',
      status: 409,
      detail: 'bob has taken the ticket already.',
      code: 'ticket_taken',
      errors: [{ field: 'assignee', message: 'is bob', rule: 'free', params: { by: 'bob' } }],
    });
    expect(Object.keys(document)).toEqual(['type', 'title', 'status', 'detail', 'code', 'errors']);
  });

  it.each([
    [400, 'Bad Request', 'bad_request'],
    [402, 'Payment Required', 'payment_required'],
    [409, 'Conflict', 'conflict'],
    [410, 'Gone', 'gone'],
    [413, 'Content Too Large', 'content_too_large'],
    [414, 'URI Too Long', 'uri_too_long'],
    [418, "I'm a Teapot", 'im_a_teapot'],
    [422, 'Unprocessable Content', 'unprocessable_content'],
    [423, 'Locked', 'locked'],
    [429, 'Too Many Requests', 'too_many_requests'],
    [499, 'Client Error', 'client_error'],
    [501, 'Not Implemented', 'not_implemented'],
    [599, 'Server Error', 'server_error'],
  ])('has the title and the code of the status %i where it has none of its own', (status, title, code) => {
    expect(documentOf({ status })).toEqual({ type: 'about:blank', title, status, code });
    expect(documentOf({ status, code })).toEqual({ type: 'about:blank', title, status, code });
  });

  it('takes a type of the application', () => {
    const type = 'https://example.org/problems/ticket-taken';
    expect(documentOf({ status: 409, code: 'ticket_taken', type })).toMatchObject({ type, title: 'Conflict' });
  });

  it('takes the library’s codes, with their status, title and type', () => {
    const document = { type: 'urn:problem:koa-mongo-resource:duplicate_key', title: 'Duplicate key', status: 409, code: 'duplicate_key' };
    expect(documentOf({ code: 'duplicate_key' })).toEqual(document);
    expect(documentOf({ code: 'duplicate_key', status: 409 })).toEqual(document);
    expect(documentOf({ code: 'not_found', detail: 'There is no such order.' })).toMatchObject({ type: 'about:blank', status: 404 });
  });

  it('calls the rule of an error `check` where it has none of its own', () => {
    expect(documentOf({ status: 422, errors: [{ field: 'a', message: 'is odd' }] }).errors).toEqual([
      { field: 'a', message: 'is odd', rule: 'check' },
    ]);
  });

  it('tells nothing of a 500', () => {
    const internal = { type: 'about:blank', title: 'Internal Server Error', status: 500 };
    expect(documentOf({ status: 500, code: 'secret', title: 'hunter2', detail: 'hunter2', type: 'urn:x' })).toEqual(internal);
    expect(documentOf({ code: 'internal', detail: 'hunter2' })).toEqual(internal);
  });

  it('says when to try again where it is a 503 or 504', () => {
    expect(new Problem({ status: 503 }).headers).toEqual({ 'retry-after': '1' });
    expect(new Problem({ code: 'database_timeout', headers: { 'x-a': 'b' } }).headers).toEqual({ 'x-a': 'b', 'retry-after': '1' });
    expect(new Problem({ status: 503, headers: { 'Retry-After': '7' } }).headers).toEqual({ 'Retry-After': '7' });
    expect(new Problem({ status: 500 }).headers).toEqual({});
  });

  it('never gives a status a code that the library has for another one', () => {
    for (let status = 400; status < 600; status++) {
      const { code } = new Problem({ status });
      const known = Object.hasOwn(problemCodes, code) ? problemCodes[code as ProblemCode].status : status;
      expect([code, known]).toEqual([code, status]);
    }
  });

  it('is an Error with its cause, and without one where none was given', () => {
    const cause = new Error('why');
    expect(new Problem({ status: 409, detail: 'Taken.', cause })).toMatchObject({
      name: 'Problem',
      message: 'Taken.',
      cause,
      expose: true,
    });
    expect(new Problem({ status: 409 })).not.toHaveProperty('cause');
  });

  const refused: readonly (readonly [what: string, options: Any, message: string])[] = [
    ['no status', { code: 'ticket_taken' }, '`status` of a Problem must be a whole number from 400 to 599; it is undefined.'],
    ['a status of success', { status: 204 }, '`status` of a Problem must be a whole number from 400 to 599; it is 204.'],
    ['a status beyond 599', { status: 600 }, '`status` of a Problem must be a whole number from 400 to 599; it is 600.'],
    ['a status that is a text', { status: '409' }, '`status` of a Problem must be a whole number from 400 to 599; it is 409.'],
    [
      'another status of a known code',
      { status: 400, code: 'not_found' },
      "`status` of a Problem with the library's code `not_found` must be 404.",
    ],
    [
      'a code in kebab-case',
      { status: 409, code: 'ticket-taken' },
      '`code` of a Problem must be in snake_case, such as `ticket_taken`; it is `ticket-taken`.',
    ],
    [
      'a code in capitals',
      { status: 409, code: 'TAKEN' },
      '`code` of a Problem must be in snake_case, such as `ticket_taken`; it is `TAKEN`.',
    ],
    [
      'a header with a line break',
      { status: 409, headers: { 'x-a': 'a\r\nb' } },
      '`x-a` of `headers` of a Problem must be a Latin-1 string without control characters.',
    ],
    [
      'a header that is a number',
      { status: 503, headers: { 'retry-after': 1 } },
      '`retry-after` of `headers` of a Problem must be a Latin-1 string without control characters.',
    ],
    [
      'an invalid header name',
      { status: 409, headers: { 'x a': 'a' } },
      '`headers` of a Problem must have valid header names; `x a` is not one.',
    ],
    [
      'a header of the document',
      { status: 409, headers: { 'Content-Length': '5' } },
      '`headers` of a Problem must not have `Content-Length`: the problem document sets it.',
    ],
    [
      'an error without a message',
      { status: 422, errors: [{ field: 'a' }] },
      'A field error must be { field, message, rule?, params? }: three strings and an object.',
    ],
    [
      'an error that is a text',
      { status: 422, errors: ['a'] },
      'A field error must be { field, message, rule?, params? }: three strings and an object.',
    ],
    [
      'params that are a list',
      { status: 422, errors: [{ field: 'a', message: 'b', params: [1] }] },
      'A field error must be { field, message, rule?, params? }: three strings and an object.',
    ],
  ];

  it.each(refused)('refuses %s', (_what, options, message) => {
    expect(() => new Problem(options)).toThrow(new TypeError(message));
  });

  it('does not compile with a misspelt option, or a code of one’s own without a status', () => {
    // @ts-expect-error: the option is called `status`
    expect(() => new Problem({ staus: 409 })).toThrow(TypeError);
    // @ts-expect-error: a code of one’s own needs a status
    expect(() => new Problem({ code: 'ticket_taken' })).toThrow(TypeError);
  });
});

describe('new Unauthorized()', () => {
  it('is a 401 with its headers', () => {
    const challenge = { 'www-authenticate': 'Bearer realm="shop"' };
    const error = new Unauthorized('The token has expired.', challenge);
    expect([error.name, error.headers]).toEqual(['Unauthorized', challenge]);
    expect(error.toDocument()).toEqual({
      type: 'about:blank',
      title: 'Unauthorized',
      status: 401,
      detail: 'The token has expired.',
      code: 'unauthorized',
    });
    expect(new Unauthorized().detail).toBe('Credentials are required.');
  });
});
