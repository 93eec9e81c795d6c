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
 * Lets a handler load and save the record of the path. Place it below `scope` and `ifMatch`.
 *
 * `ctx.load()` finds the record of `ctx.params.id` within `ctx.scope`, with its private fields. 404 if there is none, 412 if `If-Match`
 * names another revision. Further calls return the same object.
 *
 * `ctx.save(record)` writes the fields that have changed since, in one command, and only if nothing else has written the record meanwhile
 * (412). The model validates the new values (422, 409); the client's policy does not apply. It updates the object and its parts in place
 * and returns it. Changes made while `save` runs are kept for the next call. Without a change nothing is written.
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
    const loaded = new Map<unknown, StoredRecord>(); // of this model: `save` takes no other record
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
