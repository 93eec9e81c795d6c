/** Operators, or a stage of a pipeline. */
type Operators = Readonly<Record<string, unknown>>;

/** An update, as the driver takes it: operators, or a pipeline. */
export type Update = Operators | readonly Operators[];

/** The stored keys that a write of mongoose keeps as the library does. */
export interface MaintainedKeys {
  readonly revision: string;
  readonly createdAt: string | undefined;
}

/** Holds the revision while the stages of a pipeline run. No field has a bracket in its name. */
const held = '[revision]';

/** The operators whose value for the revision is left out: a document that was read has it, and it is never set. */
const settingRevision = ['$set', '$setOnInsert', '$inc'];

/** Whether an update writes to a record that is there: `$setOnInsert` alone does not. */
export function writesToStored(update: Update): boolean {
  return isPipeline(update) || Object.entries(update).some(([operator, values]) => operator !== '$setOnInsert' && !isEmpty(values));
}

/** The update of a record that is there, with one step of its revision. */
export function stepUpdate(update: Update, { revision }: MaintainedKeys): Update {
  if (isPipeline(update)) {
    const last = { [revision]: nextOf(`$${held}`), [held]: '$$REMOVE' };
    return [{ $set: { [held]: `$${revision}` } }, ...update.map(holdRevision), { $set: last }];
  }
  const operators = withoutRevision(update, revision);
  return { ...operators, $inc: { ...(operators.$inc as object), [revision]: 1 } };
}

/** The same update where it makes a record: the revision begins at 0. `createdAt` is `now` if nothing else sets it. */
export function beginUpdate(update: Update, { revision, createdAt }: MaintainedKeys, now: Date): Update {
  if (isPipeline(update)) {
    return [...update, { $set: { [revision]: 0, ...(createdAt !== undefined && { [createdAt]: { $ifNull: [`$${createdAt}`, now] } }) } }];
  }
  const operators = withoutRevision(update, revision);
  return { ...operators, $setOnInsert: { ...(operators.$setOnInsert as object), [revision]: 0 } };
}

/** A replacement of a record that is there, as an update: it steps the revision, and keeps `createdAt`. */
export function stepReplacement(replacement: Operators, { revision, createdAt }: MaintainedKeys): Update {
  const { [revision]: _, ...others } = replacement;
  const given = createdAt !== undefined && createdAt in others ? { $literal: others[createdAt] } : '$$REMOVE';
  const kept = {
    [revision]: nextOf(`$${revision}`),
    ...(createdAt !== undefined && { [createdAt]: { $ifNull: [`$${createdAt}`, given] } }),
  };
  return [{ $replaceWith: { $mergeObjects: [{ _id: '$_id' }, { $literal: others }, kept] } }];
}

export function isPipeline(update: Update): update is readonly Operators[] {
  return Array.isArray(update);
}

/** A record without a revision, or with null, has revision 0. */
function nextOf(path: string): Operators {
  return { $add: [{ $ifNull: [path, 0] }, 1] };
}

function withoutRevision(update: Operators, revision: string): Operators {
  const kept = Object.entries(update).map(([operator, values]) => {
    if (!settingRevision.includes(operator) || typeof values !== 'object' || values === null) return [operator, values] as const;
    const { [revision]: _, ...others } = values as Operators;
    return [operator, others] as const;
  });
  return Object.fromEntries(kept.filter(([, values]) => !isEmpty(values)));
}

function isEmpty(values: unknown): boolean {
  return typeof values === 'object' && values !== null && Object.keys(values).length === 0;
}

/** A stage that would drop what is held keeps it. */
function holdRevision(stage: Operators): Operators {
  const [name] = Object.keys(stage);
  if (name === '$replaceWith') return { $replaceWith: withHeld(stage.$replaceWith) };
  if (name === '$replaceRoot') return { $replaceRoot: { newRoot: withHeld((stage.$replaceRoot as Operators | null)?.newRoot) } };
  if (name === '$project' && isInclusion(stage.$project as Operators)) return { $project: { ...(stage.$project as Operators), [held]: 1 } };
  return stage;
}

/** `$mergeObjects` takes null for an empty object, which would empty the record: it stays an error of the database. */
function withHeld(record: unknown): Operators {
  const merged = { $mergeObjects: ['$$record', { [held]: `$${held}` }] };
  return { $let: { vars: { record }, in: { $cond: [{ $eq: [{ $type: '$$record' }, 'object'] }, merged, '$$record'] } } };
}

/** Whether a `$project` names what stays, and not what goes. The id may be named either way beside others. */
function isInclusion(projection: Operators): boolean {
  const { _id, ...others } = projection;
  return isEmpty(others) ? isKept(_id) : Object.values(others).some(isKept);
}

/** Whether a value of a `$project` keeps or computes something. The database refuses mixtures, so one of them tells. */
function isKept(value: unknown): boolean {
  if (['number', 'bigint', 'boolean'].includes(typeof value)) return Boolean(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
  if ('_bsontype' in value) return Number(String(value)) !== 0;
  return Object.entries(value).some(([name, inner]) => name.startsWith('$') || isKept(inner));
}
