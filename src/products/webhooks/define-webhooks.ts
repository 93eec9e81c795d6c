import { type Letters, openLetters } from '../../delivery/letters.ts';
import { asCompiled } from '../../model/compile/compile-model.ts';
import type { Model } from '../../model/define/define-model.ts';
import type { Fields } from '../../model/define/schema.ts';
import { asDb, type Database } from '../../mongo/driver/database.ts';
import { forgetActorIn } from '../../mongo/ledger/forget-actor.ts';
import { spellId } from '../../mongo/stored-record.ts';
import { checkedLater, checkOptions } from '../../options.ts';
import { readId } from '../../store/open-store.ts';
import { type DeliveryRow, DeliveryRows, lines } from './delivery-rows.ts';
import { deliveriesOf, type OpenWebhooks, type OpenWebhooksOptions, openWebhooks } from './open-webhooks.ts';
import { compileOperations } from './operations.ts';
import { defineSubscriptions, type SubscriptionFields, type SubscriptionOptions } from './subscription.ts';
import { legalTransport, type TransportOptions } from './transport.ts';

/** Options of {@link defineWebhooks}. */
export interface WebhooksOptions<F extends Fields> extends SubscriptionOptions<F>, TransportOptions {}

/** What an api needs for webhooks. */
export interface Webhooks<F extends Fields> {
  /** The model of subscriptions, for a resource of the api. */
  readonly model: Model<SubscriptionFields & F>;
  /**
   * The `operations` of that resource: `secret` makes a new secret and shows it once, and `test` sends a test event to
   * the receiver.
   */
  readonly operations: ReturnType<typeof compileOperations>;
  /**
   * Begins to send events to subscriptions, in a worker process. Hand its `handle` to `api.deliver`. It creates the
   * indexes of its collection, which is called `<collection>_deliveries`. Throws a `ConfigurationError` for an invalid
   * option, and if the package `standardwebhooks` is missing.
   *
   * @example
   * const open = await webhooks.open({ api, scope: () => everything }); // there is one tenant
   * const worker = await api.deliver({ handle: open.handle });
   */
  open(options: OpenWebhooksOptions<Model<SubscriptionFields & F>>): Promise<OpenWebhooks>;
  /**
   * The dead letters: each stops its record for its subscription until it is released or skipped.
   *
   * @example
   * const letters = webhooks.letters(db);
   * for (const { _id, lastError } of await letters.findDead(100)) console.log(_id, lastError);
   * await letters.release();
   */
  letters(db: Database): Letters<DeliveryRow>;
  /**
   * Removes what is kept of the deliveries about records, by their ids: what is not sent yet, and what was. Call it
   * after a purge of the records. What receivers were sent is out of reach.
   *
   * @example
   * await webhooks.erase({ db, model: Order, ids: [order.id] });
   */
  erase(records: ErasedRecords): Promise<void>;
  /**
   * Replaces the name of an actor in what is kept of deliveries, as `api.forgetActor` does it in histories and events.
   * Call it after that. Returns how many it has changed. `as` is the name in its place, by default none (null).
   *
   * @example
   * await webhooks.forgetActor(db, 'ann@example.org', 'a former user');
   */
  forgetActor(db: Database, actor: string, as?: string): Promise<number>;
}

/** The records of which {@link Webhooks.erase} keeps nothing. */
export interface ErasedRecords {
  readonly db: Database;
  readonly model: Model;
  /** Their ids, or the texts of these. */
  readonly ids: readonly unknown[];
}

/**
 * Defines webhooks: a model whose records are subscriptions, the operations of its resource, and how receivers are
 * reached. Throws a `ConfigurationError` for an invalid option.
 *
 * @example
 * export const webhooks = defineWebhooks('Subscription', { collection: 'subscriptions', fields: { tenant } });
 * shop.resource({ model: webhooks.model, operations: webhooks.operations, guards: [isAdmin], scope: ofTenant });
 */
export function defineWebhooks<const F extends Fields = Record<never, never>>(name: string, options: WebhooksOptions<F>): Webhooks<F> {
  checkOptions(options, { collection: checkedLater, fields: checkedLater, history: checkedLater, ...legalTransport }, '`defineWebhooks`');
  const model = defineSubscriptions(name, options, options);
  return {
    model,
    operations: compileOperations(options),
    open: (given) => openWebhooks(model, given, options),
    letters: (db) => openLetters({ db: asDb(db), collection: deliveriesOf(model), ...lines }),
    async erase({ db, model: of, ids }) {
      const compiled = asCompiled(of);
      const subjects = ids.map((id) => spellId(compiled, readId(compiled, id)));
      await new DeliveryRows(asDb(db), deliveriesOf(model)).erase(compiled.name, subjects);
    },
    forgetActor: (db, actor, as) => forgetActorIn(asDb(db), deliveriesOf(model), actor, as ?? null),
  };
}
