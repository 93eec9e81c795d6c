import type { CompiledAnswer } from '../model/compile-answer.ts';
import { privateNames, withoutPrivate } from '../model/compile-answer.ts';
import type { CompiledModel } from '../model/compile-model.ts';
import { compileHydrate } from '../model/hydrate.ts';
import type { Node } from '../model/node.ts';
import { isObject } from '../model/plain-object.ts';
import { writeUntyped } from '../model/untyped.ts';
import { StoredRecord } from '../mongo/stored-record.ts';

/** The records that a handler holds, by their documents. */
export type LoadedRecords = ReadonlyMap<unknown, StoredRecord> | undefined;

/** The JSON of what a handler returned. */
export type WriteResult = (value: unknown, loaded: LoadedRecords) => string;

/**
 * Compiles how what a handler returns is written. A record that it holds, wherever it stands in it, is what a client may read of it, as it
 * is stored. All else is the handler's own: it must fit the schema, where the operation has one, and otherwise must not have a key that is
 * the name of a private field, because then it is as good as certain that it came out of a record.
 */
export function compileWriteResult(model: CompiledModel | undefined, answer: CompiledAnswer | undefined): WriteResult {
  const secrets: ReadonlySet<string> = model ? privateNames(model.root) : new Set();
  if (typeof answer === 'object') {
    const readRecord = compileHydrate(model ? withoutPrivate(model.root) : answer.node);
    return (value, loaded) => answer.write(prepare(value, answer.node.byName.get('data')?.node, loaded));

    function prepare(part: unknown, node: Node | undefined, loaded: LoadedRecords): unknown {
      const record = recordOf(part, loaded);
      if (record) return readRecord(record.stored);
      if (Array.isArray(part)) return part.map((one) => prepare(one, node?.kind === 'array' ? node.items.node : undefined, loaded));
      if (!isObject(part)) return part;
      return Object.fromEntries(
        Object.entries(part).map(([key, member]) => {
          const declared = memberNode(node, key);
          if (!declared) refuseSecret(key, secrets);
          return [key, prepare(member, declared, loaded)];
        }),
      );
    }
  }
  return function write(part, loaded): string {
    const record = recordOf(part, loaded);
    if (answer === 'record' && !record)
      throw new Error("An operation with `answer: 'record'` must return a record of `ctx.load()` or `ctx.save()`.");
    if (record) return record.toText();
    if (Array.isArray(part)) return `[${part.map((one) => write(one, loaded)).join(',')}]`;
    if (!isObject(part)) return writeUntyped(part);
    const members = Object.entries(part).filter(([, member]) => member !== undefined);
    for (const [key] of members) refuseSecret(key, secrets);
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${write(member, loaded)}`).join(',')}}`;
  };
}

function recordOf(part: unknown, loaded: LoadedRecords): StoredRecord | undefined {
  return part instanceof StoredRecord ? part : loaded?.get(part);
}

function memberNode(node: Node | undefined, key: string): Node | undefined {
  if (node?.kind === 'map') return node.values.node;
  return node?.kind === 'object' ? node.byName.get(key)?.node : undefined;
}

function refuseSecret(key: string, secrets: ReadonlySet<string>): void {
  if (!secrets.has(key)) return;
  throw new Error(
    `A handler returned an object with \`${key}\`, the name of a private field: part of a record, or a copy of one. Return the record that \`ctx.load()\` or \`ctx.save()\` gave, or what clients may read of it; or say in \`answer\` that it is meant.`,
  );
}
