import {
  type ArrayNode,
  absent,
  type CompiledField,
  join,
  type LeafNode,
  type MapNode,
  type Node,
  type ObjectNode,
  relationName,
  relationSlot,
  type Slot,
} from '../node.ts';
import type { Included, WriteAdded } from '../relations/included.ts';
import { compileShownValue } from '../shown-value.ts';
import type { Leaf } from '../value/leaf.ts';
import { idToJson, numbersInPaths } from '../value/number-in-path.ts';
import { isStoredObject, mapEntries } from '../value/stored-shape.ts';
import { writeUntyped } from '../value/untyped.ts';
import { changeFields, showNull } from './change-fields.ts';
import { readableComputed } from './computed-fields.ts';
import { holdsPrivate, readableFields } from './private-fields.ts';

/** Writes a stored value as JSON for a client, with the included records of its relations. */
export type WriteJson = (stored: unknown, included?: Included) => string;

/**
 * The part of a field that a client chose: all of it, or some of its fields. A field that is only `fetched` is needed
 * for an included record, and not shown.
 */
export type Choice = 'whole' | 'fetched' | Selection;

/** The parts of an object that a client chose, by the names of its fields. */
export type Selection = ReadonlyMap<string, Choice>;

/** The writer of a value, from which writers of its parts can be made. */
export interface ValueWriter {
  readonly write: WriteJson;
  /**
   * Makes a writer of the chosen parts. It is cheap enough for a single request, because all parts are compiled
   * already.
   */
  select(selection: Selection): WriteJson;
}

/**
 * The writer of a model's records, which is compiled when it is first used: writers take a third of the memory of a
 * model, and many models need none for documents beside that for bytes.
 */
export function compileRootWriter(root: ObjectNode, many: readonly WriteAdded[]): ValueWriter {
  let compiled: ValueWriter | undefined;
  function writer(): ValueWriter {
    compiled ??= compileObjectWriter(root, '', many);
    return compiled;
  }
  return {
    write: (stored, included) => writer().write(stored, included),
    select: (selection) => writer().select(selection),
  };
}

/**
 * Compiles the writer of an object. It writes the readable fields in declared order, then those that are computed, and
 * never a private one, at any depth. A missing field shows its default, or null if it is nullable; only optional fields
 * are omitted. A stored value of another type is written as it is, because a read must not fail on old data. `path` is
 * the path of the object in its model, and `many` write what stands behind the fields of a record.
 */
export function compileObjectWriter(node: ObjectNode, path = '', many: readonly WriteAdded[] = []): ValueWriter {
  const fields = readableFields(node);
  const members = [
    ...fields.map((field) => compileMemberWriter(field, path)),
    ...readableComputed(node).map(({ field, compute }) => compileMemberWriter(changeFields(field, showNull), path, compute)),
  ];
  const added = [...fields.flatMap((field) => compileAddedWriter(field, path)), ...many];
  const writeMismatch = compileMismatchWriter(node);
  const joined = (chosen: readonly WriteMember[]) => joinMembers(chosen, added, writeMismatch);
  return {
    write: joined(members.map(({ write }) => write)),
    select(selection) {
      const chosen = members.flatMap(({ name, write, select }) => {
        const choice = selection.get(name);
        if (choice === undefined || choice === 'fetched') return [];
        return choice === 'whole' ? write : select(choice);
      });
      return joined(chosen);
    },
  };
}

type StoredObject = Readonly<Record<string, unknown>>;

/** Writes `"name":value`, or nothing for an optional field that is absent. */
type WriteMember = (stored: StoredObject, included?: Included) => string;

function joinMembers(members: readonly WriteMember[], added: readonly WriteAdded[], writeMismatch: WriteJson): WriteJson {
  return function writeRecord(stored, included) {
    if (!isStoredObject(stored)) return writeMismatch(stored);
    let text = '';
    for (const write of members) text = append(text, write(stored, included));
    if (included) for (const write of added) text = append(text, write(stored, included));
    return `{${text}}`;
  };
}

function append(text: string, member: string): string {
  if (member === '') return text;
  return text === '' ? member : `${text},${member}`;
}

/** A value of another shape than declared is written as it is, unless it could hold private values: then it is null. */
function compileMismatchWriter(node: Node): WriteJson {
  return holdsPrivate(node) ? () => 'null' : writeUntyped;
}

interface MemberWriter {
  readonly name: string;
  readonly write: WriteMember;
  select(selection: Selection): WriteMember;
}

function compileMemberWriter(field: CompiledField, path: string, show = compileShownValue(field)): MemberWriter {
  const { name } = field;
  const prefix = `${JSON.stringify(name)}:`;
  const value = compileFieldWriter(field, join(path, name));
  function memberOf(write: WriteJson): WriteMember {
    return function writeMember(stored, included) {
      const shown = show(stored);
      return shown === absent ? '' : prefix + write(shown, included);
    };
  }
  return { name, write: memberOf(value.write), select: (selection) => memberOf(value.select(selection)) };
}

/**
 * Compiles the writer of a field. An id that is a number is written as its path has it: a decimal 9.00 among integers
 * is 9.
 */
export function compileFieldWriter(field: CompiledField, path: string): ValueWriter {
  const { isId, node } = field;
  if (!isId || node.kind !== 'leaf' || !numbersInPaths(node.leaf)) return compileItemWriter(field, path);
  const { leaf } = node;
  return compileItemWriter({ ...field, node: { ...node, leaf: { ...leaf, toJson: (stored) => idToJson(leaf, stored) } } }, path);
}

/**
 * Compiles the writer of the member that `include` adds for a relation with `as`: `"name":record`, or nothing if it was
 * not included. It is null if the client may not see such a record. The records of an array are in the order of its
 * ids.
 */
function compileAddedWriter(field: CompiledField, path: string): WriteAdded[] {
  const slot = relationSlot(field);
  if (slot?.ref.as === undefined) return [];
  const prefix = `${JSON.stringify(slot.ref.as)}:`;
  const show = compileShownValue(field);
  const relation = relationName(path, slot.ref, field);
  const write = compileRecordWriter(field.node, relation);
  return [
    function writeAdded(stored, included) {
      return included.has(relation) ? prefix + write(show(stored), included) : '';
    },
  ];
}

function compileRecordWriter(node: Node, relation: string): (stored: unknown, included: Included) => string {
  if (node.kind === 'array') {
    const write = compileRecordWriter(node.items.node, relation);
    return (stored, included) => (Array.isArray(stored) ? `[${stored.map((one) => write(one, included)).join(',')}]` : 'null');
  }
  const { leaf } = node as LeafNode;
  return (stored, included) => (isNothing(stored) ? 'null' : (included.textOf(relation, idToJson(leaf, stored)) ?? 'null'));
}

function isNothing(stored: unknown): boolean {
  return stored === null || stored === undefined || stored === absent;
}

/** Compiles the writer of a single value. */
export function compileValueWriter(slot: Slot): WriteJson {
  return compileItemWriter(slot, '').write;
}

/** Compiles the writer of a value and of its parts. A missing value is null. */
export function compileItemWriter(slot: Slot, path: string): ValueWriter {
  return wrapWriter(
    compileWriter(slot, path),
    (write) => (stored, included) => (stored === null || stored === undefined ? 'null' : write(stored, included)),
  );
}

/** Wraps the writer of a value and those of its parts. */
function wrapWriter({ write, select }: ValueWriter, wrap: (write: WriteJson) => WriteJson): ValueWriter {
  return { write: wrap(write), select: (selection) => wrap(select(selection)) };
}

function compileWriter({ node, ref }: Slot, path: string): ValueWriter {
  switch (node.kind) {
    case 'leaf':
      return indivisible(ref && ref.as === undefined ? compileReplacedWriter(path, node.leaf) : node.leaf.toJson);
    case 'object':
      return compileObjectWriter(node, path);
    case 'array':
      return compileArrayWriter(node, path);
    case 'map':
      return compileMapWriter(node, join(path, '*')); // relations in maps have no name
  }
}

/** Makes the writer of a value within which nothing can be chosen. */
function indivisible(write: WriteJson): ValueWriter {
  return { write, select: () => write };
}

/**
 * Compiles the writer of a relation without `as`: the included record, or the id if the client may not see the record.
 */
function compileReplacedWriter(relation: string, leaf: Leaf): WriteJson {
  return function writeRecordOrId(stored, included) {
    return included?.textOf(relation, idToJson(leaf, stored)) ?? leaf.toJson(stored);
  };
}

function compileArrayWriter(node: ArrayNode, path: string): ValueWriter {
  const writeMismatch = compileMismatchWriter(node);
  return wrapWriter(
    compileItemWriter(node.items, path),
    (write) => (stored, included) =>
      Array.isArray(stored) ? `[${stored.map((one) => write(one, included)).join(',')}]` : writeMismatch(stored),
  );
}

/** Compiles the writer of a map. Its keys are not fields. */
function compileMapWriter(node: MapNode, path: string): ValueWriter {
  const { write } = compileItemWriter(node.values, path);
  const writeMismatch = compileMismatchWriter(node);
  return indivisible(function writeMap(stored, included) {
    const members = mapEntries(stored);
    if (!members) return writeMismatch(stored);
    let text = '';
    for (const [key, member] of members) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${write(member, included)}`;
    return `{${text}}`;
  });
}
