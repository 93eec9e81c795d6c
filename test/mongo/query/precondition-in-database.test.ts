import fc from 'fast-check';
import { Long } from 'mongodb';
import { parseEntityTags } from '../../../src/http/entity-tag.ts';
import { defineModel, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { buildPrecondition, checkPrecondition, type Precondition } from '../../../src/mongo/query/precondition.ts';
import { useDatabase } from '../../support/database/database.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';

const model = compileModel(defineModel('Doc', { collection: 'docs', fields: { rev: t.revision() } }));
const database = useDatabase();

describe('buildPrecondition()', () => {
  it('says in the database what checkPrecondition() says of the stored record', async () => {
    const docs = database.db.collection<{ _id: number }>('docs', { useBigInt64: true });
    const revisions = [undefined, null, 0, 1, 2, 2 ** 31, Long.MAX_VALUE, 1.5, 3.0, 'x', '1', true, [], [1], {}];
    await docs.insertMany(revisions.map((rev, _id) => (rev === undefined ? { _id } : { _id, rev })));
    const records = await docs.find().sort({ _id: 1 }).toArray();
    expect(records).toHaveLength(revisions.length);
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
    const tags = fc.option(
      fc.oneof({ weight: 4, arbitrary: fc.array(tag, { maxLength: 3 }).map((some) => some.join(',')) }, fc.constant('*')),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...records), tags, tags, async (stored, ifMatch, ifNoneMatch) => {
        const precondition: Precondition = {
          ...(ifMatch !== null && { ifMatch: parseEntityTags(ifMatch) }),
          ...(ifNoneMatch !== null && { ifNoneMatch: parseEntityTags(ifNoneMatch) }),
        };
        const { _id } = stored;
        const isMet = (await docs.countDocuments({ $and: [{ _id }, buildPrecondition(model, precondition)] })) === 1;
        if (isMet) checkPrecondition(model, precondition, stored);
        else expect(() => checkPrecondition(model, precondition, stored)).toThrow(expect.objectContaining({ code: 'precondition_failed' }));
      }),
      cases(300),
    );
  }, 120_000);
});
