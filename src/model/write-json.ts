import { compileMissingValue } from './missing-value.ts';
import { type ArrayNode, type CompiledField, join, type MapNode, type Node, type ObjectNode, type Slot } from './node.ts';
import { absent } from './read-value.ts';
import { compileMemberRead, isStoredObject, mapEntries } from './stored-shape.ts';
import { writeUntyped } from './untyped.ts';

/** The JSON text of a stored value, as a client reads it. */
export type WriteJson = (stored: unknown) => string;

/**
 * Compiles the writer of an object: its readable fields in declared order, never a private one, at any depth. A field that the record
 * lacks reads as its default, a nullable one as null; only an optional one may be absent (decisions, "Bodies"). A stored value that is not
 * of its field's type is served as the JSON that it is: a read never fails on old data.
 */
export function compileObjectWriter(node: ObjectNode): WriteJson {
  const members = node.fields.filter((field) => !field.policy.private).map(compileMemberWriter);
  const writeMismatch = compileMismatchWriter(node);
  return function writeRecord(stored) {
    if (!isStoredObject(stored)) return writeMismatch(stored);
    let text = '';
    for (const write of members) {
      const member = write(stored);
      if (member !== '') text += text === '' ? member : `,${member}`;
    }
    return `{${text}}`;
  };
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

/** Writes `"name":value`, or nothing for an absent optional field. */
function compileMemberWriter(field: CompiledField): (stored: Readonly<Record<string, unknown>>) => string {
  const prefix = `${JSON.stringify(field.name)}:`;
  const write = compileItemWriter(field);
  const read = compileMemberRead(field.key);
  const makeMissing = compileMissingValue(field);
  return function writeMember(stored) {
    const value = read(stored);
    if (value !== undefined && (value !== null || field.nullable)) return prefix + write(value);
    const shown = makeMissing();
    return shown === absent ? '' : prefix + write(shown);
  };
}

function compileItemWriter(slot: Slot): WriteJson {
  const write = compileWriter(slot);
  return (stored) => (stored === null || stored === undefined ? 'null' : write(stored));
}

function compileWriter({ node }: Slot): WriteJson {
  switch (node.kind) {
    case 'leaf':
      return node.leaf.toJson;
    case 'object':
      return compileObjectWriter(node);
    case 'array':
      return compileArrayWriter(node);
    case 'map':
      return compileMapWriter(node);
  }
}

function compileArrayWriter(node: ArrayNode): WriteJson {
  const write = compileItemWriter(node.items);
  const writeMismatch = compileMismatchWriter(node);
  return (stored) => (Array.isArray(stored) ? `[${stored.map(write).join(',')}]` : writeMismatch(stored));
}

function compileMapWriter(node: MapNode): WriteJson {
  const write = compileItemWriter(node.values);
  const writeMismatch = compileMismatchWriter(node);
  return function writeMap(stored) {
    const members = mapEntries(stored);
    if (!members) return writeMismatch(stored);
    let text = '';
    for (const [key, member] of members) text += `${text === '' ? '' : ','}${JSON.stringify(key)}:${write(member)}`;
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
