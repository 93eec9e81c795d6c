import type { Endpoint } from './endpoints.ts';

/** Each group of operations, with the groups that contain it: wider ones first, because their functions run first. */
export const groupsAround = {
  read: ['read'],
  write: ['write'],
  change: ['write', 'change'],
  remove: ['write', 'remove'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** A group of operations: a key of `guardsFor`, `before`, `within` and `after` that means all of them. */
export type OperationGroup = keyof typeof groupsAround;

interface StandardOperation extends Endpoint {
  /** The narrowest group that it belongs to. */
  readonly group: OperationGroup;
  /** Whether a resource serves it that says nothing of `ops`. */
  readonly isDefault?: true;
  /** Whether it reads or writes all records that match a filter, and not a single one. */
  readonly isOfMany?: true;
  readonly readsJson?: true;
  /** Whether it makes a record: it needs a value for every field, and there is no record that a scope could bound. */
  readonly makesRecord?: true;
  /** Whether a record that was deleted must still be there: the model needs `t.deletedAt()`. */
  readonly needsDeletedAt?: true;
  /** Whether it only adds something: nothing that is there is changed or lost. */
  readonly isAdditive?: true;
  /** Whether a write changes nothing more if it is sent twice (RFC 9110 §9.2.2). */
  readonly isIdempotent?: true;
}

const standard = {
  list: { method: 'GET', path: '/', group: 'read', isDefault: true, isOfMany: true },
  get: { method: 'GET', path: '/:id', group: 'read', isDefault: true },
  create: { method: 'POST', path: '/', group: 'write', isDefault: true, readsJson: true, makesRecord: true, isAdditive: true },
  patch: { method: 'PATCH', path: '/:id', group: 'change', isDefault: true, readsJson: true },
  put: { method: 'PUT', path: '/:id', group: 'change', readsJson: true, isIdempotent: true },
  delete: { method: 'DELETE', path: '/:id', group: 'remove', isDefault: true, isIdempotent: true },
  restore: { method: 'POST', path: '/:id/restore', group: 'change', needsDeletedAt: true, isAdditive: true, isIdempotent: true },
  patchMany: { method: 'PATCH', path: '/', group: 'change', isOfMany: true, readsJson: true },
  deleteMany: { method: 'DELETE', path: '/', group: 'remove', isOfMany: true },
} as const satisfies Readonly<Record<string, StandardOperation>>;

type Standard = typeof standard;

/** The standard operations, in the order in which they are told. Their names are those of `ops`. */
export const standardOperations: Readonly<Record<Operation, StandardOperation>> = standard;

/** An operation that a resource can serve: an element of `ops`, and a key of `guardsFor` and `after`. */
export type Operation = keyof Standard;

/** The names of the standard operations. */
export const operations = Object.keys(standardOperations) as readonly Operation[];

/** The operations of a resource that says nothing of `ops`. */
export type DefaultOperation = { [Op in Operation]: Standard[Op] extends { readonly isDefault: true } ? Op : never }[Operation];

/** The names of {@link DefaultOperation}. */
export const defaultOperations = operations.filter((name) => standardOperations[name].isDefault);

/** An operation that reads. */
export type ReadOperation = { [Op in Operation]: Standard[Op]['group'] extends 'read' ? Op : never }[Operation];

/** An operation that writes: a key of `before` and `within`. */
export type WriteOperation = Exclude<Operation, ReadOperation>;

/** A write to every record that matches a filter. */
export type WriteOfMany = WriteOperation & { [Op in Operation]: Standard[Op] extends { readonly isOfMany: true } ? Op : never }[Operation];

/** The narrowest group of a standard operation. */
export type OwnGroupOf<Op extends Operation> = Standard[Op]['group'];

/** Whether a name is that of a standard operation. */
export function isStandard(name: string): name is Operation {
  return Object.hasOwn(standardOperations, name);
}

/** Whether an operation is a standard one that writes. */
export function isWrite(operation: string): operation is WriteOperation {
  return isStandard(operation) && standardOperations[operation].group !== 'read';
}

/** Whether an operation is a standard one that reads. */
export function isRead(operation: string): operation is ReadOperation {
  return isStandard(operation) && standardOperations[operation].group === 'read';
}

/** Whether an operation writes every record that matches a filter. */
export function isWriteOfMany(operation: string): operation is WriteOfMany {
  return isWrite(operation) && standardOperations[operation].isOfMany === true;
}

/** The operations that write one record. */
export const singleWrites = operations.filter((name) => isWrite(name) && !standardOperations[name].isOfMany);

/** Whether an operation answers with a list. */
export function isList(operation: Operation): boolean {
  return isRead(operation) && standardOperations[operation].isOfMany === true;
}

/** Whether one of these operations answers with the record of an id. */
export function showsRecords(ops: readonly Operation[]): boolean {
  return ops.some((name) => isRead(name) && !isList(name));
}

/** Whether an operation writes what its body says into records that are there. */
export function mergesBody(operation: Operation): boolean {
  const { group, readsJson } = standardOperations[operation];
  return group === 'change' && readsJson === true;
}

/** Whether an operation makes records. */
export function makesRecord(operation: Operation): boolean {
  return standardOperations[operation].makesRecord === true;
}
