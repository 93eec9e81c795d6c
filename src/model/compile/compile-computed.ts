import { ConfigurationError } from '../../errors.ts';
import { didYouMean } from '../../hints.ts';
import type { Policy, PolicyRules } from '../define/policy.ts';
import {
  absent,
  type CompiledComputed,
  type CompiledField,
  computedBefore,
  join,
  type LeafNode,
  type Node,
  relationSlot,
} from '../node.ts';
import { changeFields, showNull } from '../read/change-fields.ts';
import { compileItemHydrate } from '../read/hydrate.ts';
import { NotComputed } from '../read/not-computed.ts';
import { holdsPrivate } from '../read/private-fields.ts';
import { compileShownValue } from '../shown-value.ts';
import { isObject } from '../value/plain-object.ts';
import { serverAccess } from '../write/access.ts';
import { compileFieldReader } from '../write/read-value.ts';
import { Report } from '../write/report.ts';
import { ofStored } from './check-policy.ts';

/** What a schema says of a computed field beside its type. */
interface Making {
  /** The keyword `computed`: `{ from, get }`. */
  readonly given: unknown;
  readonly policy: Policy;
}

type Get = (values: Readonly<Record<string, unknown>>) => unknown;
type Fields = ReadonlyMap<string, CompiledField>;

/**
 * Compiles a field that is made of others. `fields` are those of its object, whose path is `parent`. Throws a
 * {@link ConfigurationError}.
 */
export function compileComputed(field: CompiledField, { given, policy }: Making, fields: Fields, parent: string): CompiledComputed {
  const path = join(parent, field.name);
  const { names, get } = checkMaking(given, path);
  checkOwn(field, policy, path);
  const from = names.map((name) => sourceOf(name, fields, path));
  const rules = policy.read === undefined && policy.private === undefined ? inheritRead(from, path) : field.rules;
  const shown = { ...field, rules, policy: { ...field.policy, insert: false, update: false } };
  return { field: shown, from, compute: compileCompute(changeFields(field, showNull), from, get, path) };
}

function checkMaking(given: unknown, path: string): { readonly names: readonly string[]; readonly get: Get } {
  const { from, get, ...others } = isObject(given) ? given : {};
  const names: unknown = isObject(from) ? Object.keys(from) : from;
  const areNames = Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === 'string');
  if (!areNames || typeof get !== 'function' || Object.keys(others).length > 0)
    throw new ConfigurationError(
      `The computed field \`${path}\` must be { from, get }: the fields of the same object of which it is made, and a function that makes it: \`t.computed(t.string(), { from: ['first'], get: ({ first }) => … })\`.`,
    );
  return { names: [...new Set(names as string[])], get: get as Get };
}

/** Refuses what only a stored field can have. */
function checkOwn(field: CompiledField, policy: Policy, path: string): void {
  if (path === 'id') throw new ConfigurationError('`id` cannot be computed: it is the path of the record.');
  const given = new Map<string, unknown>(Object.entries(policy));
  const option = ofStored.find((name) => given.has(name) && given.get(name) !== false);
  if (option)
    throw new ConfigurationError(`\`policy.${option}\` of \`${path}\` cannot be: it is computed when it is shown, and not stored.`);
  const { immutable, unique, storeNone, maintained, kind, makeDefault, index } = field;
  const places = { stored: field.key !== field.name, storedAs: leafIn(field.node)?.leaf.base };
  const ofKind = kind && { [kind.keyword]: true };
  const markers = { immutable, unique, storeNone, maintained, ...ofKind, default: makeDefault, index: !index, ref: relationSlot(field) };
  const caseless = field.node.kind === 'leaf' ? field.node.caseless : undefined;
  const marker = Object.entries({ ...places, ...markers, caseless }).find(([, value]) => value);
  if (marker) throw new ConfigurationError(`\`${marker[0]}\` of \`${path}\` cannot be: it is computed when it is shown, and not stored.`);
}

/** The type of a single value, or of what an array or a map holds. */
function leafIn(node: Node): LeafNode | undefined {
  if (node.kind === 'array') return leafIn(node.items.node);
  if (node.kind === 'map') return leafIn(node.values.node);
  return node.kind === 'leaf' ? node : undefined;
}

function sourceOf(name: string, fields: Fields, path: string): CompiledField {
  const source = fields.get(name);
  if (source) return source;
  throw new ConfigurationError(
    `\`from\` of the computed field \`${path}\` names \`${name}\`, which is not a stored field of the same object${didYouMean(name, fields.keys(), '.')}`,
  );
}

/** The callers who read all of which a field is made. They must be those of one rule, or of none. */
function inheritRead(from: readonly CompiledField[], path: string): PolicyRules | undefined {
  const hidden = from.find(({ policy, node }) => policy.private || holdsPrivate(node));
  if (hidden)
    throw new ConfigurationError(
      `The computed field \`${path}\` would never be shown, because it is made of \`${hidden.name}\`, of which clients do not read all: say who reads it by \`policy.read\`.`,
    );
  const [read, other] = new Map(from.flatMap((field) => [...readersOf(field)]).map((names) => [[...names].sort().join(), names])).values();
  if (other)
    throw new ConfigurationError(
      `The computed field \`${path}\` is made of fields that callers with different rules read: say who reads it by \`policy.read\`.`,
    );
  return read && { read };
}

/** The rules by which callers read a field, and each of those in it. */
function* readersOf({ rules, node }: CompiledField): Iterable<readonly string[]> {
  if (rules?.read) yield rules.read;
  yield* readersIn(node);
}

function* readersIn(node: Node): Iterable<readonly string[]> {
  if (node.kind === 'array') yield* readersIn(node.items.node);
  else if (node.kind === 'map') yield* readersIn(node.values.node);
  else if (node.kind === 'object') for (const field of node.fields) yield* readersOf(field);
}

function compileCompute(field: CompiledField, from: readonly CompiledField[], get: Get, path: string): CompiledComputed['compute'] {
  const sources = from.map((one) => ({ name: one.name, show: compileShownValue(one), hydrate: compileItemHydrate(one) }));
  const read = compileFieldReader(field, { ...serverAccess, takesNull: true });

  function run(values: Readonly<Record<string, unknown>>): unknown {
    try {
      return get(values);
    } catch (error) {
      throw new NotComputed(path, 'could not be computed: its `get` has thrown', { cause: error });
    }
  }

  return function compute(stored) {
    const before = (stored as { readonly [computedBefore]?: ReadonlyMap<string, () => unknown> })[computedBefore]?.get(field.name);
    if (before) return before();
    const values: Record<string, unknown> = {};
    for (const { name, show, hydrate } of sources) {
      const shown = show(stored);
      if (shown !== absent) values[name] = hydrate(shown);
    }
    const value = run(values);
    if (isPromise(value)) throw new NotComputed(path, 'could not be computed: its `get` must not be async');
    if (value === undefined && field.optional) return absent;
    const report = new Report();
    const made = read(value, path, report);
    if (report.errors.length === 0) return value === null && field.nullable ? null : made;
    throw new NotComputed(path, `does not fit its type: ${report.text}`);
  };
}

/** Whether a function was async. Its promise may be rejected, and nobody waits for it. */
function isPromise(value: unknown): boolean {
  if (!(value instanceof Promise)) return false;
  value.catch(() => undefined);
  return true;
}
