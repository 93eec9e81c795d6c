import { ChangeFeed } from '../../../src/mongo/changes/change-feed.ts';
import { useDatabase } from '../../support/database/database.ts';
import { until } from '../../support/until.ts';

const database = useDatabase();

describe('ChangeFeed', () => {
  it('tells nothing of a write that was acknowledged before it began', async () => {
    const cards = database.db.collection<{ _id: number }>('cards');
    await cards.insertOne({ _id: 1 });
    const ids: unknown[] = [];
    const leave = await ChangeFeed.of(database.db).listen(new Set(['cards']), (change) => ids.push(change?.id));
    await cards.insertOne({ _id: 2 });
    await until(() => ids.includes(2));
    leave();
    expect(ids).toEqual([2]);
  });

  it('lets others run between the changes of one large write', async () => {
    const cards = database.db.collection<{ _id: number }>('cards');
    let [heard, turns] = [0, 0];
    const count = 200;
    const leave = await ChangeFeed.of(database.db).listen(new Set(['cards']), () => {
      if (heard++ === 0) setImmediate(takeTurn);
      const begun = performance.now();
      while (performance.now() - begun < 1); // what hears of it works for a millisecond
    });
    function takeTurn(): void {
      turns++;
      if (heard < count) setImmediate(takeTurn);
    }
    await cards.insertMany(Array.from({ length: count }, (_, n) => ({ _id: 1_000 + n })));
    await until(() => heard >= count);
    leave();
    expect(turns).toBeGreaterThan(10); // of about 20 pieces of 10 milliseconds
  });
});
