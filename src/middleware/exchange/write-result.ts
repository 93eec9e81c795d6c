import { isProblem, Problem, type ProblemDocument } from '../../errors.ts';
import { JsonNumber } from '../../http/json.ts';
import type { CompiledAnswer } from '../../model/compile/compile-answer.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Node } from '../../model/node.ts';
import type { Leaf } from '../../model/value/leaf.ts';
import { stringLeaf } from '../../model/value/leaves.ts';
import { intLeaf } from '../../model/value/number-leaves.ts';
import { isStoredObject, mapEntries } from '../../model/value/stored-shape.ts';
import { writeUntyped } from '../../model/value/untyped.ts';
import { isStoredRecord, StoredRecord } from '../../mongo/stored-record.ts';
import { rulesOf as askedOf, withViews } from '../views/asked-rules.ts';
import { asTold } from './as-told.ts';
import type { Context } from './context.ts';
import { reportError } from './report-error.ts';

/** Writes what a handler returned as JSON, as the caller of the request may see it. */
export type WriteResult = (value: unknown, ctx: Context) => Promise<string>;

/** Remembers that a request holds records of a model, whose private fields must not be answered. */
export function holdModel(ctx: Context, model: CompiledModel): void {
  ctx.heldModels ??= new Set();
  ctx.heldModels.add(model);
}

/** Returns a model as the caller sees it. */
type See = (model: CompiledModel) => CompiledModel;

/** The values that are computed once for each answer. */
interface Rules {
  readonly see: See;
  /** The names of private fields. */
  readonly secrets: ReadonlySet<string>;
  /** Collects the records that the answer shows, if a key or a batch has to know them. */
  readonly noted: Set<StoredRecord> | undefined;
  /** The document of a problem, such as that of one of many new records, as the caller is told it. */
  tell(problem: Problem): ProblemDocument;
}

/** A problem that the caller may not be told of is reported, once for each answer. */
function telling(ctx: Context): Rules['tell'] {
  const told = new Map<Problem, ProblemDocument>();
  return function tell(problem) {
    const known = told.get(problem);
    if (known) return known;
    const error = asTold(ctx, problem);
    if (!isProblem(error)) reportError(ctx, error);
    const document = (isProblem(error) ? error : new Problem({ code: 'internal' })).toDocument();
    told.set(problem, document);
    return document;
  };
}

/**
 * Compiles how the result of a handler is written. A record, at any depth, is written as it is stored, with the fields
 * that a client may read. Other values are the handler's own. They must fit the schema, if the operation has one.
 * Otherwise an object must not have a key that is the name of a private field of the model, or of a record that the
 * request holds: it is almost certainly a copy or a part of a record. Maps, objects of classes and results of `toJSON`
 * count as plain objects.
 */
export function compileWriteResult(model: CompiledModel | undefined, answer: CompiledAnswer | undefined): WriteResult {
  const rulesOf = (ctx: Context, see: See, tell: Rules['tell']): Rules => ({
    secrets: secretsOf(model, ctx, see),
    noted: ctx.noted,
    see,
    tell,
  });
  if (typeof answer === 'object') {
    const data = answer.node.byName.get('data')?.node;
    return async function writeResult(value, ctx) {
      const seen = answer.rules.length > 0 ? answer.seenBy(await askedOf(ctx).ask(answer.rules)) : answer;
      const tell = telling(ctx);
      return withViews(ctx, (see) => seen.write(prepare(value, data, rulesOf(ctx, see, tell))));
    };
  }
  return async function writeResult(value, ctx) {
    if (answer === 'record' && !recordOf(value))
      throw new Error("An operation with `answer: 'record'` must return a record of `ctx.load()` or `ctx.save()`.");
    const tell = telling(ctx);
    return withViews(ctx, (see) => write(value, rulesOf(ctx, see, tell)));
  };
}

/** The record of a value: a document that `load` or a hook received, or the record itself. */
export function recordOf(value: unknown): StoredRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return isStoredRecord(value) ? value : StoredRecord.of(value);
}

function secretsOf(model: CompiledModel | undefined, { heldModels = new Set(), record, page }: Context, see: See): ReadonlySet<string> {
  const models = [model, record?.model, page?.records[0]?.model, ...heldModels].filter((one) => one !== undefined);
  const sets = new Set(models.map((one) => see(one).privateNames));
  return sets.size === 1 ? ([...sets][0] as ReadonlySet<string>) : new Set([...sets].flatMap((names) => [...names]));
}

/** A record that a store has read has the fields of all views. */
function shown(record: StoredRecord, { see }: Rules): StoredRecord {
  return record.in(see(record.model));
}

function write(given: unknown, rules: Rules): string {
  const record = recordOf(given);
  if (record) rules.noted?.add(record);
  if (record) return shown(record, rules).toText();
  const value = asJson(given, rules);
  if (!Object.is(value, given)) return write(value, rules); // NaN is not equal to itself
  if (Array.isArray(value)) return `[${Array.from(value, (one) => write(one, rules)).join(',')}]`;
  const members = membersOf(value);
  if (!members) return writeUntyped(value);
  for (const [key] of members) refuseSecret(key, rules);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${write(member, rules)}`).join(',')}}`;
}

/** Returns the document form that a schema reads. A map declares no names. */
function prepare(given: unknown, node: Node | undefined, rules: Rules): unknown {
  const record = recordOf(given);
  if (record) rules.noted?.add(record);
  if (record) return asDeclared(shown(record, rules).readableIn(node), node);
  const value = asJson(given, rules);
  if (!Object.is(value, given)) return prepare(value, node, rules);
  if (Array.isArray(value)) return Array.from(value, (one) => prepare(one, node?.kind === 'array' ? node.items.node : undefined, rules));
  const members = membersOf(value);
  if (!members) return value;
  return Object.fromEntries(
    members.map(([key, member]) => {
      const declared = node?.kind === 'object' ? node.byName.get(key)?.node : undefined;
      if (!declared) refuseSecret(key, rules);
      return [key, prepare(member, node?.kind === 'map' ? node.values.node : declared, rules)];
    }),
  );
}

/**
 * The values of a record as a JSON Schema declares them, which has texts for dates, ids and other values that JSON does
 * not have.
 */
function asDeclared(value: unknown, node: Node | undefined): unknown {
  switch (node?.kind) {
    case undefined:
      return value;
    case 'leaf':
      return asDeclaredLeaf(value, node.leaf);
    case 'array':
      return Array.isArray(value) ? value.map((one) => asDeclared(one, node.items.node)) : value;
    case 'map':
      return asDeclaredMembers(value, () => node.values.node);
    case 'object':
      return asDeclaredMembers(value, (key) => node.byName.get(key)?.node);
  }
}

function asDeclaredMembers(value: unknown, nodeOf: (key: string) => Node | undefined): unknown {
  return isStoredObject(value) ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, asDeclared(one, nodeOf(key))])) : value;
}

function asDeclaredLeaf(value: unknown, leaf: Leaf): unknown {
  if (leaf === intLeaf && typeof value === 'bigint') return Number(value);
  if (leaf !== stringLeaf || typeof value !== 'object' || value === null) return value;
  return isStoredObject(value) || Array.isArray(value) ? value : JSON.parse(writeUntyped(value));
}

/**
 * Returns the document of a problem, and the value that `JSON.stringify` would use in place of an object with `toJSON`.
 * Dates and BSON types have rules of their own.
 */
function asJson(value: unknown, { tell }: Rules): unknown {
  if (isProblem(value)) return tell(value);
  return isStoredObject(value) && typeof value.toJSON === 'function' ? (value.toJSON('') as unknown) : value;
}

function membersOf(value: unknown): [string, unknown][] | undefined {
  const members = value instanceof JsonNumber ? undefined : mapEntries(value);
  return members && Array.from(members, ([key, one]): [string, unknown] => [String(key), one]).filter(([, one]) => one !== undefined);
}

function refuseSecret(key: string, { secrets }: Rules): void {
  if (!secrets.has(key)) return;
  throw new Error(
    `A handler returned an object with \`${key}\`, the name of a private field: part of a record, or a copy of one. Return the record that \`ctx.load()\` or \`ctx.save()\` gave, or what clients may read of it; or say in \`answer\` that it is meant.`,
  );
}
