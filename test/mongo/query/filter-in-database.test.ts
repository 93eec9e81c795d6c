import fc from 'fast-check';
import { defineModel, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import type { QueryField } from '../../../src/model/compile/query-fields.ts';
import { beginning, refuseText } from '../../../src/model/operators/sought-text.ts';
import { buildFilter } from '../../../src/mongo/predicate/filter-of.ts';
import { useDatabase } from '../../support/database/database.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';

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
      cases(100),
    );
  }, 120_000);

  // The bound of MongoDB 7.0 is that of `refuseText`; 6.0 takes longer ones.
  it.each(['a', '.', 'é', '€', '😀'])(
    'makes patterns of up to 16,384 bytes, which every MongoDB takes, and MongoDB 7 takes no longer ones: %s',
    async (character) => {
      const docs = database.db.collection('docs');
      const find = (prefix: string) => docs.find(buildFilter([{ field, operator: 'prefix', value: prefix }])).toArray();
      const bytes = character === '.' ? 2 : Buffer.byteLength(character);
      const longest = character.repeat(Math.floor(16_383 / bytes)) + 'a'.repeat(16_383 % bytes);
      expect(refuseText(field, longest, beginning)).toBeUndefined();
      expect(await find(longest)).toEqual([]);
      expect(refuseText(field, `${longest}a`, beginning)).toBeDefined();
      const { version } = await database.db.admin().serverInfo();
      if (version.startsWith('6.')) expect(await find(`${longest}a`)).toEqual([]);
      else await expect(find(`${longest}a`)).rejects.toMatchObject({ code: 51091 });
    },
  );
});
