import { clearImmediate, setImmediate } from 'node:timers';
import { BSON } from 'mongodb';
import { defineModel, t } from '../../../src/index.ts';
import { asCompiled } from '../../../src/model/compile/compile-model.ts';
import { Work } from '../../../src/mongo/driver/work.ts';
import type { Page } from '../../../src/mongo/list/build-page.ts';
import { writePage } from '../../../src/mongo/list/write-page.ts';
import { StoredRecord } from '../../../src/mongo/stored-record.ts';

const Doc = asCompiled(defineModel('Doc', { collection: 'docs', fields: { id: t.int(), text: t.string() } }));

function pageOf(...texts: readonly string[]): Page {
  const records = texts.map((text, _id) => new StoredRecord(Doc, BSON.serialize({ _id, text })));
  const place = { mode: 'cursor', next: null, prev: null } as const;
  return {
    records,
    size: 100,
    direction: 1,
    hasNext: false,
    place,
    total: undefined,
    maxPageBytes: 16 * 2 ** 20,
    endAt: () => ({ hasNext: true, place }),
  };
}

const write = async (...texts: readonly string[]) => writePage(pageOf(...texts), new Work());

const jsonOf = (...texts: readonly string[]) => JSON.stringify(texts.map((text, id) => ({ id, text })));

/** How often others of the event loop run during some work. */
async function turnsUntil(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  const count = () => {
    turns++;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  await work();
  clearImmediate(next);
  return turns;
}

describe('writePage()', () => {
  it.each([
    ['2 records', ['a', 'b'], 0],
    ['900 KB', ['a'.repeat(300_000), 'b'.repeat(150_000)], 0],
    ['a record of 2 MB, before and after its copy', ['a'.repeat(2_000_000)], 2],
    ['4 records of 1 MB, between them too', Array<string>(4).fill('a'.repeat(1_000_000)), 5],
  ])('writes %s with the pauses that their bytes need', async (_what, texts, pauses) => {
    let json = '';
    const turns = await turnsUntil(async () => {
      json = (await write(...texts)).written.json.toString();
    });
    expect(json === jsonOf(...texts)).toBe(true);
    expect(pauses === 0 ? turns === 0 : turns >= pauses).toBe(true);
  });

  it('keeps pages apart that are written at the same time', async () => {
    const texts = ['a', 'b', 'c'].map((letter) => Array<string>(3).fill(letter.repeat(700_000)));
    const pages = await Promise.all([...texts.map((some) => write(...some)), write('small')]);
    for (const [index, some] of [...texts, ['small']].entries())
      expect(pages[index]?.written.json.toString() === jsonOf(...some)).toBe(true);
  });

  it('writes one large page at a time, and small ones in between', async () => {
    const ended: string[] = [];
    const writeAs = async (name: string, ...texts: string[]) => {
      await write(...texts);
      ended.push(name);
    };
    const long = (letter: string) => Array<string>(6).fill(letter.repeat(700_000));
    await Promise.all([writeAs('a', ...long('a')), writeAs('b', ...long('b')), writeAs('small', 's'), writeAs('c', ...long('c').slice(4))]);
    expect(ended).toEqual(['small', 'a', 'b', 'c']);
  });

  it('lets a page of more than 1 MiB that is mostly private write between the large ones', async () => {
    const Hidden = asCompiled(
      defineModel('Hidden', { collection: 'docs', fields: { id: t.int(), text: t.string({ policy: { private: true } }) } }),
    );
    const page = pageOf(...Array<string>(4).fill('h'.repeat(700_000)));
    const hidden = { ...page, records: page.records.map(({ stored }) => new StoredRecord(Hidden, BSON.serialize(stored))) };
    const ended: string[] = [];
    const texts = Array<string>(6).fill('a'.repeat(700_000));
    await Promise.all([
      write(...texts).then(() => ended.push('large')),
      Promise.resolve(writePage(hidden, new Work())).then(({ written }) => ended.push(written.json.toString())),
    ]);
    expect(ended).toEqual(['[{"id":0},{"id":1},{"id":2},{"id":3}]', 'large']);
  });

  it.each([
    ['whose client has gone', (work: Work) => work.leave(new Error('gone'))],
    ['that was given up', (work: Work) => work.giveUp(new Error('gone'))],
  ])('writes no more of a page %s, while it waits and between its records', async (_what, end) => {
    const works = [new Work(), new Work(), new Work()] as const;
    const pages = works.map(() => pageOf(...Array<string>(6).fill('a'.repeat(700_000))));
    const records = pages.map((page) => page.records.map((record) => jest.spyOn(record, 'writeTo')));
    const all = Promise.allSettled(pages.map((page, index) => writePage(page, works[index] as Work)));
    await new Promise((resolve) => void setImmediate(resolve)); // the first pause
    end(works[0]);
    end(works[1]);
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled']);
    const written = records.map((some) => some.filter((spy) => spy.mock.calls.length > 0).length);
    expect(written[0]).toBeLessThan(6);
    expect(written[1]).toBeLessThan(3);
  });

  it('lets the next large page in when one fails', async () => {
    const broken = pageOf('a'.repeat(2_000_000), 'b');
    jest.spyOn(broken.records[1] as StoredRecord, 'writeTo').mockImplementation(() => {
      throw new Error('broken');
    });
    await expect(writePage(broken, new Work())).rejects.toThrow('broken');
    expect((await write('c'.repeat(2_000_000))).records).toHaveLength(1);
  });
});
