import fc from 'fast-check';
import { type Api, defineModel, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';

const database = useDatabase();

const policy = { filter: true, sort: true, group: true } as const;
const numbers = { ...policy, aggregate: true } as const;

/** The same fields, in the forms of their types or in others. */
function define(name: string, isFormed: boolean) {
  const as = (form: object): Any => (isFormed ? form : {});
  return defineModel(name, {
    collection: name,
    fields: {
      id: t.int({ policy: { insert: true } }),
      text: t.date({ ...as({ storedAs: 'string' }), policy: { ...policy, aggregate: true } }),
      ms: t.date({ ...as({ storedAs: 'epoch-ms' }), policy: { ...policy, aggregate: true } }),
      s: t.nullable(t.date({ ...as({ storedAs: 'epoch-s' }), policy: { ...policy, aggregate: true } })),
      cents: t.decimal({ ...as({ storedAs: 'int', scale: 2 }), policy: numbers }),
      flag: t.boolean({ ...as({ storedAs: 'int' }), policy }),
      days: t.map(t.date(as({ storedAs: 'epoch-ms' })), { merge: true, filterKeys: ['a'], policy: { filter: true }, default: {} }),
    },
  });
}

function serve(name: string, isFormed: boolean): Api {
  const shop = service();
  const resource = shop.resource({
    model: define(name, isFormed),
    path: 'records',
    ops: ['list', 'get', 'create', 'patch'],
    aggregate: true,
    export: {},
  });
  return shop.api({ db: database.db, resources: [resource] });
}

const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9998-12-31'), noInvalidDate: true });
const seconds = date.map((one) => new Date(Math.floor(one.getTime() / 1000) * 1000));
const cents = fc.integer({ min: -(2 ** 31), max: 2 ** 31 }).map((one) => (one / 100).toFixed(2));
const body = fc.record({
  text: date,
  ms: date,
  s: fc.option(seconds),
  cents,
  flag: fc.boolean(),
  days: fc.dictionary(fc.constantFrom('a', '$b'), date, { maxKeys: 2 }),
});
const fields = ['text', 'ms', 's', 'cents', 'flag', 'days.a'] as const;
const asked = fc.record({
  field: fc.constantFrom(...fields),
  operator: fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte'),
  other: body,
  isOther: fc.boolean(),
  pick: fc.nat(),
  sort: fc.constantFrom('text', '-ms', 's', '-cents', 'flag'),
});
const patches = fc.array(
  fc.tuple(fc.nat(), fc.record({ ms: date, cents, days: fc.dictionary(fc.constantFrom('a', '$b'), fc.option(date)) })),
  {
    maxLength: 3,
  },
);

it('a list, an export, a figure and a patch are the same, in whichever form values are stored', async () => {
  const apis = [serve('plain', false), serve('formed', true)] as const;
  /** The answers of both, which differ in their cursors only: those hold stored values. */
  async function send(method: string, paths: string | readonly string[], sent?: unknown, accept = 'application/json'): Promise<string[]> {
    const answers = await Promise.all(
      apis.map(async (api, index) => {
        const init = {
          method,
          headers: { 'content-type': 'application/json', accept },
          body: sent === undefined ? null : JSON.stringify(sent),
        };
        const answer = await api.fetch(new Request(`http://api${typeof paths === 'string' ? paths : paths[index]}`, init));
        return `${answer.status} ${await answer.text()}`;
      }),
    );
    const [plain, formed] = answers.map((answer) => answer.replaceAll(/"(next|prev)_cursor":"[^"]*"/g, '"$1_cursor":"…"'));
    expect(formed).toBe(plain);
    return answers;
  }
  async function succeed(...request: Parameters<typeof send>): Promise<string[]> {
    const answers = await send(...request);
    expect(answers[0]).toMatch(/^20[01] /);
    return answers;
  }

  await fc.assert(
    fc.asyncProperty(
      fc.array(body, { minLength: 1, maxLength: 8 }),
      fc.array(asked, { minLength: 3, maxLength: 8 }),
      patches,
      async (records, queries, changes) => {
        for (const name of ['plain', 'formed']) await database.db.collection(name).deleteMany({});
        for (const [id, record] of records.entries()) await succeed('POST', '/records', { id, ...record });
        for (const [pick, change] of changes) await succeed('PATCH', `/records/${pick % records.length}`, change);
        for (const { field, operator, other, isOther, pick, sort } of queries) {
          const of = (isOther ? other : records[pick % records.length]) as Any;
          const value = field === 'days.a' ? (of.days.a ?? other.ms) : (of[field] ?? other.ms);
          const isOrdered = operator === 'eq' || operator === 'ne' || field !== 'flag';
          const text = value instanceof Date ? value.toISOString() : String(value);
          const condition = `${field}[${isOrdered ? operator : 'eq'}]=${encodeURIComponent(text)}`;
          const list = `/records?${condition}&sort=${sort}`;
          const pages = await succeed('GET', `${list}&limit=2`);
          const cursors = pages.map((page) => JSON.parse(page.slice(4)).page.next_cursor);
          if (cursors[0])
            await succeed(
              'GET',
              cursors.map((cursor) => `${list}&limit=2&after=${cursor}`),
            );
          await succeed('GET', list, undefined, 'application/x-ndjson');
          await succeed('GET', `/records/aggregate?${condition}&count=true&sum=cents&min=text,ms,s&max=cents,s&group=flag`);
        }
      },
    ),
    cases(20),
  );
});
