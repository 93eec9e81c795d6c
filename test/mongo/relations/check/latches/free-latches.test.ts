import { FreeLatches } from '../../../../../src/mongo/relations/check/latches/free-latches.ts';

const hasGrown = async () => 64;
const isGone = async () => 0;

describe('the latches of a record in one process', () => {
  it('are one until two writers meet at it, and then all: no two writers have the same', async () => {
    const free = new FreeLatches();
    let growths = 0;
    const grow = () => {
      growths++;
      return hasGrown();
    };
    const first = await free.take('a', 64, grow, 1_000);
    expect([first.n, growths]).toEqual([0, 0]);
    const others = await Promise.all(Array.from({ length: 63 }, () => free.take('a', 64, grow, 1_000)));
    expect(growths).toBe(1);
    const numbers = [first, ...others].map(({ n }) => n).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 64 }, (_, n) => n));
  });

  it('are as many as were made', async () => {
    const free = new FreeLatches();
    const take = (patienceMS = 1_000) => free.take('a', 3, async () => 3, patienceMS);
    const taken = await Promise.all(Array.from({ length: 3 }, () => take()));
    expect(taken.map(({ n }) => n).sort()).toEqual([0, 1, 2]);
    await expect(take(1)).rejects.toMatchObject({ status: 503 });
  });

  it('are as many as the largest `maxLatches` of several apis, whichever was first at the record', async () => {
    const free = new FreeLatches();
    const growths: number[] = [];
    const takeOf = (most: number) =>
      free.take(
        'a',
        most,
        async () => {
          growths.push(most);
          return most;
        },
        1_000,
      );
    const few = await Promise.all([takeOf(3), takeOf(3), takeOf(3)]);
    const more = await Promise.all([takeOf(5), takeOf(5)]);
    more[0]?.release();
    expect((await takeOf(3)).n).toBe(more[0]?.n);
    expect([...few, ...more].map(({ n }) => n).sort()).toEqual([0, 1, 2, 3, 4]);
    expect(growths).toEqual([3, 5]);
  });

  it('are waited for if all are taken, in the order of the writers', async () => {
    const free = new FreeLatches();
    const taken = await Promise.all(Array.from({ length: 64 }, () => free.take('a', 64, hasGrown, 1_000)));
    const waiting = [free.take('a', 64, hasGrown, 1_000), free.take('a', 64, hasGrown, 1_000)];
    taken[5]?.release();
    taken[5]?.release(); // twice is once
    expect((await waiting[0])?.n).toBe(taken[5]?.n);
    taken[7]?.release();
    expect((await waiting[1])?.n).toBe(taken[7]?.n);
  });

  it('are waited for no longer than they may be', async () => {
    const free = new FreeLatches();
    const first = await free.take('a', 64, isGone, 1_000);
    await expect(free.take('a', 64, isGone, 1)).rejects.toMatchObject({ code: 'write_conflict' });
    first.release();
    expect((await free.take('a', 64, isGone, 1)).n).toBe(0);
  });

  it('are taken last if another process uses them', async () => {
    const free = new FreeLatches();
    const [one, other] = await Promise.all([free.take('a', 64, hasGrown, 1_000), free.take('a', 64, hasGrown, 1_000)]);
    one?.release();
    other?.isContended();
    other?.release();
    const rest = await Promise.all(Array.from({ length: 63 }, () => free.take('a', 64, hasGrown, 1_000)));
    expect(rest.map(({ n }) => n)).not.toContain(other?.n);
  });

  it('are one again when the record has lost the others, and are made again', async () => {
    const free = new FreeLatches();
    const [first, second] = await Promise.all([free.take('a', 64, hasGrown, 1_000), free.take('a', 64, hasGrown, 1_000)]);
    second?.isLost();
    second?.release();
    first?.release();
    const next = await free.take('a', 64, isGone, 1_000);
    expect(next.n).toBe(0);
    await expect(free.take('a', 64, isGone, 1)).rejects.toMatchObject({ status: 503 });
    next.release();
  });

  it('of one record have nothing to do with those of another', async () => {
    const free = new FreeLatches();
    const all = await Promise.all(['a', 'b', 'c'].map((key) => free.take(key, 64, isGone, 1_000)));
    expect(all.map(({ n }) => n)).toEqual([0, 0, 0]);
  });
});
