import { markOf } from '../../marks.ts';
import { defineModel, type Model } from '../../model/define/define-model.ts';
import type { Document } from '../../model/define/infer.ts';
import type { Allowed } from '../../model/define/policy.ts';
import { t } from '../../model/define/t.ts';
import { isObject } from '../../model/value/plain-object.ts';
import { aString, checkOptions, type LegalOptions } from '../../options.ts';

const byServer = { insert: false, update: false } as const;
const filtered = { ...byServer, filter: ['eq', 'in'] } as const;

/** What tells of records and references that the reader of a removal may not see. */
const hidden = ['removed', 'changed', 'reason'] as const;

/** Who reads what tells of other records. */
export type RemovalReaders = { readonly [Field in (typeof hidden)[number]]?: Allowed };

/** The fields of every removal. */
function fieldsFor({ removed = false, changed = false, reason = false }: RemovalReaders) {
  return {
    kind: t.enum(['remove', 'purge'], { policy: filtered, description: 'Whether the records can be restored, or are gone for good.' }),
    model: t.string({ policy: filtered, description: 'The name of the model of the record that was addressed.' }),
    record: t.nullable(t.string({ policy: byServer }), {
      policy: filtered,
      description: 'The id of that record, as it stands in a path. Null if the record was purged later, by another removal.',
    }),
    status: t.enum(['running', 'done', 'stopped'], {
      policy: filtered,
      description: '`stopped` if what is left is still referred to by records that nothing removes.',
    }),
    actor: t.nullable(t.string({ policy: byServer }), { policy: filtered, description: 'Who has begun it.' }),
    removed: t.int({ policy: { ...byServer, read: removed }, description: 'How many records it has removed so far, with the first.' }),
    changed: t.int({ policy: { ...byServer, read: changed }, description: 'How many records have lost a reference so far.' }),
    startedAt: t.date({ policy: { ...filtered, sort: true } }),
    endedAt: t.optional(t.date({ policy: byServer })),
    reason: t.optional(t.string({ policy: { ...byServer, read: reason }, description: 'Why it has stopped.' })),
  };
}

/** The fields of a {@link Removal}. */
export type RemovalFields = ReturnType<typeof fieldsFor>;

/** How far a delete in the background has come. */
export type Removal = Document<Model<RemovalFields>>;

/** Options of {@link defineRemovals}. */
export interface RemovalsOptions {
  /**
   * The collection of the removals. What is left to do for them is in `<collection>_steps`.
   *
   * @default 'removals'
   */
  readonly collection?: string;

  /**
   * Which clients read how many records were removed and changed, and the references that stand in the way: these tell
   * of records and fields that a client may not see. `true` is for all, the name of a rule for those for whom it holds.
   *
   * @default none
   *
   * @example
   * const { defineRemovals } = await import('koa-mongo-resource/removals');
   * const Removal = defineRemovals({ read: { removed: true, reason: 'staff' } })
   */
  readonly read?: RemovalReaders;
}

const legal: LegalOptions<RemovalsOptions> = {
  collection: aString,
  read: [
    (value) => isObject(value) && Object.keys(value).every((name) => (hidden as readonly string[]).includes(name)),
    `an object of ${hidden.map((name) => `\`${name}\``).join(', ')}`,
  ],
};

/** What it marks has the model of the steps. */
const mark = markOf('removals');

/**
 * Defines the model of removals: the deletes that workers carry out in the background, and how far each has come. Give
 * it to `removals` of an api; a resource of the model shows clients the progress. Throws a `ConfigurationError` for an
 * invalid option.
 *
 * @example
 * const { defineRemovals } = await import('koa-mongo-resource/removals');
 * const Removal = defineRemovals();
 * const removals = shop.resource({ model: Removal, ops: ['get'], guards: [isAdmin] });
 * const api = shop.api({ db, resources: [orders, removals], removals: Removal });
 */
export function defineRemovals(options: RemovalsOptions = {}): Model<RemovalFields> {
  checkOptions(options, legal, '`defineRemovals`');
  const { collection = 'removals', read = {} } = options;
  const indexes = [
    { key: { state: 1, dueAt: 1, _id: 1 }, partialFilterExpression: { deliveredAt: null } },
    { key: { expiresAt: 1 }, expireAfterSeconds: 0 },
    { key: { record: 1 } }, // for purges
  ] as const;
  const model = defineModel('Removal', { collection, fields: fieldsFor(read), indexes });
  const steps = defineModel('RemovalStep', {
    collection: `${collection}_steps`,
    fields: { id: t.objectId() },
    indexes: [{ key: { removal: 1, pass: 1, _id: -1 } }],
  });
  return Object.defineProperty(model as object, mark, { value: steps }) as Model<RemovalFields>;
}
