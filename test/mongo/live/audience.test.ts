import { defineModel, t } from '../../../src/index.ts';
import { asCompiled } from '../../../src/model/compile/compile-model.ts';
import { Audience } from '../../../src/mongo/changes/audience.ts';
import type { FoundRecord, Interest } from '../../../src/mongo/changes/by-values.ts';
import type { CollectionChange } from '../../../src/mongo/changes/change.ts';

const Card = asCompiled(defineModel('Card', { collection: 'cards', fields: { id: t.int(), board: t.int(), rank: t.int() } }));
const { leaf } = Card.id;

const updated = (id: unknown, ...keys: string[]): CollectionChange => ({
  collection: 'cards',
  id,
  keys: new Set(keys),
  isNew: false,
  isDelete: false,
  time: undefined,
});
const whole = (id: unknown): CollectionChange => ({ ...updated(id), keys: undefined });
const deleted = (id: unknown): CollectionChange => ({ ...whole(id), isDelete: true });
const listOf = (...ids: string[]): Interest => ({ leaf, ids, keys: new Set(['board']), wholes: true, equal: [], former: true });
const recordOf = (...ids: string[]): Interest => ({ leaf, ids, keys: new Set(), wholes: false, equal: [], former: false });
const boardOf = (board: string, ...ids: string[]): Interest => ({
  ...listOf(...ids),
  keys: new Set(['board', 'rank']),
  equal: [{ path: 'board', keys: [board] }],
  former: false,
});

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
    async to(change: CollectionChange | undefined, record?: FoundRecord): Promise<string[]> {
      heard = [];
      await audience.tell(change, record);
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
    ['a record that is created or replaced', whole(9), ['any', 'list']],
    ['a record that is deleted', deleted(9), ['any', 'list']],
    ['a record that is replaced and is shown', whole(2), ['any', 'list', 'record']],
    ['a record that is deleted and is shown', deleted(2), ['any', 'list', 'record']],
    ['an id that cannot be written', updated(unwritable, 'rank'), ['any', 'list', 'record']],
    ['a change of the whole collection', whole(undefined), ['any', 'deaf', 'list', 'record']],
    ['the loss of events', undefined, ['any', 'deaf', 'list', 'record']],
    ['a change of another collection', { ...whole(1), collection: 'others' }, []],
  ])('tells %s to those who wait for it', async (_what, change, expected) => {
    expect(await audienceOf(interests).to(change)).toEqual(expected);
  });

  describe('whose listeners wait for records with certain values', () => {
    const onBoards = { any: undefined, one: boardOf('f1', '1'), two: boardOf('f2'), record: recordOf('7') };
    const paths = new Set(['board']);
    const found = (...records: object[]): FoundRecord => ({ records, paths });

    it.each([
      ['who wait for its value', whole(9), found({ board: 2 }), ['any', 'two']],
      ['who wait for one of its values', whole(9), found({ board: [1, 2] }), ['any', 'one', 'two']],
      ['who wait for the value of one of several with the same id', whole(9), found({ board: 5 }, { board: 1 }), ['any', 'one']],
      ['who show it, whatever its value is now', updated(1, 'board'), found({ board: 5 }), ['any', 'one']],
      ['who show it, if it is gone', updated(1, 'board'), found(), ['any', 'one']],
      ['who show it, if it is deleted', deleted(1), undefined, ['any', 'one']],
      ['who wait for any, if nothing is known of it', whole(9), undefined, ['any', 'one', 'two']],
      ['who wait for any, if another field was asked for', whole(9), { ...found({}), paths: new Set(['rank']) }, ['any', 'one', 'two']],
      ['who wait for any, if nobody knows what its value equals', whole(9), found({ board: /1/ }), ['any', 'one', 'two']],
      ['to whom its field matters', updated(9, 'title'), found({ board: 1 }), ['any']],
    ])('tells of a record those %s', async (_who, change, record, expected) => {
      expect(await audienceOf(onBoards).to(change, record)).toEqual(expected);
    });

    it('asks for these values only where several may wait for them', () => {
      const { audience, hearOf } = audienceOf(onBoards);
      const asked = (change: CollectionChange) => [...audience.pathsAsked(change)];
      expect([whole(9), updated(9, 'rank'), updated(9, 'title'), deleted(9), whole(undefined)].map(asked)).toEqual([
        ['board'],
        ['board'],
        [],
        [],
        [],
      ]);
      audience.focus(hearOf('one'), 'cards', recordOf('1'));
      expect(asked(whole(9))).toEqual([]);
      audience.remove(hearOf('two'));
      expect([asked(whole(9)), asked({ ...whole(9), collection: 'others' })]).toEqual([[], []]);
    });

    it('finds those who wait for one of several values, or for values of several fields', async () => {
      const equal = [
        { path: 'board', keys: ['f1', 'f2'] },
        { path: 'owner', keys: ['sann'] },
      ];
      const { to, audience, hearOf } = audienceOf({ two: { ...boardOf('f1'), equal }, other: boardOf('f3') });
      const of = (board: number, owner: string) => ({ records: [{ board, owner }], paths: new Set(['board', 'owner']) });
      expect(await to(whole(9), of(2, 'ann'))).toEqual(['two']);
      expect(await to(whole(9), of(2, 'bob'))).toEqual([]);
      expect(await to(whole(9), of(3, 'bob'))).toEqual(['other']);
      audience.remove(hearOf('two'));
      expect(await to(whole(9), of(2, 'ann'))).toEqual([]);
    });
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

  it('tells all who may wait for a record that has more combinations of values than are looked up', async () => {
    const equal = ['a', 'b', 'c'].map((path) => ({ path, keys: ['n1'] }));
    const { to } = audienceOf({ list: { ...boardOf('n1'), equal } });
    const found = (items: number): FoundRecord => {
      const values = Array.from({ length: items }, (_, n) => n + 2);
      return { records: [{ a: values, b: values, c: values }], paths: new Set(['a', 'b', 'c']) };
    };
    expect([await to(whole(9), found(5)), await to(whole(9), found(1_000))]).toEqual([[], ['list']]);
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
