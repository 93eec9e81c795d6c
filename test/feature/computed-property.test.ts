import fc from 'fast-check';
import { Decimal128, Long, ObjectId } from 'mongodb';
import { cursorPaging, defineModel, type Fields, service, t, toJsonSchema } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { cases } from '../support/fuzzing/fuzz.ts';

/** A type of values, and stored values of it. */
interface Kind {
  readonly make: () => Any;
  readonly stored: fc.Arbitrary<unknown>;
}

const leaves: fc.Arbitrary<Kind> = fc.constantFrom<Kind[]>(
  { make: () => t.string(), stored: fc.string({ maxLength: 5 }).map((text) => text.toWellFormed()) },
  { make: () => t.int(), stored: fc.integer() },
  { make: () => t.int64(), stored: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((one) => Long.fromBigInt(one)) },
  { make: () => t.decimal(), stored: fc.integer().map((one) => Decimal128.fromString(`${one}e-2`)) },
  { make: () => t.date(), stored: fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }) },
  { make: () => t.objectId(), stored: fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)) },
  { make: () => t.any(), stored: fc.oneof(fc.integer(), fc.string({ maxLength: 3 })) },
);
let made = 0;

/** Values of every shape, of which objects mirror their own fields, too. */
const kinds: fc.Arbitrary<Kind> = fc.letrec<{ kind: Kind }>((tie) => ({
  kind: fc.oneof(
    { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
    leaves,
    tie('kind').map(({ make, stored }) => ({ make: () => t.array(make()), stored: fc.array(stored, { maxLength: 2 }) })),
    tie('kind').map(({ make, stored }) => ({
      make: () => t.map(make()),
      stored: fc
        .dictionary(fc.constantFrom('a', '$b', 'c.d', '__proto__'), stored, { maxKeys: 2 })
        .map((one) => new Map(Object.entries(one))),
    })),
    fc.array(tie('kind'), { minLength: 1, maxLength: 2 }).map((inner) => ({
      make: () => t.object(`Part${made++}`, mirrored(inner.map((one) => one.make()))),
      stored: fc
        .tuple(...inner.map((one) => one.stored))
        .map((values) => Object.fromEntries(values.map((value, index) => [`f${index}`, value]))),
    })),
  ),
})).kind;

/** Fields, and a computed field of the same type beside each, which shows its value. */
function mirrored(fields: readonly Any[]): Fields {
  const entries = fields.flatMap((field, index): [string, Any][] => {
    const name = `f${index}`;
    return [
      [name, field],
      [`m${index}`, t.computed(field, { from: [name], get: (values) => (values as Any)[name] })],
    ];
  });
  return Object.fromEntries(entries);
}

/** Whether what is computed shows what it is made of, at every depth, and is shown at all. */
function expectMirrored(value: Any): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    if (/^f\d$/.test(name)) expect((value as Any)[name.replace('f', 'm')]).toEqual(member);
    expectMirrored(member);
  }
}

const database = useDatabase();
const types = ['application/json', 'application/x-ndjson', 'text/csv'];

it('shows the same value by every channel, whatever its type and place', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        kinds.chain((kind) => kind.stored.map((stored) => ({ kind, stored }))),
        { minLength: 1, maxLength: 3 },
      ),
      async (columns) => {
        await database.db.collection('mirrors').deleteMany({});
        const fields = mirrored(columns.map(({ kind }) => kind.make()));
        const Mirror = defineModel('Mirror', { collection: 'mirrors', fields: { ...fields, next: t.ref('Mirror') } as Fields });
        const _id = new ObjectId();
        const stored = Object.fromEntries(columns.map(({ stored }, index) => [`f${index}`, stored]));
        await database.db.collection('mirrors').insertOne({ _id, ...stored, next: _id }, { ignoreUndefined: true });
        const shop = service();
        const read = toJsonSchema(Mirror, 'read');
        const find = (ctx: Any): Promise<Any> => ctx.store(Mirror).find({});
        const resource = shop.resource({
          model: Mirror,
          fields: true,
          include: ['next'] as never,
          export: {},
          paging: cursorPaging(),
          operations: {
            described: { method: 'GET', path: '/own/described', answer: t.array(t.from(read)), handler: find },
            untyped: { method: 'GET', path: '/own/untyped', answer: t.array(t.any()), handler: find },
            alone: { method: 'GET', path: '/own/alone', answer: read, handler: async (ctx: Any) => (await find(ctx))[0] },
          },
        } as Any);
        const api = shop.api({ db: database.db, resources: [resource] });
        const get = async (path: string, accept = 'application/json') => {
          const answer = await api.fetch(new Request(`http://x/mirrors${path}`, { headers: { accept } }));
          expect(answer.status).toBe(200);
          return answer.text();
        };
        const whole = JSON.parse(await get(`/${_id}`)).data;
        expectMirrored(whole);
        expect(Object.keys(whole)).toHaveLength(columns.length * 2 + 2);
        expect(JSON.parse(await get('')).data).toEqual([whole]);
        expect(JSON.parse(await get('/own/described')).data).toEqual([whole]);
        expect(JSON.parse(await get('/own/untyped')).data).toEqual([whole]);
        expect(JSON.parse(await get('/own/alone')).data).toEqual(whole);
        expect(JSON.parse(await get(`/${_id}?include=next`)).data.next).toEqual(whole);
        const [line] = (await get('', types[1])).split('\n');
        expect(JSON.parse(line as string)).toEqual(whole);
        const names = columns.map((_column, index) => `m${index}`);
        const chosen = JSON.parse(await get(`/${_id}?fields=${names}`)).data;
        expect(chosen).toEqual({ id: whole.id, ...Object.fromEntries(names.map((name) => [name, whole[name]])) });
        await get('', types[2]);
        await api.close();
      },
    ),
    cases(25),
  );
});
