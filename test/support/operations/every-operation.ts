import type { Db } from 'mongodb';
import type { Api } from '../../../src/index.ts';
import { endpointsOf, usualOf } from '../../../src/resource/table/row.ts';
import { collections } from './models.ts';

/** A request, whose records have `n` in their ids. */
export interface Row {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** The record that an operation creates, or what it writes to one that is there. */
const bodies: Readonly<Record<string, (n: string) => object>> = {
  'labels.create': (n) => ({ id: `new${n}`, group: n }),
  'labels.patch': () => ({ text: 'x' }),
  'labels.put': (n) => ({ group: n, text: 'x' }),
  'labels.patchMany': () => ({ text: 'x' }),
  'labels.tasks.create': (n) => ({ id: `new${n}`, group: n }),
  'tasks.create': (n) => ({ id: `new${n}`, group: n, label: `l${n}`, tagIds: [`g${n}`] }),
  'tasks.patch': (n) => ({ label: `m${n}` }),
  'tasks.put': (n) => ({ group: n, label: `m${n}` }),
  'tasks.patchMany': (n) => ({ label: `m${n}` }),
  'tasks.rename': () => ({ text: 'x' }),
  'tasks.uses': () => ({ add: 2 }),
  'plain.create': (n) => ({ id: `new${n}`, group: n }),
  'plain.patch': () => ({ text: 'x' }),
  'plain.put': (n) => ({ group: n, text: 'x' }),
  'plain.patchMany': () => ({ text: 'x' }),
  'plain.uses': () => ({ add: 2 }),
};

/** What stands for `:id` in the path of a resource. */
const ids: Readonly<Record<string, (n: string) => string>> = {
  labels: (n) => `l${n}`,
  tasks: (n) => `t${n}`,
  tags: (n) => `g${n}`,
  plain: (n) => `p${n}`,
};

const included: ReadonlySet<string> = new Set(['tasks.list', 'tasks.get', 'labels.tasks.list']);
const ofMany: ReadonlySet<string> = new Set(['patchMany', 'deleteMany']);
const keyed: ReadonlySet<string> = new Set(['POST', 'PATCH']);

/** A way to send one operation. */
export interface Sent {
  /** Such as `tasks.patch in a batch with a key`. */
  readonly name: string;
  /** Such as `tasks.patch`. */
  readonly operation: string;
  readonly isRead: boolean;
  readonly isHead: boolean;
  readonly isInBatch: boolean;
  readonly hasKey: boolean;
  /** Whether it is a list whose parameters stand in a body. */
  readonly isTwin: boolean;
  /** Whether it is refused when it has written. */
  readonly isRefused: boolean;
  row(n: string): Row;
  /** The parameters of the path and of the query, and the body: the arguments of a tool. */
  argumentsOf(n: string): object;
}

/**
 * Every operation that an api serves: alone, in a batch, and with a key where it takes one; each GET also as HEAD, and
 * each list also with its parameters in a body. The requests are derived from the places of the operations: one that
 * needs a body, and has none here, is a mistake.
 */
export function everyOperation(api: Api): Sent[] {
  return api.description.resources.flatMap((resource) =>
    endpointsOf(resource.rows).flatMap((endpoint): Sent[] => {
      const { operation: name, twinOf, method, path, readsJson, isMember } = usualOf(endpoint);
      const operation = `${resource.path}.${name}`;
      const idOf = ids[resource.path];
      if (!idOf) throw new Error(`${resource.path} needs an id: see \`ids\`.`);
      const parametersOf = (n: string): Record<string, string> => ({
        ...(path.includes(':id') && { id: `${name === 'restore' ? 'gone' : ''}${idOf(n)}` }),
        ...(path.includes(':other') && { other: `${name.endsWith('.add') ? 'h' : 'g'}${n}` }),
        ...(path.includes(':n') && { n }),
      });
      const asked = (n: string): Record<string, string> => ({
        ...((ofMany.has(name) || name === 'list') && { group: n }),
        ...(included.has(operation) && { include: 'label,tags' }),
      });
      const queryOf = twinOf === undefined ? asked : () => ({});
      const body = twinOf === undefined ? bodies[operation] : (n: string) => inBody(asked(n));
      if (readsJson !== (body !== undefined)) throw new Error(`${operation} ${readsJson ? 'needs a' : 'takes no'} body: see \`bodies\`.`);
      const row = (n: string): Row => {
        const filled = Object.entries(parametersOf(n)).reduce((rest, [key, value]) => rest.replace(`:${key}`, value), path);
        const query = new URLSearchParams(queryOf(n));
        const whole = `/${resource.path}${filled === '/' ? '' : filled}${query.size > 0 ? `?${query}` : ''}`;
        return { method, path: whole, ...(body && { body: body(n) }) };
      };
      const argumentsOf = (n: string) => ({ ...parametersOf(n), ...queryOf(n), ...(body && { body: body(n) }) });
      const sent = (how: string, one: Partial<Sent>): Sent => ({
        name: `${operation}${how}`,
        operation,
        isRead: method === 'GET' || twinOf !== undefined,
        isHead: false,
        isInBatch: false,
        hasKey: false,
        isTwin: twinOf !== undefined,
        isRefused: name === 'refuse',
        row,
        argumentsOf,
        ...one,
      });
      if (twinOf !== undefined) return [sent(` as ${method} ${path}`, {})];
      if (method === 'GET') return [sent('', {}), sent(' as HEAD', { isHead: true, row: (n) => ({ ...row(n), method: 'HEAD' }) })];
      const batch = { isInBatch: true, row: (n: string): Row => ({ method: 'POST', path: '/batch', body: { operations: [row(n)] } }) };
      return [
        sent('', {}),
        ...(keyed.has(method) && name !== 'restore' ? [sent(' with a key', { hasKey: true })] : []), // a restore can be sent again as it is
        ...(isMember ? [sent(' in a batch', batch), sent(' in a batch with a key', { ...batch, hasKey: true })] : []),
      ];
    }),
  );
}

/** What is separated by commas in a URL is an array in a body. */
function inBody({ include, ...others }: Record<string, string>): object {
  return { ...others, ...(include && { include: include.split(',') }) };
}

/** The text of the records of a collection, by which a test sees whether an answer tells of them. */
export const textOf = (collection: string) => `This is one of the ${collection}.`;

/** Stores what the requests with these ids find, and nothing else. Everything is in the group of that name. */
export async function seed(db: Db, n: string, length = 0): Promise<void> {
  await Promise.all(collections.map((collection) => db.collection(collection).deleteMany({})));
  const gone = { deletedAt: new Date(0), _deletion: `d${n}` };
  const insert = (name: string, ...records: readonly object[]) =>
    db
      .collection(name)
      .insertMany(records.map((one) => ({ revision: 0, group: n, text: textOf(name).padEnd(length, '.'), ...one })) as never);
  const task = { label: `l${n}`, tagIds: [`g${n}`] };
  await Promise.all([
    insert('labels', { _id: `l${n}` }, { _id: `m${n}` }, { _id: `gonel${n}`, ...gone }),
    insert('tasks', { _id: `t${n}`, ...task }, { _id: `u${n}`, ...task, tagIds: [] }, { _id: `gonet${n}`, ...task, ...gone }),
    insert('tags', { _id: `g${n}` }, { _id: `h${n}` }),
    insert('plain', { _id: `p${n}` }),
  ]);
}
