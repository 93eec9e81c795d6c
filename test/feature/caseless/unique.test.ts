import { ObjectId } from 'mongodb';
import { applyIndexes, defineModel, openStore, type Service, service, t } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';

const User = defineModel('User', {
  collection: 'users',
  fields: {
    email: t.nullable(t.string({ caseless: true, unique: true, policy: { filter: ['eq'] } })),
    nick: t.optional(t.string({ caseless: { accents: false }, unique: true, policy: { filter: ['eq', 'in'] } })),
    tenant: t.string({ default: 'a' }),
    code: t.optional(t.string({ caseless: true })),
    profile: t.optional(t.object('Profile', { handle: t.string({ caseless: true, unique: true }) })),
    deletedAt: t.deletedAt(),
  },
  indexes: [{ fields: ['tenant', 'code'], unique: true }, { fields: ['tenant', '-email'] }],
});

const database = useDatabase();
const define = (shop: Service<never>) => [shop.resource({ model: User })];
const api = useApi(database, define);

beforeAll(async () => {
  const shop = service();
  await applyIndexes(shop.api({ db: database.db, resources: define(shop) }));
});
beforeEach(async () => {
  await database.db.collection('users').deleteMany({});
});

async function create(...bodies: object[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const body of bodies) {
    const { status, body: answer } = await api.request('POST', '/api/users', { body });
    answers.push(
      status === 201 ? 201 : [status, answer.code, answer.errors?.map(({ field, rule }: Record<string, string>) => `${field} ${rule}`)],
    );
  }
  return answers;
}
const taken = (...fields: string[]) => [409, 'duplicate_key', fields.map((field) => `${field} unique`)];

describe('a unique caseless field', () => {
  it.each<[what: string, first: object, second: object, field: string | undefined]>([
    ['case', { email: 'Ann@Example.org' }, { email: 'ANN@example.ORG' }, 'email'],
    ['a full folding', { email: 'straße' }, { email: 'STRASSE' }, 'email'],
    ['another composition', { email: 'zu\u0308rich' }, { email: 'ZÜRICH' }, 'email'],
    ['accents, which count', { email: 'zurich' }, { email: 'zürich' }, undefined],
    ['the dotless i', { email: 'ı' }, { email: 'i' }, undefined],
    ['accents that do not count', { nick: 'Zurich' }, { nick: 'ZÜRICH' }, 'nick'],
    ['nulls', { email: null }, { email: null }, undefined],
    ['missing values', {}, {}, undefined],
    ['an embedded field', { profile: { handle: 'A' } }, { profile: { handle: 'a' } }, 'profile.handle'],
    ['a field of a compound index', { code: 'ß' }, { code: 'SS' }, 'tenant'],
    ['a field of a compound index elsewhere', { code: 'ß' }, { code: 'SS', tenant: 'b' }, undefined],
  ])('compares %s', async (_what, first, second, field) => {
    const expected = field === 'tenant' ? taken('tenant', 'code') : field && taken(field);
    expect(await create(first, second)).toEqual([201, expected ?? 201]);
  });

  it('lets one of many parallel creates through', async () => {
    const emails = Array.from({ length: 20 }, (_, n) =>
      [...'ännä@x'].map((one, at) => ((n >> (at % 5)) % 2 ? one.toUpperCase() : one)).join(''),
    );
    const answers = await Promise.all(emails.map((email) => create({ email })));
    expect(answers.flat().filter((one) => one === 201).length).toBe(1);
    expect(answers.flat().filter((one) => one !== 201)).toEqual(Array(19).fill(taken('email')));
  });

  it('is free again when its record is deleted, and refuses a restore into a taken value', async () => {
    const { body } = await api.request('POST', '/api/users', { body: { email: 'A' } });
    expect((await api.request('DELETE', `/api/users/${body.data.id}`)).status).toBe(204);
    expect(await create({ email: 'a' })).toEqual([201]);
    const store = openStore(User, { db: database.db });
    await expect(store.restore(ObjectId.createFromHexString(body.data.id))).rejects.toMatchObject({ code: 'duplicate_key' });
  });

  it('tells stores which field it is', async () => {
    const store = openStore(User, { db: database.db });
    const [, second] = await store.createMany([{ email: 'ä' }, { email: 'Ä' }]);
    expect(second?.error).toMatchObject({ code: 'duplicate_key', errors: [{ field: 'email', rule: 'unique' }] });
  });

  it('takes texts of any length', async () => {
    const long = 'ΐ'.repeat(150_000);
    expect(await create({ email: long, nick: long })).toEqual([201]);
    expect(await create({ email: long })).toEqual([taken('email')]);
    const stored = await database.db.collection('users').findOne({});
    expect([stored?.['nick[fold2]'], stored?.['email[case1]']]).toEqual(['ι'.repeat(150_000), long]);
  });

  it('takes a text of many marks', async () => {
    expect(await create({ email: `a${'\u0301\u0323'.repeat(120_000)}` })).toEqual([201]);
  });

  it('has the index of its folded value, which serves its filter if accents do not count', async () => {
    const indexes = await database.db.collection('users').indexes();
    const keys = indexes.map(({ key, unique }) => [JSON.stringify(key), unique ?? false]);
    expect(keys).toContainEqual(['{"email[case1]":1}', true]);
    expect(keys).toContainEqual(['{"nick[fold2]":1}', true]);
    expect(keys).toContainEqual(['{"tenant":1,"code[case1]":1}', true]);
    expect(keys).toContainEqual(['{"profile.handle[case1]":1}', true]);
    expect(keys).toContainEqual(['{"email[fold2]":1,"_id":1}', false]);
    expect(keys).toContainEqual(['{"tenant":1,"email[fold2]":-1}', false]);
    expect(keys.some(([key]) => `${key}`.startsWith('{"nick[fold2]":1,'))).toBe(false);
    const plan = await database.db.collection('users').find({ 'nick[fold2]': 'a', deletedAt: null }).explain('queryPlanner');
    expect(JSON.stringify(plan)).toContain('IXSCAN');
  });
});
