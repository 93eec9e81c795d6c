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
  /** Whether it reads or writes all records that match a filter, and not a single one. */
  readonly isOfMany: boolean;
  readonly readsJson: boolean;
}

/** The standard operations, in the order in which they are told. Their names are those of `ops`. */
export const standardOperations = {
  list: { method: 'GET', path: '/', group: 'read', isOfMany: true, readsJson: false },
  get: { method: 'GET', path: '/:id', group: 'read', isOfMany: false, readsJson: false },
  create: { method: 'POST', path: '/', group: 'write', isOfMany: false, readsJson: true },
  patch: { method: 'PATCH', path: '/:id', group: 'change', isOfMany: false, readsJson: true },
  put: { method: 'PUT', path: '/:id', group: 'change', isOfMany: false, readsJson: true },
  delete: { method: 'DELETE', path: '/:id', group: 'remove', isOfMany: false, readsJson: false },
  restore: { method: 'POST', path: '/:id/restore', group: 'change', isOfMany: false, readsJson: false },
  patchMany: { method: 'PATCH', path: '/', group: 'change', isOfMany: true, readsJson: true },
  deleteMany: { method: 'DELETE', path: '/', group: 'remove', isOfMany: true, readsJson: false },
} as const satisfies Readonly<Record<string, StandardOperation>>;

type Standard = typeof standardOperations;

/** An operation that a resource can serve: an element of `ops`, and a key of `guardsFor` and `after`. */
export type Operation = keyof Standard;

/** The names of the standard operations. */
export const operations = Object.keys(standardOperations) as readonly Operation[];

/** An operation that writes: a key of `before` and `within`. */
export type WriteOperation = { [Op in Operation]: Standard[Op]['group'] extends 'read' ? never : Op }[Operation];

/** A write to every record that matches a filter. */
export type WriteOfMany = WriteOperation & { [Op in Operation]: Standard[Op]['isOfMany'] extends true ? Op : never }[Operation];

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
export function isRead(operation: string): boolean {
  return isStandard(operation) && standardOperations[operation].group === 'read';
}

/** Whether an operation writes every record that matches a filter. */
export function isWriteOfMany(operation: string): operation is WriteOfMany {
  return isWrite(operation) && standardOperations[operation].isOfMany;
}

/** The operations that write one record. */
export const singleWrites = operations.filter((name) => isWrite(name) && !standardOperations[name].isOfMany);
