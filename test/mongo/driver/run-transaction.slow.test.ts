import { MongoServerError } from 'mongodb';
import { Problem } from '../../../src/errors.ts';
import { defineModel, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { openCollection } from '../../../src/mongo/collection/collection.ts';
import { planRemove, planUpdate } from '../../../src/mongo/collection/write-plan.ts';
import { runTransaction } from '../../../src/mongo/driver/run-transaction.ts';
import { BudgetSpent } from '../../../src/mongo/driver/time-limit.ts';
import type { Transaction } from '../../../src/mongo/driver/transaction.ts';
import { Work } from '../../../src/mongo/driver/work.ts';
import { living } from '../../../src/mongo/lifecycle/within.ts';
import { useCommands } from '../../support/database/commands.ts';
import { useDatabase } from '../../support/database/database.ts';
import { inserting } from '../../support/database/inserting.ts';

const Note = compileModel(
  defineModel('Note', { collection: 'notes', fields: { id: t.string(), text: t.string({ unique: true }), revision: t.revision() } }),
);
const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const store = () => inserting(Note, openCollection(Note, { db: database.db }));
const run = <T>(attempt: (transaction: Transaction) => Promise<T>, work = new Work(), maxTimeMS = 10_000) =>
  runTransaction(database.db, work, maxTimeMS, attempt);
const stored = async () => (await database.db.collection('notes').find().sort({ _id: 1 }).toArray()).map(({ _id }) => String(_id));
const note = (id: string, text = id) => ({ _id: id, text, revision: 0 });
const patch = (text: string) => ({ assignments: [{ path: 'text', value: text }], embedded: [] });
const target = (id: string) => ({ id, within: living(Note, undefined), precondition: undefined });

/** An error of the database that a transaction may be tried again after. */
function conflict(): MongoServerError {
  const error = new MongoServerError({ message: 'WriteConflict', code: 112 });
  error.addErrorLabel('TransientTransactionError');
  return error;
}

beforeEach(async () => {
  await database.db.dropDatabase();
  await database.db.collection('notes').createIndex({ text: 1 }, { unique: true });
});

describe('runTransaction()', () => {
  it('stores everything at once, when its function returns, and gives what that returned', async () => {
    const work = new Work();
    const result = await run(async () => {
      await store().insert(note('a'), work);
      await store().insert(note('b'), work);
      expect(await stored()).toEqual([]);
      return 'done';
    }, work);
    expect([result, await stored()]).toEqual(['done', ['a', 'b']]);
  });

  it('commits with the write concern majority, and reads a snapshot', async () => {
    commands.clear();
    const work = new Work();
    await run(async () => store().insert(note('a'), work), work);
    const [insert, commit] = commands.events;
    expect(commands.names).toEqual(['insert', 'commitTransaction']);
    expect(insert?.command).toMatchObject({ startTransaction: true, autocommit: false, readConcern: { level: 'snapshot' } });
    expect(commit?.command).toMatchObject({ writeConcern: { w: 'majority' } });
  });

  it('stores nothing if its function throws', async () => {
    const work = new Work();
    const failing = run(async () => {
      await store().insert(note('a'), work);
      throw new Error('no');
    }, work);
    await expect(failing).rejects.toThrow('no');
    expect(await stored()).toEqual([]);
  });

  it('sends nothing to the database for a function that does nothing', async () => {
    commands.clear();
    expect(await run(async () => 1)).toBe(1);
    expect(commands.names).toEqual([]);
  });

  it('lets every operation of the store take part: it reads what it has written, and misses what is deleted', async () => {
    const work = new Work();
    await store().insert(note('a'), new Work());
    await run(async () => {
      await store().write(planUpdate(Note, target('a'), patch('changed')), work);
      const read = await store().findOne('a', living(Note, undefined), {}, work);
      expect(read.stored).toMatchObject({ text: 'changed', revision: 1 });
      const [found] = await store().findRelated({ ids: new Map([['"a"', 'a']]), within: living(Note, undefined) }, 'record', work);
      expect(found?.taken.stored.text).toBe('changed');
      await store().write(planRemove(Note, target('a')), work);
      await expect(store().findOne('a', living(Note, undefined), {}, work)).rejects.toMatchObject({ code: 'not_found' });
      expect(await stored()).toEqual(['a']);
    }, work);
    expect(await stored()).toEqual([]);
  });

  it('runs commands that begin at the same time one after the other', async () => {
    const work = new Work();
    await run(() => Promise.all(['a', 'b', 'c', 'd'].map((id) => store().insert(note(id), work))), work);
    expect(await stored()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('says 409 for a duplicate key, and does not try again', async () => {
    await store().insert(note('a'), new Work());
    const work = new Work();
    let attempts = 0;
    const failing = run(async () => {
      attempts++;
      await store().insert(note('b', 'a'), work);
    }, work);
    await expect(failing).rejects.toMatchObject({ code: 'duplicate_key', errors: [{ field: 'text' }] });
    expect([attempts, await stored()]).toEqual([1, ['a']]);
  });

  it('is lost after an error of the database, even if its function catches it', async () => {
    await store().insert(note('a'), new Work());
    const work = new Work();
    const failing = run(async () => {
      await store().insert(note('b'), work);
      await store()
        .insert(note('c', 'a'), work)
        .catch(() => undefined);
      await expect(store().insert(note('d'), work)).rejects.toThrow('transaction is lost');
    }, work);
    await expect(failing).rejects.toMatchObject({ code: 'duplicate_key' });
    expect(await stored()).toEqual(['a']);
  });

  it('is not lost after a 404 or 412, which are no errors of the database', async () => {
    const work = new Work();
    await run(async () => {
      await expect(store().write(planUpdate(Note, target('a'), patch('x')), work)).rejects.toMatchObject({ code: 'not_found' });
      await store().insert(note('b'), work);
    }, work);
    expect(await stored()).toEqual(['b']);
  });

  it('is tried again after a write conflict, and undoes in memory what a lost attempt has changed', async () => {
    await store().insert(note('a'), new Work());
    const work = new Work();
    const undone: number[] = [];
    let attempts = 0;
    await run(async (transaction) => {
      const attempt = ++attempts;
      transaction.onRollback(() => undone.push(attempt));
      await store().findOne('a', living(Note, undefined), {}, work);
      if (attempt < 3) await store().write(planUpdate(Note, target('a'), patch(`outside ${attempt}`)), new Work()); // by nobody's transaction
      await store().write(planUpdate(Note, target('a'), patch('inside')), work);
    }, work);
    expect([attempts, undone]).toEqual([3, [1, 2]]);
    expect((await store().findOne('a', living(Note, undefined), {}, new Work())).stored).toMatchObject({ text: 'inside', revision: 3 });
  });

  it('is tried again for the label of its first error, whatever its function makes of it', async () => {
    const work = new Work();
    let attempts = 0;
    await run(async (transaction) => {
      if (attempts++ > 0) return;
      await transaction.inTurn(() => Promise.reject(conflict())).catch(() => undefined);
      throw new Error('the reason is lost');
    }, work);
    expect(attempts).toBe(2);
  });

  it.each([
    ['write_conflict', 'other writes were faster', 1],
    ['write_timeout', 'it takes too long by itself', 0],
  ])('ends with %s if its time is used up and %s', async (code, _why, lost) => {
    let attempts = 0;
    const work = new Work();
    work.limitTo(1_000);
    const failing = run(
      async (transaction) => {
        if (attempts++ < lost) await transaction.inTurn(() => Promise.reject(new Problem({ code: 'write_conflict', cause: conflict() })));
        else throw new Problem({ code: 'write_timeout', cause: new BudgetSpent() });
      },
      work,
      1_000,
    );
    await expect(failing).rejects.toMatchObject({ code, status: 503, headers: { 'retry-after': '1' } });
    expect(attempts).toBe(lost + 1);
  });

  it('ends with the problem of the last attempt when its time is over', async () => {
    let attempts = 0;
    const failing = run(
      (transaction) => {
        attempts++;
        return transaction.inTurn(() => Promise.reject(new Problem({ code: 'database_unavailable', cause: conflict() })));
      },
      new Work(),
      200,
    );
    await expect(failing).rejects.toMatchObject({ code: 'database_unavailable' });
    expect(attempts).toBeGreaterThan(1);
  });

  it('refuses to be used after its end', async () => {
    const work = new Work();
    const kept = await run(async (transaction) => transaction, work);
    expect(() => kept.requireOpen()).toThrow('transaction has ended');
    await expect(kept.inTurn(async () => 1)).rejects.toThrow('transaction has ended');
    await store().insert(note('a'), work); // outside of it again
    expect(await stored()).toEqual(['a']);
  });

  it('is not committed while something of it still runs', async () => {
    const work = new Work();
    let late: Promise<unknown> = Promise.resolve();
    const failing = run(async () => {
      late = store()
        .insert(note('a'), work)
        .catch(() => undefined);
    }, work);
    await expect(failing).rejects.toThrow('await all of it');
    await late;
    expect(await stored()).toEqual([]);
  });

  it('makes an inner transaction a part of it, which cannot fail alone', async () => {
    const work = new Work();
    const failing = run(async () => {
      await store().insert(note('a'), work);
      await run(async () => Promise.reject(new Error('inner')), work).catch(() => undefined);
    }, work);
    await expect(failing).rejects.toThrow('inner');
    await run(async () => {
      await store().insert(note('b'), work);
      await run(async () => store().insert(note('c'), work), work);
    }, work);
    expect(await stored()).toEqual(['b', 'c']);
  });

  it('ends when its request is given up, or its client goes, and its locks are free again', async () => {
    for (const end of ['giveUp', 'leave'] as const) {
      const work = new Work();
      const failing = run(async () => {
        await store().insert(note('a'), work);
        work[end](new Error(`ended by ${end}`));
        await new Promise(() => undefined);
      }, work);
      await expect(failing).rejects.toThrow(`ended by ${end}`);
      await store().insert(note('a'), new Work());
      await store().write(planRemove(Note, target('a')), new Work());
      expect(work.hasHandedOver).toBe(false); // nothing that it did can have an effect
    }
  });

  it('lets no commit begin after its client has gone', async () => {
    const work = new Work();
    commands.clear();
    const failing = run(async () => {
      await store().insert(note('a'), work);
      work.leave(new Error('gone'));
    }, work);
    await expect(failing).rejects.toThrow('gone');
    expect(commands.names).not.toContain('commitTransaction');
    expect(await stored()).toEqual([]);
  });

  it('gives back the session of every transaction, committed or failed', async () => {
    const { client } = database;
    const [begun, ended] = [jest.spyOn(client, 'startSession'), new Set<unknown>()];
    for (let index = 0; index < 200; index++) {
      const work = new Work();
      const running = run(
        async ({ session }) => {
          session.once('ended', () => ended.add(session));
          if (index % 4 === 0) throw new Error('of the function');
          await store().insert(note(index % 4 === 1 ? 'taken' : String(index)), work);
          if (index % 4 === 2) throw conflict();
        },
        work,
        1,
      );
      await running.catch(() => undefined);
    }
    expect(begun.mock.calls.length).toBeGreaterThanOrEqual(200);
    expect(ended.size).toBe(begun.mock.calls.length);
    begun.mockRestore();
  });

  it('lets fifty writers of one record each succeed', async () => {
    await database.db.collection<{ _id: string; n: number }>('counters').insertOne({ _id: 'c', n: 0 });
    const count = async () => {
      const work = new Work();
      await run(
        async ({ session }) => {
          const counters = database.db.collection<{ _id: string; n: number }>('counters');
          await work.transaction?.inTurn(async () => {
            const found = await counters.findOne({ _id: 'c' }, { session });
            await counters.updateOne({ _id: 'c' }, { $set: { n: (found?.n ?? 0) + 1 } }, { session });
          });
        },
        work,
        60_000,
      );
    };
    const results = await Promise.allSettled(Array.from({ length: 50 }, count));
    const succeeded = results.filter(({ status }) => status === 'fulfilled').length;
    expect(await database.db.collection('counters').findOne()).toMatchObject({ n: succeeded });
    expect(succeeded).toBe(50);
  });
});
