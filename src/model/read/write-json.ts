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
import { isStoredObject, mapEntries } from '../value/stored-shape.ts';
import { writeUntyped } from '../value/untyped.ts';
import type { Included } from './included.ts';
import { holdsPrivate, readableFields } from './private-fields.ts';
import { compileShownValue } from './shown-value.ts';

/** The JSON text of a stored value, as a client reads it; with `included`, included records stand where their ids lead to them. */
export type WriteJson = (stored: unknown, included?: Included) => string;

/** What is chosen of a field: all of it, what is chosen within it, or nothing: it is fetched for the record that it leads to. */
export type Choice = 'whole' | 'fetched' | Selection;

/** What is chosen of an object, by the names of its fields. */
export type Selection = ReadonlyMap<string, Choice>;

/** The writer of a value, and those of its parts. */
export interface ValueWriter {
  readonly write: WriteJson;
  /** Writes only what is chosen. It is put together from parts that are compiled already, so that a request can afford one of its own. */
  select(selection: Selection): WriteJson;
}

/**
 * Compiles the writer of an object: its readable fields in declared order, never a private one, at any depth. A field that the record
 * lacks reads as its default, a nullable one as null; only an optional one may be absent. A stored value that is not
 * of its field's type is served as the JSON that it is: a read never fails on old data. `path` is that of the object in its model.
 */
export function compileObjectWriter(node: ObjectNode, path = ''): ValueWriter {
  const fields = readableFields(node);
  const members = fields.map((field) => compileMemberWriter(field, path));
  const added = fields.flatMap((field) => compileAddedWriter(field, path));
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

/** Writes `"name":value`, or nothing for an absent optional field. */
type WriteMember = (stored: StoredObject, included?: Included) => string;

/** Writes the record that an included relation leads to; nothing where it was not included. */
type WriteAdded = (stored: StoredObject, included: Included) => string;

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

/** What is not of the declared shape is served as it is, unless values declared private could stand in it. */
function compileMismatchWriter(node: Node): WriteJson {
  return holdsPrivate(node) ? () => 'null' : writeUntyped;
}

interface MemberWriter {
  readonly name: string;
  readonly write: WriteMember;
  select(selection: Selection): WriteMember;
}

function compileMemberWriter(field: CompiledField, path: string): MemberWriter {
  const { name } = field;
  const prefix = `${JSON.stringify(name)}:`;
  const value = compileItemWriter(field, join(path, name));
  const show = compileShownValue(field);
  function memberOf(write: WriteJson): WriteMember {
    return function writeMember(stored, included) {
      const shown = show(stored);
      return shown === absent ? '' : prefix + write(shown, included);
    };
  }
  return { name, write: memberOf(value.write), select: (selection) => memberOf(value.select(selection)) };
}

/**
 * Writes what `include` adds beside a relation with `as`: `"name":record`, or nothing where it was not included. Null is an id that leads to
 * nothing that the client may see; the records of a list stand in the order of the ids.
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
  const { toJson: writeId } = (node as LeafNode).leaf;
  return (stored, included) => (isNothing(stored) ? 'null' : (included.textOf(relation, writeId(stored)) ?? 'null'));
}

function isNothing(stored: unknown): boolean {
  return stored === null || stored === undefined || stored === absent;
}

/** Compiles the writer of a value that stands alone. */
export function compileValueWriter(slot: Slot): WriteJson {
  return compileItemWriter(slot, '').write;
}

/** Compiles the writer of a value and of its parts: null, where there is none. */
export function compileItemWriter(slot: Slot, path: string): ValueWriter {
  return wrapWriter(
    compileWriter(slot, path),
    (write) => (stored, included) => (stored === null || stored === undefined ? 'null' : write(stored, included)),
  );
}

/** The same around the whole and around a part. */
function wrapWriter({ write, select }: ValueWriter, wrap: (write: WriteJson) => WriteJson): ValueWriter {
  return { write: wrap(write), select: (selection) => wrap(select(selection)) };
}

function compileWriter({ node, ref }: Slot, path: string): ValueWriter {
  switch (node.kind) {
    case 'leaf':
      return indivisible(ref && ref.as === undefined ? compileReplacedWriter(path, node.leaf.toJson) : node.leaf.toJson);
    case 'object':
      return compileObjectWriter(node, path);
    case 'array':
      return compileArrayWriter(node, path);
    case 'map':
      return compileMapWriter(node, join(path, '*')); // where no relation has a name
  }
}

/** Nothing can be chosen within such a value. */
function indivisible(write: WriteJson): ValueWriter {
  return { write, select: () => write };
}

/** Writes a relation without `as`: the included record, or the id that leads to nothing that the client may see. */
function compileReplacedWriter(relation: string, writeId: WriteJson): WriteJson {
  return function writeRecordOrId(stored, included) {
    const id = writeId(stored);
    return included?.textOf(relation, id) ?? id;
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

/** A map's keys are no fields. */
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
