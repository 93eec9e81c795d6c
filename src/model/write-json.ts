import type { Embedded } from './embedded.ts';
import { compileMissingValue } from './missing-value.ts';
import {
  type ArrayNode,
  type CompiledField,
  join,
  type LeafNode,
  type MapNode,
  type Node,
  type ObjectNode,
  relationName,
  relationSlot,
  type Slot,
} from './node.ts';
import { absent } from './read-value.ts';
import { compileMemberRead, isStoredObject, mapEntries } from './stored-shape.ts';
import { writeUntyped } from './untyped.ts';

/** The JSON text of a stored value, as a client reads it; with `embedded`, included records stand where their ids lead to them. */
export type WriteJson = (stored: unknown, embedded?: Embedded) => string;

/**
 * Compiles the writer of an object: its readable fields in declared order, never a private one, at any depth. A field that the record
 * lacks reads as its default, a nullable one as null; only an optional one may be absent (decisions, "Bodies"). A stored value that is not
 * of its field's type is served as the JSON that it is: a read never fails on old data. `path` is that of the object in its model.
 */
export function compileObjectWriter(node: ObjectNode, path = ''): WriteJson {
  const fields = node.fields.filter((field) => !field.policy.private);
  const members = fields.map((field) => compileMemberWriter(field, path));
  const added = fields.flatMap((field) => compileAddedWriter(field, path));
  const writeMismatch = compileMismatchWriter(node);
  return function writeRecord(stored, embedded) {
    if (!isStoredObject(stored)) return writeMismatch(stored);
    let text = '';
    for (const write of members) {
      const member = write(stored, embedded);
      if (member !== '') text += text === '' ? member : `,${member}`;
    }
    if (embedded) for (const write of added) text = append(text, write(stored, embedded));
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

function holdsPrivate(node: Node): boolean {
  switch (node.kind) {
    case 'leaf':
      return false;
    case 'object':
      return node.fields.some((field) => field.policy.private || holdsPrivate(field.node));
    case 'array':
      return holdsPrivate(node.items.node);
    case 'map':
      return holdsPrivate(node.values.node);
  }
}

type StoredObject = Readonly<Record<string, unknown>>;

/** Writes `"name":value`, or nothing for an absent optional field. */
function compileMemberWriter(field: CompiledField, path: string): (stored: StoredObject, embedded?: Embedded) => string {
  const prefix = `${JSON.stringify(field.name)}:`;
  const write = compileItemWriter(field, join(path, field.name));
  const read = compileMemberRead(field.key);
  const makeMissing = compileMissingValue(field);
  return function writeMember(stored, embedded) {
    const value = read(stored);
    if (value !== undefined && (value !== null || field.nullable)) return prefix + write(value, embedded);
    const shown = makeMissing();
    return shown === absent ? '' : prefix + write(shown, embedded);
  };
}

/**
 * Writes what `include` adds beside a relation with `as`: `"name":record`, or nothing where it was not included. Null is an id that leads to
 * nothing that the client may see; the records of a list stand in the order of the ids.
 */
function compileAddedWriter(field: CompiledField, path: string): ((stored: StoredObject, embedded: Embedded) => string)[] {
  const slot = relationSlot(field);
  if (slot?.ref.as === undefined) return [];
  const prefix = `${JSON.stringify(slot.ref.as)}:`;
  const read = compileMemberRead(field.key);
  const makeMissing = compileMissingValue(field);
  const relation = relationName(path, slot.ref, field);
  const write = compileRecordWriter(field.node, relation);
  return [
    function writeAdded(stored, embedded) {
      if (!embedded.has(relation)) return '';
      const value = read(stored);
      return prefix + write(value === undefined || (value === null && !field.nullable) ? makeMissing() : value, embedded);
    },
  ];
}

function compileRecordWriter(node: Node, relation: string): (stored: unknown, embedded: Embedded) => string {
  if (node.kind === 'array') {
    const write = compileRecordWriter(node.items.node, relation);
    return (stored, embedded) => (Array.isArray(stored) ? `[${stored.map((one) => write(one, embedded)).join(',')}]` : 'null');
  }
  const { toJson: writeId } = (node as LeafNode).leaf;
  return (stored, embedded) => (isNothing(stored) ? 'null' : (embedded.textOf(relation, writeId(stored)) ?? 'null'));
}

function isNothing(stored: unknown): boolean {
  return stored === null || stored === undefined || stored === absent;
}

function compileItemWriter(slot: Slot, path: string): WriteJson {
  const write = compileWriter(slot, path);
  return (stored, embedded) => (stored === null || stored === undefined ? 'null' : write(stored, embedded));
}

function compileWriter({ node, ref }: Slot, path: string): WriteJson {
  switch (node.kind) {
    case 'leaf':
      return ref && ref.as === undefined ? compileReplacedWriter(path, node.leaf.toJson) : node.leaf.toJson;
    case 'object':
      return compileObjectWriter(node, path);
    case 'array':
      return compileArrayWriter(node, path);
    case 'map':
      return compileMapWriter(node, join(path, '*')); // where no relation has a name
  }
}

/** Writes a relation without `as`: the included record, or the id that leads to nothing that the client may see. */
function compileReplacedWriter(relation: string, writeId: WriteJson): WriteJson {
  return function writeRecordOrId(stored, embedded) {
    const id = writeId(stored);
    return embedded?.textOf(relation, id) ?? id;
  };
}

function compileArrayWriter(node: ArrayNode, path: string): WriteJson {
  const write = compileItemWriter(node.items, path);
  const writeMismatch = compileMismatchWriter(node);
  return (stored, embedded) => (Array.isArray(stored) ? `[${stored.map((one) => write(one, embedded)).join(',')}]` : writeMismatch(stored));
}

function compileMapWriter(node: MapNode, path: string): WriteJson {
  const write = compileItemWriter(node.values, path);
  const writeMismatch = compileMismatchWriter(node);
  return function writeMap(stored, embedded) {
    const members = mapEntries(stored);
    if (!members) return writeMismatch(stored);
    let text = '';
    for (const [key, member] of members) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${write(member, embedded)}`;
    return `{${text}}`;
  };
}

/** Paths of private fields, for a projection that never reads them from the database; those inside maps have no fixed path. */
export function privatePaths(node: Node, path = ''): string[] {
  switch (node.kind) {
    case 'leaf':
    case 'map':
      return [];
    case 'array':
      return privatePaths(node.items.node, path);
    case 'object':
      return node.fields.flatMap((field) => {
        const at = join(path, field.key);
        return field.policy.private ? [at] : privatePaths(field.node, at);
      });
  }
}
