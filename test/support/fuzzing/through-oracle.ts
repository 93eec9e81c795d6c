import { compareStored } from './stored-order.ts';

/** A stored record of the models in `projects.ts`. */
export interface Row {
  readonly _id: unknown;
  readonly [key: string]: unknown;
}

/** The records of each collection. */
export interface World {
  readonly members: readonly Row[];
  readonly projects: readonly Row[];
  readonly tags: readonly Row[];
  readonly tasks: readonly Row[];
}

/** A condition of a query: the relations that lead to the field, the field, and what it is compared with. */
export interface Asked {
  readonly way: readonly string[];
  readonly field: string;
  readonly operator: string;
  readonly value: unknown;
}

/** A key of a sort; `way` is empty for a field of the task. */
export interface AskedKey {
  readonly way: readonly string[];
  readonly field: string;
  readonly isDescending: boolean;
}

/** Who asks: a header of `callerOf`. */
type Header = string;

/** The relations, by the collection of their ids: where the ids stand, and where they lead. */
const relations: Readonly<Record<string, readonly [path: string, to: keyof World]>> = {
  project: ['project', 'projects'],
  owner: ['ownerId', 'members'],
  tags: ['tagIds', 'tags'],
  'review.by': ['review.byId', 'members'],
  'lines.tag': ['lines.tagId', 'tags'],
};

/** Whether a caller may see a record: the scope of projects and members, and the guard of projects. */
export function isSeen(collection: keyof World, row: Row, header: Header): boolean {
  if (collection === 'tags' || collection === 'tasks') return true;
  if (collection === 'projects' && header.endsWith('?')) return false;
  return header === '' || row.tenant === header.replace('?', '');
}

/**
 * The ids of the tasks that a list shows, in its order. This is the documentation of filters and sorts through
 * relations, once more: it shares no code with `src/`.
 */
export function listTasks(world: World, conditions: readonly Asked[], sort: readonly AskedKey[], header: Header): unknown[] {
  const matching = world.tasks.filter((task) => fulfils(task, conditions, world, header));
  const keys = endWithId(sort);
  const ordered = matching.sort((a, b) => {
    for (const { way, field, isDescending } of keys) {
      const order = compareStored(sortValueOf(a, way, field, world, header), sortValueOf(b, way, field, world, header));
      if (order !== 0) return isDescending ? -order : order;
    }
    return 0;
  });
  return ordered.map(({ _id }) => _id);
}

function endWithId(sort: readonly AskedKey[]): readonly AskedKey[] {
  return [...sort, { way: [], field: '_id', isDescending: sort.at(-1)?.isDescending ?? false }];
}

/**
 * Whether a record fulfils conditions: for each first relation among them, there is one record in sight that fulfils
 * all that it leads to.
 */
function fulfils(row: Row, conditions: readonly Asked[], world: World, header: Header): boolean {
  const own = conditions.filter(({ way }) => way.length === 0);
  const firsts = new Set(conditions.flatMap(({ way: [first] }) => first ?? []));
  return (
    own.every((condition) => holds(condition, dig(row, condition.field))) &&
    [...firsts].every((first) => {
      const behind = conditions.filter(({ way }) => way[0] === first).map((one) => ({ ...one, way: one.way.slice(1) }));
      return relatedTo(row, first, world, header).some((related) => fulfils(related, behind, world, header));
    })
  );
}

function relatedTo(row: Row, relation: string, world: World, header: Header): Row[] {
  const [path, to] = relations[relation] ?? ['', 'tags'];
  const ids = digAll(row, path.split('.')).filter((id) => typeof id === 'string');
  return world[to].filter((one) => ids.includes(one._id as string) && isSeen(to, one, header));
}

function sortValueOf(row: Row, [relation, ...further]: readonly string[], field: string, world: World, header: Header): unknown {
  if (relation === undefined) return dig(row, field) ?? null;
  const [related] = relatedTo(row, relation, world, header);
  return related ? sortValueOf(related, further, field, world, header) : null;
}

function holds({ operator, value }: Asked, found: unknown): boolean {
  const isMissing = found === undefined;
  const isLike = typeof found === typeof value && found !== null;
  switch (operator) {
    case 'eq':
      return found === value;
    case 'ne':
      return found !== value;
    case 'in':
      return (value as unknown[]).includes(found);
    case 'nin':
      return !(value as unknown[]).includes(found);
    case 'exists':
      return isMissing !== value;
    case 'prefix':
      return value === '' || (typeof found === 'string' && found.startsWith(value as string));
    case 'gt':
      return isLike && compareStored(found, value) > 0;
    case 'gte':
      return isLike && compareStored(found, value) >= 0;
    case 'lt':
      return isLike && compareStored(found, value) < 0;
    default:
      return isLike && compareStored(found, value) <= 0;
  }
}

function dig(row: Row, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Row | null | undefined)?.[key], row);
}

function digAll(value: unknown, [key, ...rest]: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((one) => digAll(one, key === undefined ? [] : [key, ...rest]));
  if (key === undefined) return [value];
  return typeof value === 'object' && value !== null ? digAll((value as Row)[key], rest) : [];
}
