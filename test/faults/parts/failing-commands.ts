import { type Ask, authors, makeWrite, newToken, things, type Write, writeNames } from './things.ts';

/** A command of an operation, by the name and the collection that a fail point knows it by. */
export interface FailingCommand {
  readonly operation: string;
  readonly command: string;
  readonly collection: string;
  readonly isWrite: boolean;
  /** The status where nothing fails. */
  readonly good: number;
  /** Makes the request, for a record of its own. */
  ask(record: string): Ask & { readonly token?: string };
}

interface Row {
  readonly operation: string;
  /** Read commands, by collection. */
  readonly reads: readonly (readonly [command: string, collection: string])[];
  readonly path: (record: string) => string;
}

/** A cursor into the second page of the authors, who lie on both sides of null: it leads to a union of two ranges. */
export type Cursor = () => string;

function reads(cursor: Cursor): FailingCommand[] {
  const rows: readonly Row[] = [
    { operation: 'list', reads: [['find', authors]], path: () => '/authors?limit=2' },
    {
      operation: 'list with total',
      reads: [
        ['find', authors],
        ['aggregate', authors],
      ],
      path: () => '/authors?limit=2&total=true',
    },
    { operation: 'second page', reads: [['aggregate', authors]], path: () => `/authors?sort=rank&limit=2&after=${cursor()}` },
    { operation: 'get', reads: [['find', things]], path: (record) => `/things/${record}` },
    {
      operation: 'get with include',
      reads: [
        ['find', things],
        ['find', authors],
      ],
      path: (record) => `/things/${record}?include=author`,
    },
    {
      operation: 'list with include',
      reads: [
        ['find', things],
        ['find', authors],
      ],
      path: (record) => `/things?id=${record}&include=author`,
    },
  ];
  return rows.flatMap(({ operation, reads: commands, path }) =>
    commands.map(([command, collection]) => ({
      operation,
      command,
      collection,
      isWrite: false,
      good: 200,
      ask: (record) => ({ method: 'GET', path: path(record) }),
    })),
  );
}

const good: Partial<Record<Write, number>> = { create: 201, delete: 204 };
/** Those that read before they write. */
const reading = new Set<Write>(['checkedPut', 'stamp']);

function writesOf(operation: Write): FailingCommand[] {
  const commands = [...(reading.has(operation) ? ['find'] : []), operation === 'create' ? 'insert' : 'findAndModify'];
  return commands.map((command) => ({
    operation,
    command,
    collection: things,
    isWrite: command !== 'find',
    good: good[operation] ?? 200,
    ask: (record) => makeWrite(operation, record),
  }));
}

/** A write that matches nothing reads why. */
const explained: FailingCommand = {
  operation: 'patch of another revision',
  command: 'find',
  collection: things,
  isWrite: false,
  good: 412,
  ask: (record) => ({ ...makeWrite('patch', record), headers: { 'if-match': '"7"' } }),
};

/** Every command of every operation. */
export function failingCommands(cursor: Cursor): FailingCommand[] {
  return [...reads(cursor), ...writeNames.flatMap(writesOf), explained];
}

/** The id of the record that a request is for; a delete is of the one that has its mark. */
export function recordOf({ method, token }: Ask & { readonly token?: string }, record: string): string {
  return method === 'DELETE' && token ? token : record;
}

export const newRecord = () => newToken().replace('w:', 'r:');
