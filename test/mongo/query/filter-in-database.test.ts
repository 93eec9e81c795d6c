import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineModel, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import type { QueryField } from '../../../src/model/compile/query-fields.ts';
import { buildFilter } from '../../../src/mongo/query/filter.ts';
import { useDatabase } from '../../support/database/database.ts';

const { scopeFields } = compileModel(defineModel('Doc', { collection: 'docs', fields: { s: t.string() } }));
const field = scopeFields.get('s') as QueryField;
const database = useDatabase();

describe('buildFilter()', () => {
  it('means by a prefix the very text, whatever it holds', async () => {
    const docs = database.db.collection('docs');
    const hard = fc.string({
      unit: fc.constantFrom(...'\\^$.|?*+()[]{}/#- \n\t\u00e9\u{1f600}aAEQ0x,:=!<>&\'"~`@%_;'),
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(hard, hard, async (prefix, rest) => {
        const texts = [prefix, prefix + rest, rest + prefix, rest, `x${prefix}`, prefix.toUpperCase(), ''];
        await docs.deleteMany({});
        await docs.insertMany(texts.map((s) => ({ s })));
        const found = await docs.find(buildFilter([{ field, operator: 'prefix', value: prefix }])).toArray();
        expect(found.map(({ s }) => s).sort()).toEqual(texts.filter((text) => text.startsWith(prefix)).sort());
      }),
      { numRuns: 100 },
    );
  }, 120_000);
});
