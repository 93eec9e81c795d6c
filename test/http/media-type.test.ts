import { classifyMediaType, jsonType } from '../../src/http/media-type.ts';

describe('classifyMediaType', () => {
  it('is asked of clients by its name', () => {
    expect(jsonType).toBe('application/json');
  });

  it.each([
    jsonType,
    'Application/JSON',
    'application/merge-patch+json',
    'application/json-patch+json',
    'application/vnd.api+JSON',
    'model/gltf+json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json ;\tcharset="Utf-8"',
    'application/json; charset="\\utf-8"',
    'application/json; charset=utf8',
    'application/json; odata=verbose; charset=utf-8',
    'application/json; profile="https://x/; charset=latin1 \\" é"',
    'application/json;',
    'application/json;; charset=utf-8 ;',
  ])('takes %j as JSON', (contentType) => {
    expect(classifyMediaType(contentType)).toBe('json');
  });

  it.each([
    'application/json; charset=latin1',
    'application/json; charset=utf-16',
    'application/json; CHARSET="ISO-8859-1"',
    'application/vnd.api+json; charset=us-ascii',
    'application/json; charset=utf-8; charset=latin1',
    'application/json; charset=""',
    'application/json; charset=xutf-8',
    'application/json; charset=utf-80',
  ])('tells JSON in another charset apart: %j', (contentType) => {
    expect(classifyMediaType(contentType)).toBe('charset');
  });

  it.each([
    'text/plain',
    'text/json',
    'application/jsonp',
    'application/json-seq',
    'application/json5',
    'application/x-json+xml',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=json',
    'text/plain; a=application/json',
    'json',
    '+json',
    '/json',
    'application/',
    'application/json, text/plain',
    'application/json charset=utf-8',
    'application/json; charset',
    'application/json; charset=',
    'application/json; charset = utf-8',
    'application/json; charset="utf-8',
    'application/json; =utf-8',
    'application/json\u00a0',
    ' ',
  ])('takes %j as something else', (contentType) => {
    expect(classifyMediaType(contentType)).toBe('other');
  });

  it.each([undefined, ''])('tells the absence of a media type: %j', (contentType) => {
    expect(classifyMediaType(contentType)).toBe('absent');
  });

  it.each([
    ['one token', 'a'.repeat(1_000_000)],
    ['suffixes', `a/${'+json'.repeat(200_000)}x,`],
    ['spaces', `application/json${' '.repeat(1_000_000)}x`],
    ['spaces behind a semicolon', `application/json;${' '.repeat(1_000_000)},`],
    ['semicolons', `application/json${'; '.repeat(500_000)},`],
    ['a string that never ends', `application/json; a="${'\\a'.repeat(500_000)}`],
    ['parameters', `application/json${'; a=b'.repeat(200_000)},`],
  ])('does not choke on a megabyte of %s', (_, contentType) => {
    expect(classifyMediaType(contentType)).toBe('other');
  });
});
