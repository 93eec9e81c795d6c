import { ConfigurationError, openapiText, service } from '../../../src/index.ts';
import { defineRemovals, type RemovalReaders } from '../../../src/mongo/removals/define-removals.ts';
import type { Any } from '../../support/any.ts';
import { Comment, carryOut, Invoice, Plan, Project, plant, Task, useTree } from './tree.ts';

const { database } = useTree();
const telling = ['removed', 'changed', 'reason'] as const;

/** A removal that has stopped, as clients see it. */
async function stop(read?: RemovalReaders) {
  const Removal = defineRemovals(read ? { read } : {});
  const rules = JSON.stringify(read ?? {}).includes('staff') ? { staff: (user: string) => user === 'staff' } : {};
  const shop: Any = service({ authenticate: (ctx: Any) => ctx.get('authorization') || undefined, rules } as Any);
  const api: Any = shop.api({
    db: database.db,
    resources: [shop.resource({ model: Removal, ops: ['get', 'list'] })],
    models: [Project, Task, Comment, Invoice, Plan],
    removals: Removal,
    maxCascade: 3,
  });
  await plant(api, 8);
  await api.store(Invoice).create({ id: 'i', task: 'p7' });
  const { id } = await api.store(Project).remove('p', { inBackground: true });
  await carryOut(api, database);
  const ask = (query = '', authorization = 'ann') =>
    api.fetch(new Request(`http://shop/removals/${id}${query}`, { headers: { authorization } }));
  const shownTo = async (user: string) => (await (await ask('', user)).json()).data;
  const seen = async (user: string) => Object.keys(await shownTo(user)).filter((name) => (telling as readonly string[]).includes(name));
  return { api, seen, shownTo, stored: await api.store(Removal).get(id) };
}

describe('a delete in the background', () => {
  it('tells clients nothing of the records and references that it has met', async () => {
    const { api, seen, shownTo, stored } = await stop();
    expect(stored).toMatchObject({ status: 'stopped', removed: 15, changed: 0, reason: expect.stringContaining('`task` of Invoice') });
    expect(await shownTo('ann')).toMatchObject({ status: 'stopped', record: 'p' });
    expect(await seen('ann')).toEqual([]);
    expect(openapiText(api)).not.toMatch(/"(?:removed|changed|reason)"/);
  });

  it('tells them what `read` opens, to all or to those for whom a rule holds', async () => {
    const { seen, shownTo } = await stop({ removed: true, reason: 'staff' });
    expect([await seen('ann'), await seen('staff')]).toEqual([['removed'], ['removed', 'reason']]);
    expect((await shownTo('staff')).reason).toContain('`task` of Invoice');
  });

  it.each<[string, unknown]>([
    ['another field', { actor: true }],
    ['no object', true],
  ])('has no `read` with %s', (_what, read) => {
    expect(() => defineRemovals({ read } as Any)).toThrow(ConfigurationError);
    expect(() => defineRemovals({ read } as Any)).toThrow('an object of `removed`, `changed`, `reason`');
  });
});
