/** What a delete of the record that is referred to does, or nothing: the reference is checked only. */
export type Action = 'cascade' | 'restrict' | 'nullify' | 'pull' | 'none';
/** Where a reference stands, and what stands for none. */
export type Shape = 'required' | 'nullable' | 'storeNone' | 'optional' | 'list' | 'lines';
/** What clients may do with a reference. */
export type Rights = 'open' | 'insertOnly' | 'immutable' | 'writeOnly' | 'private';

/** A reference of a random model to another one, by their places. */
export interface EdgeSpec {
  readonly from: number;
  readonly to: number;
  readonly action: Action;
  readonly shape: Shape;
  readonly rights: Rights;
}

/** Random models with references. */
export interface Graph {
  /** For each model, whether its records are kept when they are deleted. */
  readonly soft: readonly boolean[];
  /** For each model, whether each change of its records leaves an entry and an event. */
  readonly kept: readonly boolean[];
  readonly edges: readonly EdgeSpec[];
  readonly maxCascade: number;
  readonly maxCleared: number;
  /** The most ids of a filter through a relation: one id, or any number. */
  readonly maxIdsThrough: number;
}

/** Who asks: a client that sees its own records only, or the application. */
export type Asker = 'ann' | 'bob' | 'store';

export type Kind =
  | 'create'
  | 'nested'
  | 'patch'
  | 'put'
  | 'link'
  | 'unlink'
  | 'remove'
  | 'restore'
  | 'patchMany'
  | 'removeMany'
  | 'createMany'
  | 'createAll'
  | 'purge';

/** One write. What a kind does not need is ignored. */
export interface Write {
  readonly kind: Kind;
  readonly asker: Asker;
  readonly model: number;
  readonly id: string;
  /** The other record of a link. */
  readonly other: string;
  readonly owner: string;
  readonly note: string;
  /** The reference that a patch, a link or a nested create is about. Undefined for a patch of the note. */
  readonly edge: number | undefined;
  /** The ids for each reference, as its shape takes them. */
  readonly ids: readonly (readonly (string | null)[])[];
  /** The revision of `If-Match`. */
  readonly ifMatch: number | undefined;
  /** The documents of a create of several. */
  readonly documents: readonly { readonly id: string; readonly ids: readonly (readonly (string | null)[])[] }[];
}

/**
 * What a client does with a request: it may leave before the answer, and send the request again with the same
 * `Idempotency-Key`.
 */
export type Sending = 'once' | 'again' | 'leave' | 'leave and again';

/** A request: one write, or a batch of several. */
export interface Step {
  readonly writes: readonly [Write, ...Write[]];
  readonly isBatch: boolean;
  readonly sending: Sending;
  /** How many commands the database gets before the client leaves. */
  readonly leavesAfter: number;
  /** The hook that throws: `within.patch.1`. */
  readonly throwing: string | undefined;
}

/** What a request is answered with. */
export interface Outcome {
  readonly status: number;
  readonly code?: string;
  /** The fields of a 422, sorted. */
  readonly fields?: readonly string[];
  /** The relations that a 409 names, in any order. */
  readonly parts?: readonly string[];
  /** The member of a batch that failed. */
  readonly operation?: number;
  /** How many records a write to many has matched. */
  readonly matched?: number;
  /** The answers of a batch, or what became of each document. */
  readonly each?: readonly unknown[];
}

/** The operation whose hooks run for a write by a client. Writes to many have keys of their own. */
export const operationOf: Readonly<Record<Kind, string | undefined>> = {
  create: 'create',
  nested: 'create',
  patch: 'patch',
  link: 'patch',
  unlink: 'patch',
  put: 'put',
  remove: 'delete',
  restore: 'restore',
  patchMany: undefined,
  removeMany: undefined,
  createMany: undefined,
  createAll: undefined,
  purge: undefined,
};

/** Whether somebody may set a reference. */
export function isOpen({ rights }: EdgeSpec, asker: Asker, when: 'insert' | 'update'): boolean {
  if (asker === 'store') return rights !== 'immutable' || when === 'insert';
  if (rights === 'open' || rights === 'writeOnly') return true;
  return when === 'insert' && rights !== 'private';
}

export function isPrivate({ rights }: EdgeSpec): boolean {
  return rights === 'private' || rights === 'writeOnly';
}

/** Whether clients may include a reference, and filter through it. */
export function isRelation(spec: EdgeSpec): boolean {
  return spec.shape !== 'lines' && !isPrivate(spec);
}

/** Whether clients may write single elements of a reference. */
export function isLinked({ shape, rights }: EdgeSpec): boolean {
  return shape === 'list' && rights === 'open';
}

/** Whether hooks of `before` stand before an operation. A patch with links has none. */
export function hasBefore({ edges }: Graph, model: number, operation: string): boolean {
  return operation !== 'patch' || !edges.some((edge) => edge.from === model && isLinked(edge));
}

/** The dotted name of the field of a reference. */
export function fieldOf(index: number, { shape }: EdgeSpec): string {
  return shape === 'lines' ? `e${index}.ref` : `e${index}`;
}
