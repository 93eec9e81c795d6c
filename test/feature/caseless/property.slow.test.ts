import fc from 'fast-check';
import { cursorPaging, defineModel, t } from '../../../src/index.ts';
import { foldText } from '../../../src/model/fold/fold-text.ts';
import { useDatabase } from '../../support/database/database.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';
import { useApi } from '../../support/http/api.ts';

const all = { filter: true, sort: true } as const;
const Text = defineModel('Text', {
  collection: 'texts',
  fields: {
    id: t.int({ policy: { insert: true } }),
    text: t.optional(t.string({ caseless: true, policy: all })),
    box: t.optional(t.object('Box', { texts: t.array(t.string({ caseless: true }), { policy: { filter: true } }) })),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: Text, paging: cursorPaging({ max: 1_000 }) })]);

interface Record {
  readonly id: number;
  readonly text?: string;
  readonly box?: { readonly texts: string[] };
}

const piece = fc.constantFrom(...'aAäÄßẞsSiIİıΣσςκΚάЁеกา.*$^\\'.split(''), '\u0301', '\u0345', 'ﬃ', '𐐀', '𐐨', '😀', 'x,', ' ');
const anyText = fc
  .oneof(fc.string({ unit: piece, maxLength: 4 }), fc.string({ unit: 'binary', maxLength: 3 }))
  .filter((one) => !one.includes('\0'));
const records: Record[] = fc
  .sample(
    fc.record({ text: fc.option(anyText, { nil: undefined }), texts: fc.option(fc.array(anyText, { maxLength: 3 }), { nil: undefined }) }),
    {
      numRuns: 300,
      seed: 7,
    },
  )
  .map(({ text, texts }, id) => ({ id, ...(text !== undefined && { text }), ...(texts && { box: { texts } }) }));

beforeAll(async () => {
  for (const body of records) {
    const { status } = await api.request('POST', '/api/texts', { body });
    expect(status).toBe(201);
  }
});

const bytes = (text: string) => Buffer.from(text);
const compare = (a: string | undefined, b: string | undefined) =>
  a === undefined || b === undefined
    ? Number(a !== undefined) - Number(b !== undefined)
    : Buffer.compare(bytes(foldText(a)), bytes(foldText(b)));

/** The rules of the operators, once more. */
const matches: { readonly [operator: string]: (text: string | undefined, operand: string) => boolean } = {
  eq: (text, operand) => text !== undefined && compare(text, operand) === 0,
  ne: (text, operand) => text === undefined || compare(text, operand) !== 0,
  gt: (text, operand) => text !== undefined && compare(text, operand) > 0,
  gte: (text, operand) => text !== undefined && compare(text, operand) >= 0,
  lt: (text, operand) => text !== undefined && compare(text, operand) < 0,
  lte: (text, operand) => text !== undefined && compare(text, operand) <= 0,
  prefix: (text, operand) => operand === '' || (text !== undefined && foldText(text).startsWith(foldText(operand))),
};

async function walk(query: string): Promise<number[]> {
  const ids: number[] = [];
  for (let after = ''; ; ) {
    const { status, body } = await api.request('GET', `/api/texts?${query}&limit=37${after}`);
    expect(status).toBe(200);
    ids.push(...body.data.map(({ id }: { id: number }) => id));
    if (body.page.next_cursor === null) return ids;
    after = `&after=${body.page.next_cursor}`;
  }
}

describe('a list by a caseless field', () => {
  it('has the records that the rules say, in their order, through all pages', async () => {
    const query = fc.record({ operator: fc.constantFrom(...Object.keys(matches)), operand: anyText, sign: fc.constantFrom(1, -1) });
    await fc.assert(
      fc.asyncProperty(query, async ({ operator, operand, sign }) => {
        const found = await walk(`text[${operator}]=${encodeURIComponent(operand)}&sort=${sign === 1 ? '' : '-'}text`);
        const expected = records.filter(({ text }) => matches[operator]?.(text, operand));
        expected.sort((a, b) => sign * (compare(a.text, b.text) || a.id - b.id));
        expect(found).toEqual(expected.map(({ id }) => id));
      }),
      cases(60),
    );
  });

  it('matches an array if an item does', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, async (operand) => {
        const found = await walk(`box.texts=${encodeURIComponent(operand)}`);
        const expected = records.filter(({ box }) => box?.texts.some((text) => matches.eq?.(text, operand)));
        expect(found).toEqual(expected.map(({ id }) => id));
      }),
      cases(60),
    );
  });
});
