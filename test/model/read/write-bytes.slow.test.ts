import fc from 'fast-check';
import {
  Binary,
  BSON,
  BSONRegExp,
  BSONSymbol,
  Code,
  DBRef,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
  UUID,
} from 'mongodb';
import { type CompiledModel, compileModel } from '../../../src/model/compile/compile-model.ts';
import { t } from '../../../src/model/define/t.ts';
import { compileRootBytesWriter } from '../../../src/model/read/write-bytes.ts';
import { compileObjectWriter, type Selection, type WriteJson } from '../../../src/model/read/write-json.ts';
import { bson, declined } from '../../../src/model/value/bson-bytes.ts';
import { JsonOutput } from '../../../src/model/value/json-output.ts';
import type { WriteBson } from '../../../src/model/value/write-bson.ts';
import { bsonOptions } from '../../../src/mongo/driver/bson-options.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';
import { buildModel, finishFields, rawFields } from '../../support/fuzzing/random-model.ts';
import { modelOf } from '../subject.ts';

const output = new JsonOutput(64);

/** What the bytes are written as; undefined where that was declined. Any other error is a defect. */
function fromBytes(write: WriteBson, bytes: Uint8Array): string | undefined {
  output.clear();
  try {
    write(bytes, bson.object, 0, bytes.length, output);
    return output.take().toString();
  } catch (error) {
    if (error === declined) return undefined;
    throw error;
  }
}

const fromObject = (write: WriteJson, bytes: Uint8Array): string => write(BSON.deserialize(bytes, bsonOptions));
const bytesOf = (stored: object): Uint8Array => BSON.serialize(stored, { ignoreUndefined: true });

function _both(model: CompiledModel, stored: object): { readonly bytes: string | undefined; readonly object: string } {
  const bytes = bytesOf(stored);
  return { bytes: fromBytes(compileRootBytesWriter(model.root).write, bytes), object: fromObject(model.writeJson, bytes) };
}

const decimalText = fc.oneof(
  fc
    .tuple(fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n }), fc.integer({ min: -9, max: 3 }))
    .map(([digits, exponent]) => `${digits}E${exponent}`),
  fc.constantFrom(
    '-0',
    '0.00',
    '-0.000001',
    '0E-7',
    '1E+3',
    '9999999999999999999999999999999999',
    '1E-6176',
    'NaN',
    'Infinity',
    '-Infinity',
    '123456789012345678.5',
  ),
);

const single = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }).filter((text) => text.isWellFormed()),
  fc.constantFrom('', '"', 'a\\b', 'tab\t', 'nul\0', '\u2028', 'é', '😀', 'x'.repeat(300), `${'ü'.repeat(200)}"`),
  fc.integer(),
  fc.maxSafeInteger(),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => Long.fromBigInt(value)),
  fc.double().map((value) => new Double(value)),
  fc.constantFrom(new Double(-0), new Double(5), new Double(1e21), new Double(2 ** 53), new Double(Number.NaN), new Int32(-(2 ** 31))),
  decimalText.map((text) => Decimal128.fromString(text)),
  fc.date({ noInvalidDate: true }),
  fc.date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('2999-12-31T23:59:59.999Z'), noInvalidDate: true }),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom<unknown>(
    new ObjectId('65f1a0b2c3d4e5f60718293a'),
    new UUID('123e4567-e89b-42d3-a456-426614174000'),
    new Binary(Buffer.from('bytes')),
    new Binary(Buffer.alloc(0)),
    new Binary(Buffer.from('old'), 2),
    new Binary(Buffer.alloc(16, 7), 3),
    new Binary(Buffer.from('other'), 128),
    new Timestamp({ t: 1_700_000_000, i: 3 }),
    new BSONRegExp('a.b', 'i'),
    new BSONSymbol('symbol'),
    new Code('return 1'),
    new Code('return a', { a: 1 }),
    new MinKey(),
    new MaxKey(),
    new DBRef('things', new ObjectId('65f1a0b2c3d4e5f60718293a')),
  ),
);
const key = fc.constantFrom(
  'a',
  'b',
  'c',
  'd',
  'e',
  'f',
  'id',
  '_id',
  '0',
  '10',
  '2',
  '1a',
  '$ref',
  '$id',
  '$x',
  '__proto__',
  'toString',
  '_bsontype',
  'é',
  '',
);

const { stored } = fc.letrec<{ stored: unknown; object: Map<string, unknown> }>((tie) => ({
  stored: fc.oneof({ depthSize: 'small', withCrossShrink: true }, single, fc.array(tie('stored'), { maxLength: 4 }), tie('object')),
  object: fc.array(fc.tuple(key, tie('stored')), { maxLength: 6 }).map((entries) => new Map(entries)),
}));
const record = fc
  .array(fc.tuple(fc.oneof(fc.constantFrom('_id', 'a', 'b', 'c', 'd', 'e', 'f'), key), stored), { maxLength: 9 })
  .map((entries) => new Map(entries));
const selection = fc.uniqueArray(fc.constantFrom('id', 'a', 'b', 'c', 'd', 'e', 'f', 'a.a', 'b.a', 'c.b', 'd.a'), { minLength: 1 });

function toSelection(names: readonly string[]): Selection {
  const chosen = new Map<string, 'whole' | Map<string, 'whole'>>();
  for (const name of names.toSorted()) {
    const [first = '', second] = name.split('.');
    if (second === undefined) chosen.set(first, 'whole');
    else if (!chosen.has(first)) chosen.set(first, new Map([[second, 'whole']]));
  }
  return chosen;
}

describe('bytes are written as the decoded record is, or declined', () => {
  it('for every model, policy, stored value and selection', () => {
    let written = 0;
    fc.assert(
      fc.property(rawFields, fc.array(record, { minLength: 1, maxLength: 8 }), selection, (raw, records, names) => {
        const model = compileModel(buildModel(finishFields(raw, false), { revision: false, timestamps: false }));
        const [ofBytes, ofObject] = [compileRootBytesWriter(model.root), compileObjectWriter(model.root)];
        for (const bytes of records.map(bytesOf)) {
          const whole = fromBytes(ofBytes.write, bytes);
          if (whole !== undefined) expect(whole).toBe(fromObject(ofObject.write, bytes));
          const part = fromBytes(ofBytes.select(toSelection(names)), bytes);
          if (part !== undefined) expect(part).toBe(fromObject(ofObject.select(toSelection(names)), bytes));
          written += Number(whole !== undefined) + Number(part !== undefined);
        }
      }),
      cases(200),
    );
    expect(written).toBeGreaterThan(cases(200).numRuns); // not all were declined
  });
});

describe('damaged bytes', () => {
  const model = modelOf({
    a: t.string(),
    b: t.optional(t.object('Part', { a: t.decimal(), b: t.optional(t.string({ policy: { private: true } })) })),
    c: t.optional(t.array(t.date())),
    d: t.optional(t.any()),
    e: t.optional(t.map(t.binary())),
  });
  const { write } = compileRootBytesWriter(model.root);
  const damage = fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { minLength: 1, maxLength: 4 });

  it('are declined, or written as they are decoded, and always as JSON without a private value', () => {
    fc.assert(
      fc.property(record, damage, fc.nat(400), (given, places, cut) => {
        const bytes = Uint8Array.from(bytesOf(given));
        for (const [place, value] of places) bytes[place % bytes.length] = value;
        for (const one of [bytes, bytes.subarray(0, cut % bytes.length)]) {
          const text = fromBytes(write, one);
          if (text === undefined) continue;
          JSON.parse(text);
          const decoded = decodeOrFail(one);
          if (decoded) expect(text).toBe(model.writeJson(decoded));
        }
      }),
      cases(200),
    );
  });

  /** Undefined of what the driver refuses: it also looks at what nobody reads. */
  function decodeOrFail(bytes: Uint8Array): object | undefined {
    try {
      return BSON.deserialize(bytes, bsonOptions);
    } catch {
      return undefined;
    }
  }
});
