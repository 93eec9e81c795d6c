import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { Vault, vault } from '../support/models/vault.ts';

const database = useDatabase();
const api = useApi(database, (shop) => [
  shop.resource({ model: Vault, ops: ['get', 'create', 'patch', 'put'] }),
  shop.resource({ model: Vault, path: 'replacing', ops: ['patch'], mergePatch: false }),
]);
const vaults = () => database.db.collection<{ _id: string; [key: string]: unknown }>('vaults');
const stored = () => vaults().findOne({ _id: 'v' });

beforeEach(async () => {
  await vaults().deleteMany({});
  await vaults().insertOne(structuredClone(vault));
});

describe('what a client cannot set it cannot clear', () => {
  it.each<[rule: string, method: string, path: string, body: object, fields: string[]]>([
    ['a nested key it may not write', 'PATCH', 'vaults', { safe: { lock: { seal: 'x' } } }, ['safe.lock.seal']],
    ['null for such a key', 'PATCH', 'vaults', { safe: { lock: { seal: null } } }, ['safe.lock.seal']],
    ['null for a nested private key', 'PATCH', 'vaults', { safe: { secret: null } }, ['safe.secret']],
    ['a nested immutable key', 'PATCH', 'vaults', { fixed: { size: 6 } }, ['fixed.size']],
    ['null for an object that holds private values', 'PATCH', 'vaults', { safe: null }, ['safe']],
    ['null for an object that holds immutable values', 'PATCH', 'vaults', { fixed: null }, ['fixed']],
    ['null for a nested object that holds closed values', 'PATCH', 'vaults', { safe: { lock: null } }, ['safe.lock']],
    ['a list of objects that hold closed values', 'PATCH', 'vaults', { locks: [] }, ['locks']],
    ['a map of objects that hold closed values', 'PATCH', 'vaults', { lockMap: { k: { code: '2' } } }, ['lockMap']],
    ['null for such a list or map', 'PATCH', 'vaults', { locks: null, lockMap: null }, ['lockMap', 'locks']],
    [
      'a closed key that is named where PATCH replaces',
      'PATCH',
      'replacing',
      { safe: { pin: 1, lock: { seal: 'x' } }, locks: [{ seal: 'x' }], lockMap: { k: { seal: 'x' } } },
      ['lockMap.k.seal', 'locks.0.seal', 'safe.lock.seal'],
    ],
    ['null for the object in PUT', 'PUT', 'vaults', { name: 'x', safe: null }, ['safe']],
    ['null for the nested object in PUT', 'PUT', 'vaults', { name: 'x', safe: { pin: 1, lock: null } }, ['safe.lock']],
    ['such a list or map in PUT', 'PUT', 'vaults', { name: 'x', locks: [], lockMap: {} }, ['lockMap', 'locks']],
    [
      'a nested closed key in PUT',
      'PUT',
      'vaults',
      { name: 'x', safe: { pin: 1, secret: 's', lock: { seal: 'x' } }, fixed: { size: 5 } },
      ['fixed.size', 'safe.lock.seal', 'safe.secret'],
    ],
  ])('%s is 422: %s', async (_rule, method, path, body, fields) => {
    const answer = await api.request(method, `/api/${path}/v`, { body });
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map(({ field }: { field: string }) => field).sort()).toEqual(fields);
    expect(await stored()).toEqual(vault);
  });

  it('reports a nested private key exactly as an unknown one', async () => {
    const hidden = await api.request('PATCH', '/api/vaults/v', { body: { safe: { secret: null } } });
    const unknown = await api.request('PATCH', '/api/vaults/v', { body: { safe: { zzzzzz: null } } });
    expect(hidden.text.replaceAll('secret', 'zzzzzz')).toBe(unknown.text);
  });

  it('writes the open keys of such an object one by one, and the rest stays', async () => {
    const { status } = await api.request('PATCH', '/api/vaults/v', {
      body: { safe: { pin: 2, tag: null, lock: { code: '8' } }, fixed: { colour: 'green' } },
    });
    expect(status).toBe(200);
    const document = await stored();
    expect(document?.safe).toEqual({ pin: 2, note: 'full', secret: 'top', lock: { code: '8', seal: 'wax' } });
    expect(document?.fixed).toEqual({ size: 5, colour: 'green' });
  });

  it('creates such an object where there is none, with the defaults of its closed keys', async () => {
    await vaults().updateOne({ _id: 'v' }, { $unset: { safe: 1 } });
    const { status, text } = await api.request('PATCH', '/api/vaults/v', { body: { safe: { pin: 2 } } });
    expect(status).toBe(200);
    expect(text).not.toContain('secret');
    expect((await stored())?.safe).toEqual({ pin: 2, note: 'empty', secret: 's' });
  });

  it('names no private key when only the server could create an object, in a merge as on create', async () => {
    for (const body of [{ sealed: { open: 1 } }, { sealed: {} }]) {
      const answer = await api.request('PATCH', '/api/vaults/v', { body });
      expect([answer.status, answer.body.errors.map(({ field }: { field: string }) => field)]).toEqual([422, ['sealed']]);
      expect(answer.text).not.toContain('wax');
      const created = await api.request('POST', '/api/vaults', { body: { id: 'n', name: 'n', ...body } });
      expect(created.status).toBeGreaterThanOrEqual(400);
      expect(created.text).not.toContain('wax');
    }
  });

  it('clears and replaces what holds no closed values', async () => {
    const { status } = await api.request('PATCH', '/api/vaults/v', { body: { open: null, boxes: [{ a: 5 }] } });
    expect(status).toBe(200);
    expect(await stored()).toEqual({ ...vault, open: undefined, boxes: [{ a: 5 }], revision: 5, updatedAt: expect.any(Date) });
  });

  it('returns all of them to their defaults where PATCH replaces: by null, and in lists and maps too', async () => {
    const { status } = await api.request('PATCH', '/api/replacing/v', {
      body: { safe: { pin: 2, lock: null }, fixed: null, sealed: null, locks: [{ code: '7' }, {}], lockMap: { k: {} } },
    });
    expect(status).toBe(200);
    const { fixed, ...kept } = vault;
    expect(await stored()).toEqual({
      ...kept,
      safe: { pin: 2, note: 'empty', secret: 's' },
      locks: [
        { code: '7', seal: 'seal' },
        { code: '0', seal: 'seal' },
      ],
      lockMap: { k: { code: '0', seal: 'seal' } },
      revision: 5,
      updatedAt: expect.any(Date),
    });
    expect((await api.request('PATCH', '/api/replacing/v', { body: { safe: null } })).status).toBe(200);
    expect(await stored()).not.toHaveProperty('safe');
  });
});
