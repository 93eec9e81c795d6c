import { JsonNumber } from '../../http/json.ts';
import type { CompiledAnswer } from '../../model/compile/compile-answer.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Node } from '../../model/node.ts';
import { isStoredObject, mapEntries } from '../../model/value/stored-shape.ts';
import { writeUntyped } from '../../model/value/untyped.ts';
import { isStoredRecord, StoredRecord } from '../../mongo/stored-record.ts';
import type { Slots } from './context.ts';

/** The slots that hold a request's records. */
type Held = Pick<Slots, 'privateNames' | 'record' | 'page' | 'noted'>;

/** Writes what a handler returned as JSON. */
export type WriteResult = (value: unknown, held: Held) => string;

/** The values that are computed once for each answer. */
interface Rules {
  /** The names of private fields. */
  readonly secrets: ReadonlySet<string>;
  /** Collects the records that the answer shows, if a key or a batch has to know them. */
  readonly noted: Set<StoredRecord> | undefined;
}

/**
 * Compiles how the result of a handler is written. A record, at any depth, is written as it is stored, with the fields
 * that a client may read. Other values are the handler's own. They must fit the schema, if the operation has one.
 * Otherwise an object must not have a key that is the name of a private field of the model, or of a record that the
 * request holds: it is almost certainly a copy or a part of a record. Maps, objects of classes and results of `toJSON`
 * count as plain objects.
 */
export function compileWriteResult(model: CompiledModel | undefined, answer: CompiledAnswer | undefined): WriteResult {
  const rulesOf = (held: Held): Rules => ({ secrets: secretsOf(model, held), noted: held.noted });
  if (typeof answer === 'object') {
    const data = answer.node.byName.get('data')?.node;
    return (value, held) => answer.write(prepare(value, data, rulesOf(held)));
  }
  return function writeResult(value, held) {
    if (answer === 'record' && !recordOf(value))
      throw new Error("An operation with `answer: 'record'` must return a record of `ctx.load()` or `ctx.save()`.");
    return write(value, rulesOf(held));
  };
}

/** The record of a value: a document that `load` or a hook received, or the record itself. */
export function recordOf(value: unknown): StoredRecord | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return isStoredRecord(value) ? value : StoredRecord.of(value);
}

function secretsOf(model: CompiledModel | undefined, { privateNames = new Set(), record, page }: Held): ReadonlySet<string> {
  const sets = new Set([...[model, record, page?.records[0]].flatMap((one) => one?.privateNames ?? []), ...privateNames]);
  return sets.size === 1 ? ([...sets][0] as ReadonlySet<string>) : new Set([...sets].flatMap((names) => [...names]));
}

function write(given: unknown, rules: Rules): string {
  const record = recordOf(given);
  if (record) rules.noted?.add(record);
  if (record) return record.toText();
  const value = asJson(given);
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
  if (record) return record.readable;
  const value = asJson(given);
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
 * Returns the value that `JSON.stringify` would use in place of an object with `toJSON`. Dates and BSON types have
 * rules of their own.
 */
function asJson(value: unknown): unknown {
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
