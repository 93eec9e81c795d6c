import { inspect } from 'node:util';
import { Problem, type RequestContext } from '../../../src/index.ts';
import {
  type AnyStore,
  bare,
  bare500,
  cases,
  fieldsOf,
  hiddenIn,
  isSeenBy,
  Parent,
  type Probing,
  type Sight,
  sights,
  storeOf,
  Thing,
  useProbing,
  wayNames,
  writes,
  wrongs,
} from './store-errors.ts';

const probing = useProbing();

describe('what a store in a request refuses', () => {
  it.each(cases)(
    '$write: $wrong of $field has everything for the handler, and nothing hidden for the client',
    async ({ wrong, sight, run, field, values }) => {
      probing.act = (ctx) => run(storeOf(ctx), values);
      for (const caller of ['ann', 'staff']) {
        probing.caught = [];
        probing.server.errors.length = 0;
        const told = await probing.ways['an operation'](caller);
        const [error] = probing.caught as [Problem];
        expect([error.status, fieldsOf(error.errors)]).toEqual([wrong === 'unique' ? 409 : 422, [field]]);
        expect(told.text).not.toMatch(hiddenIn(caller));
        if (isSeenBy(caller, sight))
          expect([told.status, fieldsOf(told.errors), probing.server.errors]).toEqual([error.status, [field], []]);
        else
          expect([
            told.status,
            told.text,
            probing.server.errors.map(({ message }) => message.includes(`${bare(error.errors?.[0]?.field ?? '')}\``)),
          ]).toEqual([500, bare500, [true]]);
      }
    },
  );

  it.each(wayNames)('reaches the client by %s as it may hear it', async (way) => {
    const send = probing.ways[way];
    for (const caller of ['ann', 'staff']) {
      probing.caught = [];
      probing.act = (ctx) => storeOf(ctx).create({ openText: 'too long', zruledText: 'too long', zhushText: 'too long' });
      const some = await send(caller);
      expect(fieldsOf((probing.caught[0] as Problem).errors)).toEqual(['openText', 'zruledText', 'zhushText']);
      expect([some.status, fieldsOf(some.errors)]).toEqual([422, caller === 'staff' ? ['openText', 'zruledText'] : ['openText']]);
      expect(some.text).not.toMatch(hiddenIn(caller));
      expect(some.text).toContain(caller === 'staff' ? '2 fields' : 'One field');
      probing.act = (ctx) => storeOf(ctx).create({ zhushText: 'too long' });
      const nothing = await send(caller);
      expect([nothing.status, nothing.text.match(/z\w+/)]).toEqual([500, null]);
    }
  });

  it('is a 500 in a hook of `after`, whatever it names', async () => {
    probing.act = (ctx) => storeOf(ctx).create({ openText: 'too long', zhushText: 'too long' });
    const { status, text } = await probing.server.request('GET', '/api/hooked');
    expect([status, text]).toEqual([500, bare500]);
  });
});

/** What has no document: reads, and what is tested below. */
const withoutValues = ['count', 'each', 'find', 'get', 'history', 'purge', 'remove', 'removeMany', 'restore', 'step'];

it('every operation of a store with values is in the table above', async () => {
  const names = Object.keys(writes).map((name) => name.replace(/All$|Each$/, 'Many'));
  expect(Object.keys(probing.api.store(Parent)).sort()).toEqual([...new Set([...names, ...withoutValues])].sort());
});

describe('`ctx.save`', () => {
  const saved = Object.entries(wrongs).filter(([wrong, { only }]) => (!only || only.includes('save')) && wrong !== 'scope');
  it.each(
    saved.flatMap(([wrong, { field, values }]) =>
      (Object.keys(sights) as Sight[]).map((sight) => ({ wrong, sight, field: field(sight), values: values(sight) })),
    ),
  )('tells a handler of $wrong of $field, and the client what it sees', async ({ sight, field, values }) => {
    probing.act = async (ctx) => {
      const { load, save } = ctx as never as { load(): Promise<object>; save(record: object): Promise<object> };
      return save(Object.assign(await load(), values));
    };
    for (const caller of ['ann', 'staff']) {
      probing.caught = [];
      const { status, text, body } = await probing.server.request('POST', '/api/things/one/probe', {
        body: {},
        headers: { authorization: caller },
      });
      const [error] = probing.caught as [Problem];
      expect(fieldsOf(error.errors)).toEqual([field]);
      if (isSeenBy(caller, sight)) expect([status, fieldsOf(body.errors)]).toEqual([error.status, [field]]);
      else expect([status, text]).toEqual([500, bare500]);
    }
  });
});

describe('further words of an error', () => {
  it('are those of the caller: what an object lacks, what a name may mean, who refers to a record', async () => {
    const told = async (caller: string, run: Probing['act']) => {
      probing.caught = [];
      probing.act = run;
      const answer = await probing.server.request('POST', '/api/things/probe', { body: {}, headers: { authorization: caller } });
      return { answer, text: inspect(probing.caught[0], { depth: 5 }) };
    };
    const lacking = (ctx: RequestContext<unknown>) => storeOf(ctx).update('one', { half: {} });
    const [everything, some] = [await told('staff', lacking), await told('ann', lacking)];
    expect(some.text).toMatch(/send also name, zruled, zhush/);
    expect(everything.answer.body.errors[0]).toMatchObject({
      params: { missing: ['name', 'zruled'] },
      message: 'does not exist yet; to create it, send also name, zruled',
    });
    expect(some.answer.body.errors[0]).toMatchObject({
      params: { missing: ['name'] },
      message: 'does not exist yet; to create it, send also name',
    });

    const misspelt = (ctx: RequestContext<unknown>) => storeOf(ctx).create({ zruledTxt: 'x', titel: 'x' });
    expect((await told('staff', misspelt)).answer.text).toContain('did you mean `zruledText`?');
    const unsure = await told('ann', misspelt);
    expect([unsure.answer.status, unsure.answer.text.includes('`title`'), unsure.answer.text.includes('zruledText')]).toEqual([
      422,
      true,
      false,
    ]);

    const restrict = (field: string) =>
      probing.db.collection<{ _id: string }>('things').updateOne({ _id: 'taken' }, { $set: { [field]: 'one' } });
    for (const sight of Object.keys(sights)) await restrict(`${sight}Thing`);
    const removing = (ctx: RequestContext<unknown>) => storeOf(ctx).remove('one');
    const [referred, byRule] = [await told('ann', removing), await told('staff', removing)];
    expect(referred.text).toMatch(/openThing.*zruledThing.*zhushThing/);
    expect([referred.answer.status, referred.answer.body.detail]).toEqual([409, expect.not.stringMatching(/zruled|zhush/)]);
    expect(referred.answer.body.detail).toContain('openThing');
    expect(byRule.answer.body.detail).toMatch(/openThing.*zruledThing/);
    expect(byRule.answer.text).not.toContain('zhush');
  });

  it('of a step name its counter and its bound to whoever reads it', async () => {
    for (const [sight, caller, status] of [
      ['open', 'ann', 422],
      ['zruled', 'ann', 500],
      ['zruled', 'staff', 422],
      ['zhush', 'staff', 500],
    ] as const) {
      probing.act = (ctx) => storeOf(ctx).step('one', `${sight}Stock`, -5);
      probing.caught = [];
      const answer = await probing.server.request('POST', '/api/things/probe', { body: {}, headers: { authorization: caller } });
      expect([answer.status, fieldsOf((probing.caught[0] as Problem).errors)]).toEqual([status, [`${sight}Stock`]]);
      if (status === 500) expect(answer.text).toBe(bare500);
    }
  });
});

describe('what a handler makes of an error', () => {
  const ask = (run: Probing['act'], caller = 'ann') => {
    probing.act = run;
    return probing.server.request('POST', '/api/things/probe', { body: {}, headers: { authorization: caller } });
  };
  const failing = async (ctx: RequestContext<unknown>) =>
    storeOf(ctx)
      .create({ openText: 'too long', zruledText: 'too long' })
      .catch((error: Problem) => error) as Promise<Problem>;

  it('loses what is hidden also within a problem of its own, whose own words stay', async () => {
    const { status, body } = await ask(async (ctx) => {
      const { errors = [] } = await failing(ctx);
      throw new Problem({ status: 400, code: 'import_failed', detail: 'zown', errors: [...errors, { field: 'zown', message: 'is mine' }] });
    });
    expect([status, body.code, body.detail, fieldsOf(body.errors)]).toEqual([400, 'import_failed', 'zown', ['openText', 'zown']]);
    const hidden = await ask(async (ctx) => {
      const { errors = [] } = await failing(ctx);
      throw new Problem({ status: 400, code: 'import_failed', errors: errors.slice(1) });
    });
    expect([hidden.status, hidden.body.code, hidden.body.errors]).toEqual([400, 'import_failed', undefined]);
  });

  it('is the document as the caller may hear it where it returns the problems of many', async () => {
    const run: typeof probing.act = async (ctx) =>
      storeOf(ctx).createMany([{ openText: 'too long', zruledText: 'too long' }, { zhushText: 'too long' }]);
    const { status, body, text } = await ask(run);
    expect([status, fieldsOf(body.data[0].error.errors), body.data[1].error]).toEqual([200, ['openText'], JSON.parse(bare500)]);
    expect(text).not.toMatch(/zruled|zhush/);
    expect(fieldsOf((await ask(run, 'staff')).body.data[0].error.errors)).toEqual(['openText', 'zruledText']);
  });

  it('is told in the view of the caller from a store of the application, too, which throws as it does elsewhere', async () => {
    const own = probing.api.store(Thing as never) as unknown as AnyStore;
    await expect(own.create({ zruledText: 'too long' })).rejects.toMatchObject({ status: 422, errors: [{ field: 'zruledText' }] });
    await expect(own.create({ openText: 'too long', zhushText: 'too long' })).rejects.toThrow('`zhushText`');
    const { status, text } = await ask(() => own.create({ zruledText: 'too long' }));
    expect([status, text]).toEqual([500, bare500]);
    expect((await ask(() => own.create({ openText: 'too long', zruledText: 'too long' }))).body.errors).toMatchObject([
      { field: 'openText' },
    ]);
  });

  it('has no notes that a test would see', async () => {
    let found: unknown;
    await ask(async (ctx) => {
      found = (await failing(ctx)).errors;
    });
    const limit = { message: 'must have at most 3 characters', rule: 'maxLength', params: { limit: 3 } };
    expect(found).toStrictEqual([
      { field: 'openText', ...limit },
      { field: 'zruledText', ...limit },
    ]);
  });
});
