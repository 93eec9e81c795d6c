import { asCompiled, type ModelInput } from '../model/compile/compile-model.ts';
import { copyValue } from '../model/value/copy-value.ts';
import { bringUpToDate } from '../model/write/bring-up-to-date.ts';
import { compilePlanSave } from '../model/write/plan-save.ts';
import { saveRecord } from '../mongo/save-record.ts';
import { openStore, type StoreOptions, storeOptions } from '../mongo/store.ts';
import type { StoredRecord } from '../mongo/stored-record.ts';
import { checkOptions } from '../options.ts';
import { canAnswer, ofChange, ofRead, ofValues } from './parts/can-answer.ts';
import type { ResourceMiddleware } from './parts/context.ts';
import { workOf } from './parts/exchange.ts';
import { readAddress } from './parts/read-address.ts';

/**
 * Gives a handler the record that it is about. It stands after `scope` and `ifMatch`.
 *
 * `ctx.load()` finds the record of `ctx.params.id` within `ctx.scope`, private fields included: 404, and 412 where `If-Match` names another
 * revision. Asked again, it gives the same object. `ctx.save(record)` writes what has changed in it since: minimal, in one command, only if
 * nobody else has written meanwhile (412), validated by the model without the client's policy (422, 409). It brings the object up to date
 * in place, its parts too, and returns it; what was changed in it meanwhile stays for the next save. Without a change nothing is written.
 *
 * @example
 * router.post('/orders/:id/send', scope(Order, ownRows), ifMatch(), records(Order, { db }), handler(sendOrder), answer());
 */
export function records(model: ModelInput, options: StoreOptions): ResourceMiddleware {
  checkOptions(options, storeOptions, '`records`');
  const compiled = asCompiled(model);
  const store = openStore(compiled, options);
  const planSave = compilePlanSave(compiled);
  const ofLoad = [...ofRead, 'not_found', 'precondition_failed'] as const;
  const problems = (method: string) => (method === 'GET' ? ofLoad : [...ofChange, ...ofValues]); // a GET writes nothing
  return canAnswer(problems, async function records(ctx, next) {
    const loaded = new Map<unknown, StoredRecord>(); // `save` takes no record of another model
    let loading: Promise<unknown> | undefined;
    ctx.loaded ??= new Map();
    const all = ctx.loaded;
    ctx.load = async () => {
      ctx.exchange?.throwIfGivenUp();
      loading ??= load();
      return loading;
    };
    ctx.save = save;
    await next();

    function keep(document: unknown, record: StoredRecord): void {
      loaded.set(document, record);
      all.set(document, record);
    }

    async function load(): Promise<unknown> {
      const { id, scope } = readAddress(ctx, compiled);
      const { precondition } = ctx;
      const found = await store.findOne(id, scope, { fetchPrivate: true, precondition }, workOf(ctx));
      const document = compiled.hydrate(found.stored);
      keep(document, found);
      return document;
    }

    async function save(document: object): Promise<unknown> {
      ctx.exchange?.throwIfGivenUp();
      const before = loaded.get(document);
      if (!before)
        throw new Error(
          '`ctx.save()` takes the record that `ctx.load()` gave to this request, and no other object: not a copy of it either.',
        );
      const plan = planSave(document, before.stored);
      const sent = copyValue(document);
      const saved = await saveRecord(store, compiled, { scope: ctx.scope, loaded: before, plan }, workOf(ctx));
      bringUpToDate(document, sent, compiled.hydrate(saved.stored));
      keep(document, saved);
      ctx.record = saved;
      return document;
    }
  });
}
