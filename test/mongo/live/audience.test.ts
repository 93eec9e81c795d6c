import { defineModel, t } from '../../../src/index.ts';
import { asCompiled } from '../../../src/model/compile/compile-model.ts';
import { Audience, type Interest } from '../../../src/mongo/changes/audience.ts';
import type { CollectionChange } from '../../../src/mongo/changes/change.ts';

const Card = asCompiled(defineModel('Card', { collection: 'cards', fields: { id: t.int(), board: t.int(), rank: t.int() } }));
const { leaf } = Card.id;

const updated = (id: unknown, ...keys: string[]): CollectionChange => ({ collection: 'cards', id, keys: new Set(keys), time: undefined });
const whole = (id: unknown): CollectionChange => ({ ...updated(id), keys: undefined });
const listOf = (...ids: string[]): Interest => ({ leaf, ids, keys: ['board'], wholes: true });
const recordOf = (...ids: string[]): Interest => ({ leaf, ids, keys: [], wholes: false });

const unwritable = {
  get part(): never {
    throw new TypeError();
  },
};

/** Listeners by their names, and who of them heard a change. */
function audienceOf(interests: Record<string, Interest | undefined>) {
  const audience = new Audience();
  let heard: string[] = [];
  const hears = new Map(Object.keys(interests).map((name) => [name, () => void heard.push(name)]));
  for (const [name, hear] of hears) {
    audience.add(hear, new Set(['cards']));
    audience.focus(hear, 'cards', interests[name]);
  }
  return {
    audience,
    hearOf: (name: string) => hears.get(name) as () => void,
    async to(change: CollectionChange | undefined): Promise<string[]> {
      heard = [];
      await audience.tell(change);
      return heard.sort();
    },
  };
}

describe('Audience', () => {
  const interests = { any: undefined, list: listOf('1', '2'), record: recordOf('2'), deaf: recordOf() };

  it.each([
    ['an update of a field that decides', updated(9, 'board'), ['any', 'list']],
    ['an update of another field of a record that is shown', updated(1, 'rank'), ['any', 'list']],
    ['an update of a record that several show, once each', updated(2, 'rank', 'board'), ['any', 'list', 'record']],
    ['an update of another field of a record that nobody shows', updated(9, 'rank'), ['any']],
    ['a record that is created, replaced or deleted', whole(9), ['any', 'list']],
    ['a record that is replaced or deleted and is shown', whole(2), ['any', 'list', 'record']],
    ['an id that cannot be written', updated(unwritable, 'rank'), ['any', 'list', 'record']],
    ['a change of the whole collection', whole(undefined), ['any', 'deaf', 'list', 'record']],
    ['the loss of events', undefined, ['any', 'deaf', 'list', 'record']],
    ['a change of another collection', { ...whole(1), collection: 'others' }, []],
  ])('tells %s to those who wait for it', async (_what, change, expected) => {
    expect(await audienceOf(interests).to(change)).toEqual(expected);
  });

  it('tells everything to one who looks away from an interest, and forgets the interest that another one replaces', async () => {
    const { audience, hearOf, to } = audienceOf({ list: listOf('1') });
    audience.focus(hearOf('list'), 'cards', undefined);
    expect(await to(updated(9, 'rank'))).toEqual(['list']);
    audience.focus(hearOf('list'), 'cards', recordOf('2'));
    expect(await to(updated(1, 'rank'))).toEqual([]);
    expect(await to(updated(9, 'board'))).toEqual([]);
    expect(await to(whole(9))).toEqual([]);
    expect(await to(updated(2, 'rank'))).toEqual(['list']);
  });

  it('tells nothing to one who has left, and is empty without listeners', async () => {
    const { audience, hearOf, to } = audienceOf({ list: listOf('1'), record: recordOf('1') });
    audience.remove(hearOf('list'));
    audience.focus(hearOf('list'), 'cards', listOf('1'));
    expect([await to(updated(1, 'rank')), audience.isEmpty, [...audience.collections]]).toEqual([['record'], false, ['cards']]);
    audience.remove(hearOf('record'));
    expect([await to(undefined), audience.isEmpty, [...audience.collections]]).toEqual([[], true, []]);
  });

  it('lets others run between those whom it tells', async () => {
    const audience = new Audience();
    const order: string[] = [];
    const hearSlowly = (name: string) => () => {
      order.push(name);
      for (const begun = performance.now(); performance.now() - begun < 20; );
    };
    for (const name of ['first', 'second']) audience.add(hearSlowly(name), new Set(['cards']));
    setImmediate(() => order.push('another request'));
    await audience.tell(whole(1));
    expect(order).toEqual(['first', 'another request', 'second']);
  });
});
