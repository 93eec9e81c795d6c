import { ChangeFeed } from '../../../src/mongo/live/change-feed.ts';
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
});
