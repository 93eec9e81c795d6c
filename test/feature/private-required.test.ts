import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const writeOnly = { private: true, insert: true };
const User = defineModel('User', {
  collection: 'users',
  fields: {
    id: t.string({ policy: { insert: true } }),
    name: t.string(),
    password: t.string({ minLength: 8, policy: { ...writeOnly, update: true } }),
    recovery: t.nullable(t.object('Recovery', { mail: t.string(), answer: t.string({ policy: { ...writeOnly, update: true } }) })),
    origin: t.string({ default: 'web', policy: writeOnly }),
    hash: t.string({ default: '', policy: { private: true } }),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [shop.resource({ model: User, ops: ['create', 'get', 'patch', 'put'] })]);
const users = () => database.db.collection<{ _id: string; [key: string]: unknown }>('users');
const post = (body: object) => api.request('POST', '/api/users', { body });

describe('a required private field that clients may insert', () => {
  it('is told by its name where it is left out: it is part of what they write', async () => {
    const { status, body } = await post({ id: 'a', name: 'Ann' });
    expect([status, body.errors]).toEqual([422, [{ field: 'password', message: 'is required', rule: 'required' }]]);
  });

  it('is so in an embedded object, and where a merge would have to create that', async () => {
    await users().insertOne({ _id: 'old', name: 'Old', password: 'long enough' });
    const created = await post({ id: 'a', name: 'Ann', password: 'long enough', recovery: { mail: 'a@x' } });
    expect(created.body.errors).toEqual([{ field: 'recovery.answer', message: 'is required', rule: 'required' }]);
    const patched = await api.request('PATCH', '/api/users/old', { body: { recovery: { mail: 'a@x' } } });
    expect(patched.body.errors).toEqual([
      {
        field: 'recovery',
        message: 'does not exist yet; to create it, send also answer',
        rule: 'incomplete',
        params: { missing: ['answer'] },
      },
    ]);
  });

  it('is so in a put, where it must be sent', async () => {
    const { body } = await api.request('PUT', '/api/users/old', { body: { name: 'Old' } });
    expect(body.errors).toEqual([{ field: 'password', message: 'is required', rule: 'required' }]);
  });

  it('is told what is wrong with its value, which is never shown', async () => {
    const { body, text } = await post({ id: 'a', name: 'Ann', password: 'short' });
    expect(body.errors).toEqual([
      { field: 'password', message: 'must have at least 8 characters', rule: 'minLength', params: { limit: 8 } },
    ]);
    expect(text).not.toContain('short');
  });

  it('is in no answer, and in no hint for a name that is nearly its own', async () => {
    const { body, text } = await post({ id: 'b', name: 'Ben', password: 'long enough' });
    expect(body.data).toEqual({ id: 'b', name: 'Ben', recovery: null });
    expect((await api.request('GET', '/api/users/b')).text).not.toMatch(/password|long enough|hash|origin/);
    expect(text).not.toMatch(/password|long enough|hash|origin/);
    expect((await post({ id: 'c', name: 'Cat', passwrd: 'x', password: 'long enough' })).body.errors).toEqual([
      { field: 'passwrd', message: 'is not a known field', rule: 'unknown_field' },
    ]);
  });

  it('is unknown where the policy does not open it: nothing tells it from a name that does not exist', async () => {
    const closed = await api.request('PATCH', '/api/users/b', { body: { origin: 'app', hash: 'x', nothing: 'x' } });
    expect(closed.body.errors).toEqual(
      ['origin', 'hash', 'nothing'].map((field) => ({ field, message: 'is not a known field', rule: 'unknown_field' })),
    );
  });
});
