import { parseEntityTags } from '../../../src/http/entity-tag.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { defineModel } from '../../../src/model/define/define-model.ts';
import { t } from '../../../src/model/define/t.ts';
import { buildPrecondition, checkPrecondition, preconditionFailed, revisionOf } from '../../../src/mongo/query/precondition.ts';

const model = compileModel(defineModel('Doc', { collection: 'docs', fields: { rev: t.revision() } }));
const without = compileModel(defineModel('Doc', { collection: 'docs', fields: {} }));

describe('buildPrecondition()', () => {
  it.each<[string | undefined, object]>([
    [undefined, {}],
    ['*', {}],
    ['"3"', { rev: { $in: [3n] } }],
    ['"0"', { rev: { $in: [0n, null] } }],
    ['"1", W/"2", "03", "x", "-1", "3"', { rev: { $in: [1n, 3n] } }],
    ['"9223372036854775807", "9223372036854775808"', { rev: { $in: [9223372036854775807n] } }],
    ['', { rev: { $in: [] } }],
  ])('of If-Match %o is %o', (header, filter) => {
    expect(buildPrecondition(model, header === undefined ? undefined : { ifMatch: parseEntityTags(header) })).toEqual(filter);
  });

  it.each<[string, object]>([
    ['*', { $expr: false }],
    ['"3"', { rev: { $nin: [3n] } }],
    ['W/"0"', { rev: { $nin: [0n, null] } }],
    ['"1", W/"2", "03", "x", "-1"', { rev: { $nin: [1n, 2n] } }],
    ['"9223372036854775808"', {}],
    ['', {}],
  ])('of If-None-Match %o is %o', (header, filter) => {
    expect(buildPrecondition(model, { ifNoneMatch: parseEntityTags(header) })).toEqual(filter);
  });

  it('asks for both where both are given', () => {
    const both = { ifMatch: parseEntityTags('"3"'), ifNoneMatch: parseEntityTags('"4"') };
    expect(buildPrecondition(model, both)).toEqual({ $and: [{ rev: { $in: [3n] } }, { rev: { $nin: [4n] } }] });
  });

  it('is fulfilled by no record of a model without a revision, but for a star', () => {
    expect(buildPrecondition(without, { ifMatch: parseEntityTags('"0"') })).toEqual({ $expr: false });
    expect(buildPrecondition(without, { ifMatch: '*' })).toEqual({});
    expect(buildPrecondition(without, { ifNoneMatch: '*' })).toEqual({ $expr: false });
    expect(buildPrecondition(without, { ifNoneMatch: parseEntityTags('"0"') })).toEqual({});
    expect(revisionOf(without, { rev: 1 })).toBeUndefined();
  });
});

describe('checkPrecondition()', () => {
  const changed = 'The record has changed since: If-Match names another revision. Read it again.';
  const altered =
    'If-Match has a tag that this service does not send: its tags are strong, such as `"3"`. A proxy that compresses answers makes `W/"3"` or `"3-gzip"` of it: let it keep the ETag.';
  const empty = 'If-Match names no entity tag.';
  const incomparable = 'The record has no revision that If-Match could name.';
  const excluded = 'The record has a revision that If-None-Match names.';
  const judge = (stored: object, ifMatch: string | undefined, ifNoneMatch: string | undefined, of = model) => {
    const precondition = {
      ...(ifMatch !== undefined && { ifMatch: parseEntityTags(ifMatch) }),
      ...(ifNoneMatch !== undefined && { ifNoneMatch: parseEntityTags(ifNoneMatch) }),
    };
    return () => checkPrecondition(of, precondition, stored as never);
  };

  // What the database says of the same is in `precondition-in-database.test.ts`.
  it.each<[object, string | undefined, string | undefined]>([
    [{ rev: 3n }, undefined, undefined],
    [{ rev: 3n }, '"3"', undefined],
    [{ rev: 3 }, '"2", "3"', '"4"'],
    [{ rev: 3 }, '*', '"4"'],
    [{}, '"0"', '"1"'],
    [{ rev: null }, '"0"', undefined],
    [{ rev: 'x' }, '*', '"x"'],
  ])('lets %o pass by If-Match %s and If-None-Match %s', (stored, ifMatch, ifNoneMatch) => {
    expect(judge(stored, ifMatch, ifNoneMatch)).not.toThrow();
  });

  it.each<[object, string | undefined, string | undefined, string]>([
    [{ rev: 3 }, '"4"', undefined, changed],
    [{ rev: 3 }, '"1", "4"', undefined, changed],
    // To read again does not help against what happens to each tag on its way.
    [{ rev: 3 }, 'W/"3"', undefined, altered],
    [{ rev: 3 }, 'W/"2"', undefined, altered],
    [{ rev: 3 }, '"1", W/"3"', undefined, altered],
    [{ rev: 3 }, '"3-gzip"', undefined, altered],
    [{ rev: 3 }, '"3-br"', undefined, altered],
    [{ rev: 3 }, '"03"', undefined, altered],
    [{ rev: 3 }, '', undefined, empty],
    [{ rev: '3' }, 'W/"3"', undefined, incomparable],
    [{ rev: 3 }, undefined, 'W/"3"', excluded],
    [{ rev: 3 }, undefined, '*', excluded],
    [{ rev: 3 }, '"3"', '"3"', excluded],
    [{ rev: 3 }, '"4"', '"3"', changed], // If-Match is judged first (RFC 9110 §13.2.2)
    [{ rev: '3' }, '"3"', undefined, incomparable], // what is no integer matches nothing, as in the filter
    [{ rev: 1.5 }, '"1.5"', undefined, incomparable],
  ])('stops %o by If-Match %s and If-None-Match %s', (stored, ifMatch, ifNoneMatch, detail) => {
    expect(judge(stored, ifMatch, ifNoneMatch)).toThrow(expect.objectContaining({ code: 'precondition_failed', status: 412, detail }));
  });

  it('finds no tag on a model without a revision', () => {
    expect(judge({ rev: 3 }, '"3"', undefined, without)).toThrow(preconditionFailed(incomparable));
    expect(judge({ rev: 3 }, '"undefined"', undefined, without)).toThrow(preconditionFailed(incomparable));
    expect(judge({ rev: 3 }, '*', '"3"', without)).not.toThrow();
    expect(() => checkPrecondition(model, undefined, { rev: 3 })).not.toThrow();
  });
});

describe('revisionOf()', () => {
  it.each([
    [{ rev: 3 }, '3'],
    [{ rev: 2n ** 63n - 1n }, '9223372036854775807'],
    [{ rev: null }, '0'],
    [{}, '0'],
  ])('of %o is the text of its tag: %s', (stored, text) => {
    expect(revisionOf(model, stored)).toBe(text);
  });
});
