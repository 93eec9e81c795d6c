import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Long } from 'mongodb';
import { parseEntityTags } from '../../src/http/entity-tag.ts';
import { defineModel, t } from '../../src/index.ts';
import { compileModel } from '../../src/model/compile-model.ts';
import { buildPrecondition, fulfils, revisionOf } from '../../src/mongo/precondition.ts';
import { useDatabase } from '../support/database.ts';

const model = compileModel(defineModel('Doc', { collection: 'docs', fields: { rev: t.revision() } }));
const without = compileModel(defineModel('Doc', { collection: 'docs', fields: {} }));
const database = useDatabase();

describe('buildPrecondition()', () => {
  it.each<[string | undefined, object | undefined]>([
    [undefined, undefined],
    ['*', undefined],
    ['"3"', { rev: { $in: [3n] } }],
    ['"0"', { rev: { $in: [0n, null] } }],
    ['"1", W/"2", "03", "x", "-1", "3"', { rev: { $in: [1n, 3n] } }],
    ['"9223372036854775807", "9223372036854775808"', { rev: { $in: [9223372036854775807n] } }],
    ['', { rev: { $in: [] } }],
  ])('of %p is %p', (header, filter) => {
    expect(buildPrecondition(model, header === undefined ? undefined : parseEntityTags(header))).toEqual(filter);
  });

  it('is fulfilled by no record of a model without a revision, but for a star', () => {
    expect(buildPrecondition(without, parseEntityTags('"0"'))).toEqual({ $expr: false });
    expect(buildPrecondition(without, '*')).toBeUndefined();
    expect(revisionOf(without, { rev: 1 })).toBeUndefined();
  });

  it('says in the database what fulfils() says of the stored record', async () => {
    const docs = database.db.collection('docs', { useBigInt64: true });
    const revision = fc.constantFrom<unknown>(undefined, null, 0, 1, 2, 2 ** 31, Long.MAX_VALUE, 1.5, 3.0, 'x', '1', true, [], [1], {});
    const tag = fc.constantFrom(
      '"0"',
      '"1"',
      '"2"',
      '"3"',
      'W/"1"',
      '"01"',
      '"1.5"',
      '"x"',
      '"2147483648"',
      '"9223372036854775807"',
      '"true"',
      '""',
    );
    await fc.assert(
      fc.asyncProperty(revision, fc.array(tag, { maxLength: 3 }), async (rev, tags) => {
        await docs.deleteMany({});
        await docs.insertOne(rev === undefined ? {} : { rev });
        const stored = (await docs.findOne({})) ?? {};
        const precondition = parseEntityTags(tags.join(','));
        expect(fulfils(model, precondition, stored)).toBe((await docs.countDocuments(buildPrecondition(model, precondition) ?? {})) === 1);
      }),
      { numRuns: 200 },
    );
  }, 60_000);
});
