import type { ServedResource, ServedRow } from '../../../src/resource/serve-resource.ts';

/** What a request has beside what its row says: the method, the path, and what it accepts. */
interface Particulars {
  /** In the place of `:id`. @default 'a', which is a record of every collection */
  readonly id?: string;
  readonly other?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: object;
}

const text = { text: 'x' };
const onlyA = { text: 'a' };

/** How each row is sent, by its name. A row that is not here fails the test of the matrix: give it a request. */
export const requests: Readonly<Record<string, Particulars>> = {
  list: {},
  get: {},
  create: { body: { id: 'new', ...text } },
  patch: { body: text },
  put: { body: text },
  delete: {},
  restore: { id: 'gone' },
  patchMany: { query: onlyA, body: text },
  deleteMany: { query: onlyA },
  'list.query': { body: {} },
  'list.export': {},
  'list.export.query': { body: {} },
  'list.live': {},
  'get.at': { query: { at: '0' } },
  'get.live': {},
  aggregate: {},
  history: {},
  send: { body: text },
  erase: {},
  mark: {},
  loose: {},
  total: {},
  count: {},
  pass: {},
  stock: { body: { add: 2 } },
  'notes.list': {},
  'notes.create': { body: { id: 'new', ...text } },
  'notes.query': { body: {} },
  'tags.add': { other: 'b' },
  'tags.remove': { other: 'a' },
};

/** A request of a row. */
export interface Case {
  /** Such as `items.list.export.query by POST /query as text/csv`. */
  readonly name: string;
  readonly resource: ServedResource;
  readonly row: ServedRow;
  readonly method: string;
  readonly path: string;
  readonly accept: string | undefined;
  readonly body: object | undefined;
  /** The parameters of the path and of the query, and the body: the arguments of a tool. */
  readonly given: Readonly<Record<string, unknown>>;
}

/** The requests of a row: one for each form that it answers with. Throws for a row that is sent in no known way. */
export function casesOf(resource: ServedResource, row: ServedRow): Case[] {
  const { id = 'a', other, query = {}, body } = particularsOf(row);
  const { method, when } = row;
  const parameters: Readonly<Record<string, string | undefined>> = { id, other };
  const asked = row.path.match(/(?<=:)\w+/g) ?? [];
  const unknown = asked.find((name) => parameters[name] === undefined);
  const where = `\`${row.name}\` of \`requests\` in test/support/matrix/requests.ts`;
  if (unknown) throw new Error(`${where} needs a value for \`:${unknown}\`.`);
  if (row.readsJson !== (body !== undefined)) throw new Error(`${where} ${row.readsJson ? 'needs a' : 'must not have a'} body.`);
  if (when && 'parameter' in when && !(when.parameter in query)) throw new Error(`${where} needs the parameter \`${when.parameter}\`.`);
  const filled = row.path.replaceAll(/:(\w+)/g, (_, name: string) => parameters[name] as string);
  const search = new URLSearchParams(query);
  const path = `/${resource.path}${filled === '/' ? '' : filled}${search.size > 0 ? `?${search}` : ''}`;
  const given = { ...Object.fromEntries(asked.map((name) => [name, parameters[name]])), ...query, ...(body && { body }) };
  const types = when && 'accept' in when ? when.accept : [undefined];
  return types.map((accept) => ({
    name: `${resource.path}.${row.name} by ${method} ${row.path}${accept ? ` as ${accept}` : ''}`,
    resource,
    row,
    method,
    path,
    accept,
    body,
    given,
  }));
}

function particularsOf({ name }: ServedRow): Particulars {
  const found = requests[name];
  if (!found)
    throw new Error(
      `The row \`${name}\` is in no test of the matrix: say how it is sent in \`requests\` of test/support/matrix/requests.ts.`,
    );
  return found;
}
