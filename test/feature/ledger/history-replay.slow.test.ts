import { defineModel, openStore, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';
import { seed } from '../../support/fuzzing/fuzz.ts';
import { randomFrom } from '../../support/fuzzing/random-from.ts';
import { rounds } from '../../support/fuzzing/rounds.ts';
import { useApi } from '../../support/http/api.ts';

const Size = t.object('Size', { width: t.int({ default: 1 }), unit: t.nullable(t.string()) });
const Box = t.object('Box', { city: t.string({ default: 'Ulm' }), size: t.nullable(Size) });
const Safe = t.object('Safe', { city: t.string(), code: t.string({ default: 'hidden', policy: { private: true } }) });
const fields = {
  id: t.string({ policy: { insert: true } }),
  title: t.string({ default: 'untitled', policy: { filter: true } }),
  total: t.nullable(t.decimal(), { storeNone: true }),
  due: t.nullable(t.date()),
  big: t.optional(t.int64()),
  rate: t.nullable(t.float()),
  box: t.nullable(Box),
  size: t.optional(Size),
  safe: t.nullable(Safe),
  lines: t.array(Size, { default: [] }),
  tags: t.map(t.nullable(t.int()), { default: {} }),
  boxes: t.map(Size, { default: {} }),
  extra: t.optional(t.any()),
  spot: t.nullable(t.point()),
  secret: t.optional(t.string({ policy: { private: true } })),
  revision: t.revision(),
  createdAt: t.createdAt(),
  updatedAt: t.updatedAt(),
};
const Kept = defineModel('Kept', { collection: 'kept', fields: { ...fields, deletedAt: t.deletedAt() }, history: true });
const Gone = defineModel('Gone', { collection: 'gone', fields, history: true });

const database = useDatabase();
let secrets = 0;
const api = useApi(database, (shop) => {
  const options = { history: true, serverFields: { update: () => ({ secret: `canary ${++secrets}` }) } };
  const ops = ['get', 'create', 'patch', 'put', 'delete', 'patchMany'] as const;
  return [
    shop.resource({ model: Kept, ops: [...ops, 'restore'], deleted: { guards: [() => true] }, ...options }),
    shop.resource({ model: Gone, ops, ...options }),
  ];
});

/** A value of a field, as JSON text: integers of 64 bits are not numbers of JavaScript. */
function compileValues(random: ReturnType<typeof randomFrom>) {
  const one = (...texts: readonly string[]) => texts[Math.floor(random() * texts.length)] as string;
  const size = () => one('{}', '{"width":2}', '{"width":3,"unit":"m"}', '{"unit":"cm"}');
  const values: Readonly<Record<string, () => string>> = {
    title: () => one('"a"', '"b"', '"\\u0000é"', '""'),
    total: () => one('null', '"1.50"', '1.5', '"1e400"', '0'),
    due: () => one('null', '"2026-01-02T03:04:05.678Z"', '"1969-12-31T23:59:59.999Z"'),
    big: () => one('null', '9223372036854775807', '-9007199254740993', '5'),
    rate: () => one('null', '1', '1.5', '-0.0', '1e300'),
    box: () => one('null', `{"city":${one('"Ulm"', '"Bern"')}}`, `{"city":"Rome","size":${one('null', size())}}`, `{"size":${size()}}`),
    size: () => one('null', size()),
    safe: () => one('{"city":"Ulm"}', '{"city":"Bern"}'),
    lines: () => one('[]', `[${size()}]`, `[${size()},${size()}]`),
    tags: () => one('{}', '{"a":1}', '{"a":null,"$b.c":2}', '{"__proto__":3,"x":1}'),
    boxes: () => one('{}', `{"a":${size()}}`, `{"a":${size()},"b.c":${size()}}`),
    extra: () => one('null', '1', '"x"', '{"$ref":"a","$id":1}', '{"a":{"b":[1,9007199254740993]}}', '[[1],{"$set":1}]'),
    spot: () => one('null', '{"type":"Point","coordinates":[8.5,47.25]}'),
  };
  return (most: number) => {
    const names = Object.keys(values).filter(() => random() * 13 < most);
    return `{${names.map((name) => `"${name}":${values[name]?.()}`).join(',')}}`;
  };
}

/** Writes at random, and then compares each state that GET has shown with what `at` says of its revision. */
async function play(path: string, run: number): Promise<number> {
  const random = randomFrom(seed + run);
  const bodyOf = compileValues(random);
  const id = `r${run}`;
  const headers = { 'content-type': 'application/json' };
  const send = (method: string, below: string, body?: string) => api.request(method, `/api/${path}${below}`, { body, headers });
  const withDeleted = path === 'kept' ? 'deleted=with' : 'deletd=no';
  const states = new Map<number, Any>();
  let isThere = true;
  async function note(): Promise<void> {
    const { status, body } = await send('GET', `/${id}?${withDeleted}`);
    if (status === 200 && !states.has(body.data.revision)) states.set(body.data.revision, body);
    isThere = status === 200;
    if (!isThere) states.clear();
  }
  async function write(): Promise<void> {
    const choice = random();
    if (!isThere || choice < 0.1) await send('POST', '', bodyOf(13).replace('{', `{"id":"${id}",`).replace(',}', '}'));
    else if (choice < 0.5) await send('PATCH', `/${id}`, bodyOf(3));
    else if (choice < 0.7) await send('PUT', `/${id}`, bodyOf(8));
    else if (choice < 0.8) await send('PATCH', `?title[in]=a,b,untitled`, bodyOf(2));
    else if (choice < 0.86) await send('DELETE', `/${id}`);
    else if (choice < 0.94 && path === 'kept') await send('POST', `/${id}/restore`);
    else
      await openStore(path === 'kept' ? Kept : Gone, { db: database.db })
        .update(id, { rate: random() < 0.5 ? null : 2.5 })
        .catch(() => undefined);
  }
  await send('POST', '', `{"id":"${id}","safe":{"city":"Ulm"}}`);
  for (let step = 0; step < 40; step++) {
    await note();
    await write();
  }
  await note();
  const kept = new Set(await database.db.collection(`${path}_history`).distinct('revision', { record: id }));
  for (const [revision, { data }] of states) {
    const { status, body } = await send('GET', `/${id}?at=${revision}&${withDeleted}`);
    expect({ path, run, revision, status }).toEqual({ path, run, revision, status: 200 });
    const expected = kept.has(revision) ? data : { ...data, updatedAt: body.data.updatedAt };
    expect({ path, run, ...body.data }).toEqual({ path, run, ...expected });
  }
  return states.size;
}

it.each(['kept', 'gone'])('shows at each revision of a record what GET showed then, after any writes (%s)', async (path) => {
  let compared = 0;
  for (let run = 0; run < 6 * rounds; run++) compared += await play(path, run);
  expect(compared).toBeGreaterThan(50);
  const entries = await database.db.collection(`${path}_history`).find().toArray();
  expect(entries.length).toBeGreaterThan(100);
  expect(JSON.stringify(entries)).not.toMatch(/canary|hidden/);
});
