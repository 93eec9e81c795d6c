import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Long } from 'mongodb';
import { parseEntityTags } from '../../../src/http/entity-tag.ts';
import { defineModel, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { buildPrecondition, checkPrecondition, type Precondition, revisionOf } from '../../../src/mongo/query/precondition.ts';
import { useDatabase } from '../../support/database.ts';
import { defineModel } from '../../src/model/define-model.ts';
import { t } from '../../src/model/t.ts';

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
  ])('of If-Match %p is %p', (header, filter) => {
    expect(buildPrecondition(model, header === undefined ? undefined : { ifMatch: parseEntityTags(header) })).toEqual(filter);
  });

  it.each<[string, object]>([
    ['*', { $expr: false }],
    ['"3"', { rev: { $nin: [3n] } }],
    ['W/"0"', { rev: { $nin: [0n, null] } }],
    ['"1", W/"2", "03", "x", "-1"', { rev: { $nin: [1n, 2n] } }],
    ['"9223372036854775808"', {}],
    ['', {}],
  ])('of If-None-Match %p is %p', (header, filter) => {
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
