import fc from 'fast-check';
import { Binary, Decimal128, Double, ObjectId, UUID } from 'mongodb';
import { type Context, type Model, t, toJsonSchema } from '../../../src/index.ts';
import { compileWriteResult } from '../../../src/middleware/exchange/write-result.ts';
import { compileAnswer } from '../../../src/model/compile/compile-answer.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { StoredRecord } from '../../../src/mongo/stored-record.ts';
import { Everything, Guarded } from '../../openapi/fixtures.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';
import { buildModel, completeValue, type FieldSpec, finishFields, rawFields } from '../../support/fuzzing/random-model.ts';

/** Writes stored records as an answer whose schema is what clients read of their model. */
async function writeByOwnSchema(model: Model, stored: readonly Record<string, unknown>[]): Promise<[own: string, records: string]> {
  const compiled = compileModel(model);
  const schema = JSON.parse(JSON.stringify(toJsonSchema(model, 'read'))) as Record<string, unknown>;
  const write = compileWriteResult(compiled, compileAnswer(t.array(t.from(schema))));
  const records = stored.map((one) => new StoredRecord(compiled, one));
  const own = await write(
    records.map(({ document }) => document),
    {} as Context,
  );
  return [own, `[${records.map((record) => record.toText()).join(',')}]`];
}

describe('records, as an answer whose schema is that of their model', () => {
  it('are written as they are everywhere: every type', async () => {
    const id = new UUID();
    const whole = {
      _id: id,
      text: 'text',
      code: 'AB',
      int: 2n ** 31n,
      small: 5,
      int64: 9223372036854775807n,
      long: 9223372036854775806n,
      float: new Double(0.5),
      decimal: Decimal128.fromString('12.50'),
      flag: true,
      date: new Date(0),
      objectId: new ObjectId(),
      uuid: new UUID(),
      binary: new Binary(Buffer.from('bytes')),
      status: 'paid',
      choice: 'a',
      any: { deep: [new ObjectId(), null] },
      anyOrNull: null,
      raw: true,
      tags: ['a'],
      grid: [[1, null]],
      labels: { a: 'b' },
      anything: { $where: null, 'a.b': 1 },
      amounts: { a: Decimal128.fromString('1'), b: null },
      place: { city: 'Bern', zip: '3000' },
      home: { street: 'Gasse', since: new Date(0) },
      stops: [{ at: new Date(0), note: '' }],
      byName: { a: { rank: 1, price: Decimal128.fromString('0.1') } },
      unnamed: { a: '', b: 5 },
      friend: new ObjectId(),
      owner: 'ann',
      revision: 3,
      createdAt: new Date(0),
      updatedAt: new Date(1),
    };
    const least = {
      ...whole,
      code: null,
      long: null,
      binary: undefined,
      choice: undefined,
      home: null,
      uuid: undefined,
      amounts: undefined,
    };
    const [own, records] = await writeByOwnSchema(Everything as unknown as Model, [whole, least]);
    expect(own).toBe(records);
    expect(own).toContain('"int64":9223372036854775807');
  });

  it('are written as they are everywhere: every policy', async () => {
    const address = { city: 'Bern', country: 'CH', secretScore: 5, geo: { lat: 1, lon: 2 } };
    const stored = {
      _id: new ObjectId(),
      open: 'a',
      createOnly: 'b',
      fixed: 'c',
      secret: 'zq',
      address,
      history: [{ text: 'x', secretAuthor: 'zq' }],
    };
    const [own, records] = await writeByOwnSchema(Guarded as unknown as Model, [stored]);
    expect(own).toBe(records);
    expect(own).not.toContain('zq');
  });

  it('are written as they are everywhere: random models', async () => {
    await fc.assert(
      fc.asyncProperty(rawFields, fc.array(fc.nat(50), { minLength: 1, maxLength: 3 }), async (raw, salts) => {
        const fields = finishFields(raw, false);
        const model = buildModel(fields, { revision: true, timestamps: true });
        const kind = { type: 'object', name: '', fields } as const;
        const times = { createdAt: new Date(0), updatedAt: new Date(0), revision: 0 };
        const stored = salts.map((salt) => ({
          ...(completeValue(kind, fields[0] as FieldSpec, salt) as object),
          ...times,
          _id: new ObjectId(),
        }));
        const [own, records] = await writeByOwnSchema(model, stored);
        expect(own).toBe(records);
      }),
      cases(150),
    );
  });
});
