import type { Api } from '../../api/api.ts';
import { isProblem } from '../../errors.ts';
import { asCompiled, type CompiledModel } from '../../model/compile/compile-model.ts';
import type { Model } from '../../model/define/define-model.ts';
import type { Document, HasFields } from '../../model/define/infer.ts';
import { openCollection } from '../../mongo/collection/collection.ts';
import { Work } from '../../mongo/driver/work.ts';
import { seeing } from '../../mongo/lifecycle/within.ts';
import type { everything } from '../../mongo/predicate/read-scope.ts';
import type { Event } from '../../queues/outbox.ts';
import { readId } from '../../store/open-store.ts';
import type { Store, StoreFilter } from '../../store/store.ts';
import type { DeliveryRows } from './delivery-rows.ts';
import { hearsOf, type Subscription } from './subscription.ts';

/** Reads the record of an event as it is now, a deleted one too. Undefined if it is gone for good. */
export type LoadRecord = <Doc = Readonly<Record<string, unknown>>>() => Promise<Doc | undefined>;

type Found<M extends Model> = StoreFilter<Document<M>> | typeof everything | undefined;

/** Says which subscriptions may hear of an event. It is asked when the event comes, and again before each request. */
export type SubscriptionScope<M extends Model> = (event: Event, load: LoadRecord) => Found<M> | Promise<Found<M>>;

/** The most rows of one command. */
const rowsPerCommand = 500;

/** Compiles what finds the subscriptions that may hear of an event now. Undefined: none may. */
export function compileAudience<M extends Model>(
  api: Api,
  model: M,
  scope: SubscriptionScope<M>,
): (event: Event) => Promise<Store<HasFields> | undefined> {
  const load = compileLoad(api);
  return async function findAudience(event) {
    const found = await scope(event, (() => load(event)) as LoadRecord);
    return found === undefined ? undefined : api.store(model as Model, { scope: found as never });
  };
}

/** Compiles what writes a row for each subscription that hears of an event. */
export function compileFanOut(findAudience: ReturnType<typeof compileAudience>, rows: DeliveryRows): (event: Event) => Promise<void> {
  return async function fanOut(event) {
    const audience = await findAudience(event);
    if (!audience) return;
    const ofModel = event.type.slice(0, event.type.lastIndexOf('.'));
    const types = { in: ['*', `${ofModel}.*`, event.type] };
    const some: string[] = [];
    for await (const subscription of audience.each({ isEnabled: true, types } as never) as AsyncIterable<Subscription>) {
      if (hearsOf(subscription, event)) some.push(String(subscription.id));
      if (some.length === rowsPerCommand) await rows.add(event, some.splice(0));
    }
    if (some.length > 0) await rows.add(event, some);
  };
}

/** The models that an api knows. */
export function modelsOf({ indexing }: Api): CompiledModel[] {
  return [...indexing.models.map(asCompiled), ...indexing.resources.map(({ model }) => model)];
}

/** Compiles what reads the records of the models of an api. */
function compileLoad(api: Api): (event: Event) => Promise<unknown> {
  const { db, maxTimeMS } = api.indexing;
  const byName = new Map(modelsOf(api).map((model) => [model.name, model]));
  return async function load({ model: name, subject }) {
    const model = byName.get(name);
    if (!model) throw new Error(`An event is about ${name}, a model that the api does not know: add it to \`models\` of the api.`);
    const reads = openCollection(model, { db, maxTimeMS });
    try {
      return (
        await reads.findOne(readId(model, subject), seeing(model, 'with', undefined), { fetchPrivate: true, latest: true }, new Work())
      ).document;
    } catch (error) {
      if (isProblem(error) && error.status === 404) return undefined;
      throw error;
    }
  };
}
