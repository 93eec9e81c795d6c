import { defineModel, everything, t } from '../../../src/index.ts';
import { type GuardedRecords, reachOf, renewReach } from '../../../src/middleware/reach/reach.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { filterOf } from '../../../src/mongo/predicate/filter-of.ts';
import type { Predicate } from '../../../src/mongo/predicate/predicate.ts';
import type { Any } from '../../support/any.ts';

const model = compileModel(defineModel('Order', { collection: 'orders', fields: { owner: t.string() } }));

/** What is sent of a row filter. */
const sent = (filter: Predicate | undefined) => filter && filterOf(filter);
const ofAnn = { owner: { $eq: 'ann' } };
let asked: string[] = [];
let answer: () => unknown = () => ({ owner: 'ann' });
let opens: () => unknown = () => true;
const scope = () => {
  asked.push('scope');
  return answer();
};
const guard = (() => {
  asked.push('guard');
  return opens();
}) as () => boolean;
const records = (): GuardedRecords => ({ model, collection: undefined as never, guards: [guard], scope });
const refusal = Object.assign(new Error('no'), { expose: true, status: 401 });
const failing = (error: Error) => () => {
  throw error;
};

function request(): Any {
  return { exchange: { throwIfGivenUp: () => undefined, work: { transaction: undefined } } };
}
/** What a function asks. */
async function askedBy(run: () => Promise<unknown>): Promise<string> {
  asked = [];
  await run();
  return asked.join(' ');
}
function begin(ctx: Any): { isCommitted: boolean } {
  ctx.exchange.work.transaction = { isCommitted: false };
  return ctx.exchange.work.transaction;
}
function end(ctx: Any): void {
  ctx.exchange.work.transaction = undefined;
}

beforeEach(() => {
  asked = [];
  answer = () => ({ owner: 'ann' });
  opens = () => true;
});

describe('the reach of a caller', () => {
  it('asks a scope once for each kind', async () => {
    const reach = reachOf(request());
    const ctx = request();
    expect(await askedBy(async () => [await reach.own(scope), await reach.own(scope)])).toBe('scope');
    expect(await askedBy(async () => [await reach.ofStores(scope, ctx), await reach.ofStores(scope, ctx)])).toBe('scope');
    expect(await askedBy(async () => [await reach.related(records()), await reach.related(records())])).toBe('guard scope');
  });

  it('asks again in each attempt of a transaction, and counts what a committed one has answered', async () => {
    const ctx = request();
    const ask = () => askedBy(() => reachOf(ctx).ofStores(scope, ctx));
    expect(await ask()).toBe('scope');
    begin(ctx);
    expect([await ask(), await ask()]).toEqual(['scope', '']);
    const second = begin(ctx);
    expect([await ask(), await ask()]).toEqual(['scope', '']);
    second.isCommitted = true;
    end(ctx);
    expect(await ask()).toBe('');
    begin(ctx);
    expect(await ask()).toBe('scope');
  });

  it('asks again after a transaction that was given up', async () => {
    const ctx = request();
    const ask = () => askedBy(() => reachOf(ctx).own(scope));
    begin(ctx);
    await ask();
    end(ctx);
    expect(await ask()).toBe('scope');
  });

  it('asks a guard once, also in several attempts of a transaction', async () => {
    const ctx = request();
    const ask = () => askedBy(() => reachOf(ctx).related(records()));
    begin(ctx);
    expect(await ask()).toBe('guard scope');
    end(ctx);
    expect(await ask()).toBe('scope');
    begin(ctx);
    expect(await ask()).toBe('scope');
  });

  it('shows nothing behind a guard that refuses, and does not ask it again', async () => {
    for (const refuse of [() => false, failing(refusal)]) {
      const reach = reachOf(request());
      opens = refuse;
      const seen: unknown[] = [];
      expect(await askedBy(async () => seen.push(await reach.related(records()), await reach.related(records())))).toBe('guard');
      expect(seen).toEqual([undefined, undefined]);
    }
  });

  it('asks a guard again that has failed', async () => {
    const reach = reachOf(request());
    opens = failing(new Error('the database is down'));
    await expect(reach.related(records())).rejects.toThrow('the database is down');
    opens = () => true;
    expect(sent(await reach.related(records()))).toEqual(ofAnn);
  });

  it('has several questions at once wait for the answer of one guard', async () => {
    const reach = reachOf(request());
    let open: (yes: boolean) => void = () => undefined;
    const opened = new Promise<boolean>((resolve) => {
      open = resolve;
    });
    opens = () => opened;
    const both = Promise.all([reach.related(records()), reach.related(records())]);
    open(true);
    expect((await both).map(sent)).toEqual([ofAnn, ofAnn]);
    expect(asked.filter((one) => one === 'guard')).toEqual(['guard']);
  });

  it('takes what the scope of the operation has answered at its place in the chain', async () => {
    const reach = reachOf(request());
    reach.keepOwn(scope, everything);
    expect(await askedBy(async () => expect(await reach.own(scope)).toBe(everything))).toBe('');
  });

  it('is forgotten when the request is authenticated again, and when a stream goes on', async () => {
    const ctx = request();
    const ask = () => askedBy(() => reachOf(ctx).related(records()));
    await ask();
    const { openedGuards } = ctx;
    renewReach(ctx, { openedGuards });
    expect(await ask()).toBe('scope');
    ctx.openedGuards = undefined;
    expect(await ask()).toBe('guard scope');
  });

  it('has what the stores of a request have made only in the same attempt', async () => {
    const ctx = request();
    const attempt = begin(ctx);
    reachOf(ctx).noteMade({ model, stored: { _id: 1 } } as never);
    expect(sent(await reachOf(ctx).made(records()))).toEqual({ _id: { $in: [1] }, ...ofAnn });
    answer = failing(refusal);
    expect(sent(await reachOf(ctx).made(records()))).toEqual({ _id: { $in: [1] } });
    attempt.isCommitted = true;
    end(ctx);
    expect(await reachOf(ctx).made(records())).toBeUndefined();
  });
});
