/** What one operation does in `serveEveryOperation`. */
export interface Expected {
  /** The hooks that run, in order: a phase, and the operation whose hook it is where that is another one. */
  readonly hooks: string;
  /** The commands that go to the database, without the hooks of a test. */
  readonly commands: string;
  /**
   * Commands that an `Idempotency-Key` adds beside its own: what the answer shows is looked for, where a store has
   * changed it.
   */
  readonly keyed?: string;
  /** Commands beside these where no transaction is around it. */
  readonly alone?: string;
  /** The status for a caller who sees no record. */
  readonly unseen: number;
  /**
   * The status for a caller who sees the records of this resource, and none that they refer to or that refer to them.
   */
  readonly apart: number;
}

/**
 * The rules, operation by operation. A new one needs a row. Custom operations are in no group of `guardsFor`; `before`
 * is a key of standard operations; the hooks of a link are those of `patch`, with which it cannot have `before`; those
 * of a nested operation are those of the other resource.
 */
export const expected: Readonly<Record<string, Expected>> = {
  'labels.list': { hooks: 'after', commands: 'find', unseen: 200, apart: 200 },
  'labels.get': { hooks: 'after', commands: 'find', unseen: 404, apart: 200 },
  'labels.create': { hooks: 'before, within, after', commands: 'insert insert commitTransaction', unseen: 422, apart: 201 },
  'labels.patch': { hooks: 'before, within, after', commands: 'find findAndModify insert commitTransaction', unseen: 404, apart: 200 },
  'labels.put': { hooks: 'before, within, after', commands: 'find findAndModify insert commitTransaction', unseen: 422, apart: 200 },
  'labels.delete': {
    hooks: 'before, within tasks.delete, within tasks.delete, within, after, after tasks.delete, after tasks.delete',
    commands: 'findAndModify find delete update insert commitTransaction',
    unseen: 404,
    apart: 204,
  },
  'labels.patchMany': {
    hooks: 'before, within, within, after',
    commands: 'find find update find insert insert commitTransaction',
    unseen: 200,
    apart: 200,
  },
  'labels.deleteMany': {
    hooks: 'before, within tasks.delete, within tasks.delete, within, within, after, after tasks.delete, after tasks.delete',
    commands: 'find find update find delete update insert insert commitTransaction',
    unseen: 200,
    apart: 200,
  },
  'labels.restore': {
    hooks: 'before, within, after',
    commands: 'find find find findAndModify insert commitTransaction',
    unseen: 404,
    apart: 200,
  },
  'labels.tasks.list': { hooks: 'after tasks.list', commands: 'find find find find', unseen: 404, apart: 200 },
  'labels.tasks.create': {
    hooks: 'before tasks.create, within tasks.create, after tasks.create',
    commands: 'find update update insert commitTransaction',
    unseen: 404,
    apart: 422,
  },
  'tasks.list': { hooks: 'after', commands: 'find find find', unseen: 200, apart: 200 },
  'tasks.get': { hooks: 'after', commands: 'find find find', unseen: 404, apart: 200 },
  'tasks.create': { hooks: 'before, within, after', commands: 'update update update insert commitTransaction', unseen: 422, apart: 422 },
  'tasks.patch': { hooks: 'within, after', commands: 'update update findAndModify commitTransaction', unseen: 404, apart: 422 },
  'tasks.put': { hooks: 'before, within, after', commands: 'update update findAndModify commitTransaction', unseen: 422, apart: 422 },
  'tasks.delete': { hooks: 'before, within, after', commands: 'findAndModify', unseen: 404, apart: 204 },
  'tasks.patchMany': {
    hooks: 'before, within, within, after',
    commands: 'update update find update commitTransaction',
    unseen: 200,
    apart: 422,
  },
  'tasks.deleteMany': { hooks: 'before, within, within, after', commands: 'find update commitTransaction', unseen: 200, apart: 200 },
  'tasks.restore': {
    hooks: 'before, within, after',
    commands: 'find update update update findAndModify commitTransaction',
    unseen: 404,
    apart: 200,
  },
  'tasks.move': { hooks: 'within, after', commands: 'find update update insert findAndModify commitTransaction', unseen: 404, apart: 422 },
  'tasks.refuse': { hooks: '', commands: 'find insert abortTransaction', unseen: 404, apart: 422 },
  'tasks.uses': { hooks: 'before, within, after', commands: 'findAndModify', unseen: 404, apart: 200 },
  'tasks.rename': { hooks: 'within, after', commands: 'find findAndModify', unseen: 404, apart: 200 },
  'tasks.store-get': { hooks: 'after', commands: 'find', unseen: 404, apart: 200 },
  'tasks.store-find': { hooks: 'after', commands: 'find', unseen: 200, apart: 200 },
  'tasks.store-each': { hooks: 'after', commands: 'find', unseen: 200, apart: 200 },
  'tasks.store-count': { hooks: 'after', commands: 'aggregate', unseen: 200, apart: 200 },
  'tasks.store-history': { hooks: 'after', commands: '', unseen: 200, apart: 200 },
  'tasks.store-create': { hooks: 'within, after', commands: 'update update update insert commitTransaction', unseen: 422, apart: 422 },
  'tasks.store-createMany': { hooks: 'within, after', commands: 'update update insert commitTransaction', unseen: 422, apart: 422 },
  'tasks.store-update': {
    hooks: 'within, after',
    commands: 'update update findAndModify commitTransaction',
    keyed: 'find',
    unseen: 404,
    apart: 422,
  },
  'tasks.store-upsert': {
    hooks: 'within, after',
    commands: 'update update update findAndModify commitTransaction',
    keyed: 'find',
    unseen: 422,
    apart: 422,
  },
  'tasks.store-step': { hooks: 'within, after', commands: 'findAndModify', keyed: 'find', unseen: 404, apart: 200 },
  'tasks.store-updateMany': { hooks: 'within, after', commands: 'find update commitTransaction', unseen: 200, apart: 200 },
  'tasks.store-save': { hooks: 'within, after', commands: 'find findAndModify', keyed: 'find', unseen: 404, apart: 200 },
  'tasks.store-remove': { hooks: 'within, after', commands: 'findAndModify', keyed: 'find', unseen: 404, apart: 200 },
  'tasks.store-removeMany': { hooks: 'within, after', commands: 'find update commitTransaction', unseen: 200, apart: 200 },
  'tasks.store-restore': {
    hooks: 'within, after',
    commands: 'find update update update findAndModify commitTransaction',
    unseen: 404,
    apart: 200,
  },
  'tasks.store-purge': {
    hooks: 'within, after',
    commands: 'find find update delete update commitTransaction',
    alone: 'commitTransaction', // what is kept of it goes before it does
    unseen: 200,
    apart: 200,
  },
  'tasks.tags.add': {
    hooks: 'within tasks.patch, after tasks.patch',
    commands: 'find update update findAndModify commitTransaction',
    unseen: 404,
    apart: 404,
  },
  'tasks.tags.remove': { hooks: 'within tasks.patch, after tasks.patch', commands: 'findAndModify', unseen: 404, apart: 204 },
  'tags.get': { hooks: 'after', commands: 'find', unseen: 404, apart: 200 },
  'tags.delete': {
    hooks: 'before, within tasks.patch, within, after, after tasks.patch',
    commands: 'findAndModify find delete update commitTransaction',
    unseen: 404,
    apart: 204,
  },
  'plain.list': { hooks: 'after', commands: 'find', unseen: 200, apart: 200 },
  'plain.get': { hooks: 'after', commands: 'find', unseen: 404, apart: 200 },
  'plain.create': { hooks: 'before, within, after', commands: 'insert', unseen: 422, apart: 201 },
  'plain.patch': { hooks: 'before, within, after', commands: 'findAndModify', unseen: 404, apart: 200 },
  'plain.put': { hooks: 'before, within, after', commands: 'findAndModify', unseen: 422, apart: 200 },
  'plain.uses': { hooks: 'before, within, after', commands: 'findAndModify', unseen: 404, apart: 200 },
  'plain.delete': { hooks: 'before, within, after', commands: 'findAndModify', unseen: 404, apart: 204 },
  'plain.patchMany': { hooks: 'before, within, after', commands: 'find update commitTransaction', unseen: 200, apart: 200 },
  'plain.deleteMany': { hooks: 'before, within, after', commands: 'find delete commitTransaction', unseen: 200, apart: 200 },
};
