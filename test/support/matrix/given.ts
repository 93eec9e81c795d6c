import {
  groupsAround,
  isStandard,
  isWrite,
  type OperationGroup,
  standardOperations,
} from '../../../src/resource/define/standard-operations.ts';
import type { TableKeys } from '../../../src/resource/table/row.ts';

/** The phases of hooks, in the order in which they run. */
export const phases = ['before', 'within', 'after'] as const;
export type Phase = (typeof phases)[number];

/** Stands for the service, in the place of the path of a resource. */
export const ofService = 'service';

type Run = () => boolean;
type Table = Readonly<Record<string, readonly Run[]>>;

/** The guards and hooks of a resource, as its definition has them. */
export interface Given extends Readonly<Record<Phase | 'guardsFor', Table>> {
  readonly guards: readonly Run[];
}

/** What the definition of a resource has of operations. */
export interface Parts {
  readonly ops: readonly string[];
  readonly operations?: Readonly<Record<string, { readonly method?: string; readonly group?: OperationGroup; readonly handler?: unknown }>>;
  readonly counters?: readonly string[];
  /** The keys of `guardsFor` that name other forms of reads. */
  readonly forms?: readonly string[];
  /** The keys that a phase refuses here. */
  readonly refused?: Partial<Readonly<Record<Phase, readonly string[]>>>;
}

/** The time line of a request. */
export class Line {
  /** What has happened, oldest first: functions by their names, and commands such as `command find notes`. */
  events: string[] = [];
  /** The name of the guard that refuses. */
  refusing: string | undefined;

  /** A guard or a hook that leaves its name on the line. */
  readonly note = (name: string): Run => {
    const run = () => {
      this.events.push(name);
      return name !== this.refusing;
    };
    return Object.defineProperty(run, 'name', { value: name });
  };
}

/**
 * A guard and hooks of its own for each key that a resource may have, and for all of its keys one more, which runs once
 * nevertheless, where it is named first.
 */
export function giveEverything(line: Line, path: string, { ops, operations = {}, counters = [], forms = [], refused = {} }: Parts): Given {
  const custom = Object.keys(operations);
  const handled = custom.filter((name) => operations[name]?.method !== 'GET' && operations[name]?.handler !== undefined);
  const writes = [...ops.filter(isWrite), ...counters, ...handled];
  const groupOf = (name: string) => groupsOf(name, counters.includes(name) ? 'change' : operations[name]?.group);
  function table(option: Phase | 'guardsFor', names: readonly string[], others: readonly string[] = []): Table {
    const kind = option === 'guardsFor' ? 'guard' : option;
    const everywhere = line.note(`${kind} ${path} everywhere`);
    const keys = [...new Set([...names.flatMap(groupOf), ...names, ...others])];
    const legal = keys.filter((key) => option === 'guardsFor' || !refused[option]?.includes(key));
    return Object.fromEntries(legal.map((key) => [key, [line.note(`${kind} ${path} ${key}`), everywhere]]));
  }
  return {
    guards: [line.note(`guard ${path}`)],
    guardsFor: table('guardsFor', [...ops, ...custom, ...counters], forms),
    before: table('before', writes),
    within: table('within', writes),
    after: table('after', [...ops, ...custom, ...counters]),
  };
}

/** The groups that an operation stands in, wide to narrow. `own` is that of one which is not a standard operation. */
function groupsOf(name: string, own: OperationGroup | undefined): readonly string[] {
  const group = isStandard(name) ? standardOperations[name].group : own;
  return group ? groupsAround[group] : [];
}

/** What the service gives to all resources, whose path this is, and what the resource has. */
function levelsOf({ resource }: TableKeys, givenOf: (path: string) => Given): readonly Given[] {
  return [givenOf(ofService), givenOf(resource.path)];
}

/**
 * The names of the guards that a row asks: of the service, and then of the resource, those of all operations, and then
 * of each name those of its groups and its own.
 */
export function guardsOf(asks: readonly TableKeys[], givenOf: (path: string) => Given): string[] {
  return unique(
    asks.flatMap((keys) => {
      return levelsOf(keys, givenOf).flatMap(({ guards, guardsFor }) => [
        ...guards,
        ...keysOf(keys).flatMap((key) => guardsFor[key] ?? []),
      ]);
    }),
  );
}

/** The names of the hooks that a row runs in a phase, in order. */
export function hooksOf(phase: Phase, runs: TableKeys, givenOf: (path: string) => Given): string[] {
  return unique(levelsOf(runs, givenOf).flatMap(({ [phase]: table }) => keysOf(runs).flatMap((key) => table[key] ?? [])));
}

/** The keys that mean the operations, in the order in which their functions run. */
function keysOf({ resource, names }: TableKeys): string[] {
  return names.flatMap((name) => [...groupsOf(name, resource.operations.find((one) => one.name === name)?.group), name]);
}

function unique(functions: readonly Run[]): string[] {
  return [...new Set(functions.map(({ name }) => name))];
}
