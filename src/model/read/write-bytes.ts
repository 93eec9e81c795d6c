import { absent, type CompiledField, type Node, type ObjectNode, type Slot } from '../node.ts';
import { compileShownValue } from '../shown-value.ts';
import { bson, declined, documentEnd, valueEnd } from '../value/bson-bytes.ts';
import { numbersInPaths } from '../value/number-in-path.ts';
import { type WriteBson, writeArray, writeBson, writeMembers, writeNull } from '../value/write-bson.ts';
import { readableComputed } from './computed-fields.ts';
import { holdsPrivate, readableFields } from './private-fields.ts';
import { type Choice, compileItemWriter, type Selection, type ValueWriter, type WriteJson } from './write-json.ts';

/**
 * Writes the readable fields of a record as JSON, directly from its BSON bytes. The text is byte for byte what the
 * {@link ValueWriter} writes for the decoded record. Throws `declined` if the record must be decoded.
 */
export interface BytesWriter {
  readonly write: WriteBson;
  /** Makes a writer of the chosen fields. */
  select(selection: Selection): WriteBson;
}

/** The writer of a model's records, which is compiled when it is first used. */
export function compileRootBytesWriter(root: ObjectNode): BytesWriter {
  let compiled: BytesWriter | undefined;
  function writer(): BytesWriter {
    compiled ??= compileBytesWriter(root);
    return compiled;
  }
  return {
    write: (source, type, start, end, out) => writer().write(source, type, start, end, out),
    select: (selection) => writer().select(selection),
  };
}

/** Compiles the writer of an object. It writes the fields in declared order, whatever their order in the bytes. */
function compileBytesWriter(node: ObjectNode): BytesWriter {
  const members = readableFields(node).map(compileMember);
  const writeMismatch = compileMismatch(node);
  const joined = (chosen: readonly ChosenMember[]) => joinMembers(chosen, writeMismatch);
  const computed = readableComputed(node);
  return {
    write:
      computed.length > 0
        ? decline
        : joined(members.map((member) => ({ member, write: member.value.write, writeShown: member.shown.write }))),
    select(selection) {
      if (computed.some(({ field }) => selection.has(field.name))) return decline;
      return joined(
        members.flatMap((member) => {
          const choice: Choice | undefined = selection.get(member.name);
          if (choice === undefined || choice === 'fetched') return [];
          const { value, shown } = member;
          if (choice === 'whole') return { member, write: value.write, writeShown: shown.write };
          return { member, write: value.select(choice), writeShown: shown.select(choice) };
        }),
      );
    },
  };
}

/** A field is computed from decoded values. */
function decline(): never {
  throw declined;
}

/** A readable field, as it is found in the bytes of an object and written. */
interface BytesMember {
  readonly name: string;
  readonly key: Uint8Array;
  readonly hash: number;
  /** `"name":` */
  readonly prefix: Uint8Array;
  readonly nullable: boolean;
  readonly value: BytesWriter;
  /** Makes the value that a record without the field shows. */
  readonly makeMissing: () => unknown;
  /** Writes that value. */
  readonly shown: ValueWriter;
}

const nothing = {};

interface ChosenMember {
  readonly member: BytesMember;
  readonly write: WriteBson;
  readonly writeShown: WriteJson;
}

function compileMember(field: CompiledField): BytesMember {
  const key = Buffer.from(field.key);
  const showValue = compileShownValue(field);
  return {
    name: field.name,
    key,
    hash: hashOf(key, 0, key.length),
    prefix: Buffer.from(`${JSON.stringify(field.name)}:`),
    nullable: field.nullable,
    value: field.isId ? compileId(field.node) : compileValue(field.node),
    makeMissing: () => showValue(nothing),
    shown: compileItemWriter(field, field.name),
  };
}

/** Makes a writer of these members. It first finds their values, which may be in any order, and then writes them. */
function joinMembers(chosen: readonly ChosenMember[], writeMismatch: WriteBson): WriteBson {
  const byHash = new Map<number, number[]>();
  for (const [index, { member }] of chosen.entries()) byHash.set(member.hash, [...(byHash.get(member.hash) ?? []), index]);
  const count = chosen.length;
  // The positions of one object at a time. Writing is synchronous, and no object contains itself.
  const types = new Uint8Array(count);
  const starts = new Int32Array(count);
  const ends = new Int32Array(count);

  /** The member with a key; -1 if there is none. It has no closure, which {@link locate} would make for each member. */
  function indexOf(hash: number, source: Uint8Array, keyStart: number, nul: number): number {
    const found = byHash.get(hash);
    if (found) for (const one of found) if (isKey(chosen[one] as ChosenMember, hash, source, keyStart, nul)) return one;
    return -1;
  }

  function locate(source: Uint8Array, start: number, end: number): void {
    types.fill(0);
    const last = documentEnd(source, start, end) - 1;
    let expected = 0;
    for (let at = start + 4; at < last; ) {
      const type = source[at] as number;
      const keyStart = at + 1;
      let hash = 0;
      let nul = keyStart;
      for (let code = source[nul] as number; code !== 0; code = source[nul] as number) {
        hash = (Math.imul(hash, 31) + code) | 0;
        if (++nul >= last) throw declined;
      }
      const from = nul + 1;
      at = valueEnd(source, type, from, last);
      let index = expected;
      if (index >= count || !isKey(chosen[index] as ChosenMember, hash, source, keyStart, nul)) {
        index = indexOf(hash, source, keyStart, nul);
      }
      if (index >= 0) {
        types[index] = type;
        starts[index] = from;
        ends[index] = at;
        expected = index + 1;
      } else if (source[keyStart] === dollar) throw declined; // the driver may make a DBRef of the object
    }
  }

  return function writeObject(source, type, start, end, out) {
    if (type !== bson.object) {
      writeMismatch(source, type, start, end, out);
      return;
    }
    locate(source, start, end);
    out.byte(0x7b);
    let isFirst = true;
    for (let index = 0; index < count; index++) {
      const { member, write, writeShown } = chosen[index] as ChosenMember;
      const found = types[index] as number;
      const isMissing = found === 0 || (found === bson.null && !member.nullable);
      const shown = isMissing ? member.makeMissing() : undefined;
      if (shown === absent) continue;
      if (!isFirst) out.byte(0x2c);
      isFirst = false;
      out.raw(member.prefix);
      if (isMissing) out.text(writeShown(shown));
      else if (found === bson.null) writeNull(out);
      else write(source, found, starts[index] as number, ends[index] as number, out);
    }
    out.byte(0x7d);
  };
}

const dollar = 0x24;

function isKey({ member }: ChosenMember, hash: number, source: Uint8Array, start: number, end: number): boolean {
  const { key } = member;
  if (member.hash !== hash || key.length !== end - start) return false;
  for (let index = 0; index < key.length; index++) if (key[index] !== source[start + index]) return false;
  return true;
}

function hashOf(key: Uint8Array, start: number, end: number): number {
  let hash = 0;
  for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + (key[at] as number)) | 0;
  return hash;
}

/** A value of another shape than declared is written as it is, unless it could hold private values: then it is null. */
function compileMismatch(node: Node): WriteBson {
  return holdsPrivate(node) ? (_source, _type, _start, _end, out) => writeNull(out) : writeBson;
}

/** A decimal among the numbers that are ids is decoded: it is written as its path has it. */
function compileId(node: Node): BytesWriter {
  const whole = compileValue(node);
  if (node.kind !== 'leaf' || !numbersInPaths(node.leaf)) return whole;
  return indivisible((source, type, start, end, out) => {
    if (type === bson.decimal128) throw declined;
    whole.write(source, type, start, end, out);
  });
}

function compileValue(node: Node): BytesWriter {
  switch (node.kind) {
    case 'leaf':
      return indivisible(node.leaf.writeBson ?? writeBson);
    case 'object':
      return compileBytesWriter(node);
    case 'array':
      return compileArray(node, node.items);
    case 'map': {
      const { write } = compileValue(node.values.node);
      const writeMismatch = compileMismatch(node);
      return indivisible((source, type, start, end, out) => {
        if (type === bson.object) writeMembers(source, start, end, write, out);
        else writeMismatch(source, type, start, end, out);
      });
    }
  }
}

/** Makes the writer of a value within which nothing can be chosen. */
function indivisible(write: WriteBson): BytesWriter {
  return { write, select: () => write };
}

function compileArray(node: Node, items: Slot): BytesWriter {
  const item = compileValue(items.node);
  const writeMismatch = compileMismatch(node);
  const around =
    (write: WriteBson): WriteBson =>
    (source, type, start, end, out) => {
      if (type === bson.array) writeArray(source, start, end, write, out);
      else writeMismatch(source, type, start, end, out);
    };
  return { write: around(item.write), select: (selection) => around(item.select(selection)) };
}
