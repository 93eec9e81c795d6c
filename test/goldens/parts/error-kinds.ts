import type { Any } from '../../support/any.ts';
import { type Draft, type FailureName, idOf } from './error-failures.ts';
import type { Form } from './serve-errors.ts';

export interface Write {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** A kind of write, and what can be wrong with it. */
export interface Kind {
  readonly name: string;
  readonly failures: readonly FailureName[];
  /** The form of records that it needs. @default any */
  readonly form?: Form;
  /** The body of a write that succeeds. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** What is special about a record that it can write. */
  readonly flags?: readonly 'gone'[];
  /** How it is sent; or, of a store, called. */
  readonly write?: (draft: Draft) => Write;
  readonly call?: (tasks: Any, draft: Draft) => Promise<unknown>;
}

const body = [
  'wrong type',
  'unknown field',
  'forbidden field',
  'leaves the scope',
  'bad reference',
  'reference out of scope',
  'duplicate key',
] as const;
const target = ['missing', 'out of scope', 'deleted', 'stale'] as const;
const guard = 'a guard refuses';
const made = { id: 'new', code: 'new' };
const changed = { text: 'y' };

/** The writes of one record that a batch can have, too. */
export const singleWrites: readonly Kind[] = [
  {
    name: 'create',
    failures: [guard, ...body, 'required field left out', 'incomplete object', 'duplicate id'],
    body: made,
    write: ({ body }) => ({ method: 'POST', path: '/tasks', body }),
  },
  {
    name: 'patch',
    failures: [guard, ...target, ...body, 'incomplete object'],
    body: changed,
    write: (draft) => ({ method: 'PATCH', path: `/tasks/${idOf(draft)}`, body: draft.body }),
  },
  {
    name: 'put',
    failures: [guard, ...target, ...body, 'required field left out', 'incomplete object'],
    body: { code: 'new' },
    write: (draft) => ({ method: 'PUT', path: `/tasks/${idOf(draft)}`, body: draft.body }),
  },
  {
    name: 'delete',
    failures: [guard, ...target, 'held'],
    write: (draft) => ({ method: 'DELETE', path: `/tasks/${idOf(draft)}` }),
  },
  {
    name: 'restore',
    form: 'together',
    failures: [guard, 'missing', 'out of scope', 'not deleted', 'stale', 'reference lost', 'key taken'],
    flags: ['gone'],
    write: (draft) => ({ method: 'POST', path: `/tasks/${idOf(draft)}/restore` }),
  },
  {
    name: 'step of a counter',
    failures: [guard, ...target, 'no number to add', 'beyond the bounds', 'unknown field'],
    body: { add: 1 },
    write: (draft) => ({ method: 'POST', path: `/tasks/${idOf(draft)}/stock`, body: draft.body }),
  },
  {
    name: 'custom operation that loads and saves',
    failures: [guard, ...target, 'wrong type', 'unknown field', 'bad reference', 'duplicate key'],
    body: changed,
    write: (draft) => ({ method: 'POST', path: `/tasks/${idOf(draft)}/rename`, body: draft.body }),
  },
];

const manyFailures = [guard, 'If-Match of many', 'no filter', 'unknown filter', 'too many'] as const;
const queryOf = ({ query }: Draft) => new URLSearchParams(query);

/** Two records, and one more where it is to be held by others. */
const idsOf = ({ flags }: Draft) => ['ann', 'ann-other', ...(flags.has('held') ? ['ann-held'] : [])];
const queryOfIds = (draft: Draft) =>
  new URLSearchParams({ ...draft.query, ...(draft.query.owner && { 'id[in]': idsOf(draft).join(',') }) });

const otherWrites: readonly Kind[] = [
  {
    name: 'create below a record',
    failures: [
      guard,
      'the other is missing',
      'the other is out of scope',
      ...body.filter((name) => name !== 'bad reference'), // the path says which record it refers to
      'required field left out',
    ],
    body: made,
    write: ({ body, other }) => ({ method: 'POST', path: `/bosses/${other === 't2' ? 'b' : other}/tasks`, body }),
  },
  {
    name: 'put of a link',
    failures: [guard, ...target, 'the other is missing', 'the other is out of scope'],
    write: (draft) => ({ method: 'PUT', path: `/tasks/${idOf(draft)}/tags/${draft.other}` }),
  },
  {
    name: 'delete of a link',
    failures: [guard, ...target],
    write: (draft) => ({ method: 'DELETE', path: `/tasks/${idOf(draft)}/tags/t1` }),
  },
  {
    name: 'patch of many',
    failures: [...manyFailures, ...body, 'incomplete object'],
    body: changed,
    write: (draft) => ({ method: 'PATCH', path: `/tasks?${queryOf(draft)}`, body: draft.body }),
  },
  {
    name: 'delete of many',
    failures: [...manyFailures, 'held'],
    write: (draft) => ({ method: 'DELETE', path: `/tasks?${queryOfIds(draft)}` }),
  },
];

const stored = ['wrong type', 'unknown field', 'leaves the scope', 'bad reference', 'reference out of scope', 'duplicate key'] as const;
const found = ['missing', 'out of scope', 'deleted'] as const;
const ifMatchOf = ({ ifMatch }: Draft) => (ifMatch === undefined ? {} : { ifMatch: 9 });

const storeCalls: readonly Kind[] = [
  {
    name: 'create',
    failures: [...stored, 'required field left out', 'incomplete object', 'duplicate id'],
    body: made,
    call: (tasks, { body }) => tasks.create(body),
  },
  {
    name: 'createMany of two, all or none',
    failures: [...stored, 'required field left out', 'duplicate id'],
    body: made,
    call: (tasks, { body }) => tasks.createMany([{ id: 'first', code: 'first' }, body], { all: true }),
  },
  {
    name: 'update',
    failures: [...found, 'stale', ...stored, 'incomplete object'],
    body: changed,
    call: (tasks, draft) => tasks.update(idOf(draft), draft.body, ifMatchOf(draft)),
  },
  {
    name: 'upsert',
    failures: ['out of scope', 'deleted', ...stored, 'required field left out', 'incomplete object'],
    body: { code: 'new' },
    call: (tasks, draft) => tasks.upsert(idOf(draft), draft.body),
  },
  {
    name: 'upsert of a new id',
    failures: [...stored, 'required field left out'],
    body: { code: 'new' },
    call: (tasks, { body }) => tasks.upsert('new', body),
  },
  {
    name: 'step',
    failures: [...found, 'stale', 'beyond the bounds'],
    body: { add: 1 },
    call: (tasks, draft) => tasks.step(idOf(draft), 'stock', draft.body.add, ifMatchOf(draft)),
  },
  {
    name: 'save',
    failures: [...found, ...stored, 'incomplete object'],
    body: changed,
    call: async (tasks, draft) => tasks.save(Object.assign(await tasks.get(idOf(draft)), draft.body)),
  },
  { name: 'remove', failures: [...found, 'stale', 'held'], call: (tasks, draft) => tasks.remove(idOf(draft), ifMatchOf(draft)) },
  {
    name: 'restore',
    form: 'together',
    failures: ['missing', 'out of scope', 'not deleted', 'reference lost', 'key taken'],
    flags: ['gone'],
    call: (tasks, draft) => tasks.restore(idOf(draft)),
  },
  {
    name: 'updateMany',
    failures: [...stored, 'too many', 'incomplete object'],
    body: changed,
    call: (tasks, { body, query }) => tasks.updateMany({ owner: 'ann' }, body, query.max_affected ? { max: 1 } : {}),
  },
  {
    name: 'removeMany',
    failures: ['too many', 'held'],
    call: (tasks, draft) => tasks.removeMany({ id: { in: idsOf(draft) } }, draft.query.max_affected ? { max: 1 } : {}),
  },
];

/** All writes of clients. */
export const writes: readonly Kind[] = [...singleWrites, ...otherWrites];

/** All writes of stores. */
export const calls = storeCalls;
