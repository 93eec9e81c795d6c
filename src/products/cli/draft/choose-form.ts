import { quote, schemaNameOf, singular, wordsOf } from './names.ts';
import { type Shape, subtypeIn } from './shape.ts';

/** The builder of a field with a single value, and what is doubtful about it. */
interface Form {
  readonly builder: string;
  /** Options of the builder, as TypeScript. */
  readonly options?: readonly string[];
  readonly doubts?: readonly string[];
}

/** What a draft may show. */
export interface DraftOptions {
  /** Whether the members of possible enums may be in it: they are the only values of records that ever are. */
  readonly showsValues: boolean;
}

const timeWords = new Set(
  'at on date time timestamp ts created updated modified deleted expires expiry since until when seen born'.split(' '),
);
const flagWords = new Set('is has can was did should allow allows needs'.split(' '));

const [year1980, year2100] = [315_532_800_000, 4_102_444_800_000];

/** Chooses the form of values that are all of these types. Undefined if no field holds all of them. */
export function chooseForm(shape: Shape, types: readonly string[], key: string, options: DraftOptions): Form | undefined {
  const [only] = types;
  if (types.length > 1) return types.every((type) => numberTypes.has(type)) ? chooseNumber(shape, types, key) : undefined;
  if (only === 'string') return chooseText(shape, key, options);
  if (only === 'ObjectId') return { builder: 't.objectId', doubts: referenceDoubts(key) };
  if (only === 'date') return { builder: 't.date', doubts: maintainedDoubts(key) };
  if (only === 'bool') return { builder: 't.boolean' };
  if (only === 'uuid') return { builder: 't.uuid' };
  if (only === 'legacy uuid') return chooseOrder(shape);
  const subtype = subtypeIn(only ?? '');
  if (subtype !== undefined) return { builder: 't.binary', options: subtype === 0 ? [] : [`subtype: ${subtype}`] };
  return only !== undefined && numberTypes.has(only) ? chooseNumber(shape, types, key) : undefined;
}

/** The digits of a version tell the order of the bytes, if there are such digits. */
function chooseOrder({ legacyOrders: [first, ...others] }: Shape): Form {
  const form = { builder: 't.uuid', options: [`storedAs: ${quote(first ?? 'legacy-csharp')}`] };
  if (first !== undefined && others.length === 0) return form;
  const choice = 'legacy-csharp, legacy-java or legacy-python? Compare one with the text that the program shows which has stored it';
  return { ...form, doubts: [choice] };
}

/** Whether values are texts and numbers, which no typed field holds together. */
export function isTextOrNumber(types: readonly string[]): boolean {
  return types.includes('string') && types.length > 1 && types.every((type) => type === 'string' || numberTypes.has(type));
}

const numberTypes = new Set(['int', 'long', 'double', 'decimal']);

function chooseText(shape: Shape, key: string, { showsValues }: DraftOptions): Form {
  const { textKinds: are } = shape;
  if (are.has('date')) return { builder: 't.date', options: ["storedAs: 'string'"] };
  if (are.has('day')) return { builder: 't.string', options: ["format: 'date'"] };
  if (are.has('begins with a day'))
    return { builder: 't.string', doubts: ["dates as texts, but not in the form of storedAs: 'string', 2026-01-31T12:00:00.000Z"] };
  if (are.has('id')) {
    const doubt = `ids as texts: t.ref(${quote(modelOf(key) || 'Other')}, { id: t.string() }), if the ids of its records are texts`;
    return { builder: 't.string', doubts: key === '' ? [] : [doubt] };
  }
  const members = [...(shape.texts ?? [])].sort();
  if (members.length === 0 || shape.count('string') < Math.max(10, members.length * 3)) {
    const doubts = are.has('number') && key !== '' ? ["numbers as texts: '10' comes before '9', and there are no sums"] : [];
    return { builder: 't.string', doubts };
  }
  const shown = showsValues ? `t.enum([${members.map(quote).join(', ')}])` : `t.enum of ${members.length} texts`;
  return { builder: 't.string', doubts: [`an enum? ${shown}`] };
}

function chooseNumber(shape: Shape, types: readonly string[], key: string): Form {
  if (types.includes('decimal')) return { builder: 't.decimal' };
  if (types.includes('long') && !types.includes('double')) return { builder: 't.int64' };
  const words = wordsOf(key);
  if (!shape.hasFraction && isTime(words)) {
    const within = (unit: number) => shape.least >= year1980 / unit && shape.most <= year2100 / unit;
    for (const [form, unit] of [['epoch-ms', 1] as const, ['epoch-s', 1_000] as const])
      if (within(unit)) {
        const doubt = `a time? The key says so, and all numbers could be ${unit === 1 ? 'milli' : ''}seconds since 1970`;
        return { builder: 't.date', options: [`storedAs: '${form}'`], doubts: [doubt] };
      }
  }
  if (!shape.hasFraction && shape.least >= 0 && shape.most <= 1 && flagWords.has(words[0] ?? ''))
    return { builder: 't.boolean', options: ["storedAs: 'int'"], doubts: ['a boolean? The key says so, and all numbers are 0 or 1'] };
  if (!types.includes('double')) {
    const isCents = words.at(-1) === 'cents';
    return { builder: 't.int', doubts: isCents ? ["an amount? t.decimal({ storedAs: 'int', scale: 2 })"] : [] };
  }
  if (shape.hasFraction || !Number.isSafeInteger(shape.least) || !Number.isSafeInteger(shape.most)) return { builder: 't.float' };
  return { builder: 't.float', doubts: ['only whole numbers, at least some as doubles: t.int()?'] };
}

function isTime(words: readonly string[]): boolean {
  return timeWords.has(words.at(-1) ?? '') || words[0] === 'date';
}

/** Names the model that a key such as `customer_id` or `authorIds` may refer to. */
function referenceDoubts(key: string): string[] {
  const model = modelOf(key);
  return model ? [`a reference? t.ref(${quote(model)})`] : [];
}

function modelOf(key: string): string {
  const named = wordsOf(key).filter((word) => word !== 'id' && word !== 'ids');
  return named.length > 0 ? schemaNameOf(singular(named.join(' '))) : '';
}

function maintainedDoubts(key: string): string[] {
  const [first, last, ...more] = wordsOf(key);
  const isMaintained = last === 'at' && more.length === 0 && (first === 'created' || first === 'updated' || first === 'deleted');
  return isMaintained ? [`set by the api? t.${first}At()`] : [];
}
