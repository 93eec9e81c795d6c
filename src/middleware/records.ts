import { isProblem } from '../errors.ts';
import { asCompiled, type ModelInput } from '../model/compile/compile-model.ts';
import type { WriteRules } from '../model/write/compile-writes.ts';
import { living } from '../mongo/lifecycle/within.ts';
import { openReferencing, type WriteOptions, writeOptions } from '../mongo/relations/open-referencing.ts';
import { StoredRecord } from '../mongo/stored-record.ts';
import { checkOptions, type LegalOptions, trueOrFalse } from '../options.ts';
import { noteSubjects } from '../store/hearing.ts';
import { compileSaveDocument } from '../store/held-documents.ts';
import type { ResourceMiddleware } from './exchange/context.ts';
import { workOf } from './exchange/exchange.ts';
import { ofChange, ofLedger, ofRead, ofReferences, ofValues } from './exchange/problem-codes.ts';
import { readAddress } from './exchange/read-address.ts';
import { step } from './exchange/step.ts';
import { holdModel } from './exchange/write-result.ts';
import { compileWriter } from './relations/writer.ts';
import { withViews } from './views/asked-rules.ts';
import { setView } from './views/view.ts';

/** Options of {@link records}. */
export interface RecordsOptions extends WriteOptions, Pick<WriteRules, 'explicitWrites'> {}

const legal: LegalOptions<RecordsOptions> = { ...writeOptions, explicitWrites: trueOrFalse };

/**
 * Lets a handler load and save the record of the path. Place it below `scope` and `ifMatch`.
 *
 * `ctx.load()` finds the record of `ctx.params.id` within `ctx.scope`, with its private fields. 404 if there is none,
 * 412 if `If-Match` names another revision. Further calls return the same object.
 *
 * `ctx.save(record)` writes the fields that have changed since, in one command, and only if nothing else has written
 * the record meanwhile (412). The model validates the new values (422, 409); the client's policy does not apply. It
 * updates the object and its parts in place and returns it. Changes made while `save` runs are kept for the next call.
 * Without a change nothing is written.
 *
 * @example
 * router.post(
 *   '/orders/:id/send',
 *   scope(Order, ownRows),
 *   ifMatch(),
 *   records(Order, { db }),
 *   handler(sendOrder),
 *   answer(),
 * );
 */
export function records(model: ModelInput, options: RecordsOptions): ResourceMiddleware {
  checkOptions(options, legal, '`records`');
  const compiled = asCompiled(model);
  const collection = openReferencing(compiled, options);
  const writerOf = compileWriter(compiled, options.explicitWrites);
  const saveDocument = compileSaveDocument(compiled, collection);
  const ofLoad = [...ofRead, 'not_found', 'precondition_failed'] as const;
  const problems = (method: string) =>
    method === 'GET' ? ofLoad : [...ofChange, ...ofValues, ...ofReferences(compiled), ...ofLedger(compiled)]; // a GET writes nothing
  return step({ problems }, async function records(ctx) {
    const loaded = new Map<unknown, StoredRecord>(); // of this request: `save` takes no other record
    let loading: Promise<unknown> | undefined;
    holdModel(ctx, compiled);
    if (!ctx.view) setView(ctx, compiled.needsView ? await withViews(ctx, (see) => see(compiled)) : compiled);
    ctx.load = async () => {
      ctx.exchange?.throwIfGivenUp();
      loading ??= load();
      // Another attempt of the transaction must read again.
      ctx.exchange?.work.transaction?.onRollback(() => {
        loading = undefined;
      });
      return ctx.noted ? loading.then(noteLoaded) : loading;
    };
    ctx.save = save;

    /** The answer of a handler may be a copy or a part of it. */
    function noteLoaded(document: unknown): unknown {
      const record = loaded.get(document);
      if (record) ctx.noted?.add(record);
      return document;
    }

    function keep(document: object, record: StoredRecord): void {
      loaded.set(document, record);
      StoredRecord.hold(document, record);
    }

    async function load(): Promise<unknown> {
      const { id, within } = readAddress(ctx, compiled);
      const { precondition } = ctx;
      const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
      const latest = !isRead || precondition !== undefined;
      const found = await collection.findOne(id, within, { fetchPrivate: true, precondition, latest }, workOf(ctx));
      const document = compiled.hydrate(found.stored) as object;
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
      const work = workOf(ctx);
      const { record, savedFrom } = ctx;
      const writer = writerOf(ctx);
      const saving = { document, before, within: living(compiled, ctx.scope), hold: keep, writer: { ...writer, isToldAll: true } };
      const saved = await saveDocument(saving, work).catch((error: unknown) => {
        if (isProblem(error)) noteSubjects(error, { model: compiled, mayName: writer.mayName }, () => document);
        throw error;
      });
      work.transaction?.onRollback(() => {
        if (record) ctx.record = record;
        else delete ctx.record;
        if (!savedFrom) delete ctx.savedFrom;
      });
      ctx.record = saved;
      ctx.noted?.add(saved);
      ctx.savedFrom ??= before;
      return document;
    }
  });
}
