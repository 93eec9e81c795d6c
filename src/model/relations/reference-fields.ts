import { ConfigurationError } from '../../errors.ts';
import { showName } from '../../hints.ts';
import { tryAll } from '../../mistakes.ts';
import {
  absent,
  type CompiledField,
  type FieldEntry,
  type FieldTable,
  join,
  type LeafNode,
  type ObjectNode,
  type Reference,
  type Slot,
} from '../node.ts';
import type { Leaf } from '../value/leaf.ts';
import { own } from '../value/plain-object.ts';
import { isStoredObject } from '../value/stored-shape.ts';

/** Called with an id in stored form, and its dotted path as clients write it: `lines.0.productId`. */
export type VisitId = (id: unknown, path: string) => void;

/** A field with a reference that is checked: with `exists` or `onDelete`. */
export interface ReferenceField {
  /** The dotted name that clients write. It has no steps for the items of arrays. */
  readonly name: string;
  /** The dotted path of the stored keys. */
  readonly path: string;
  readonly ref: Reference;
  /** The type of its ids. */
  readonly leaf: Leaf;
  /** Whether clients do not know of the field. */
  readonly isPrivate: boolean;
  /** Whether it is an array of references. */
  readonly isList: boolean;
  /** Whether every record has a value here: no field on the way may be null, absent or an array. */
  readonly isRequired: boolean;
  /** The stored form of no reference: null, or no key. */
  readonly none: null | typeof absent;
  /** Visits the ids in a record, in stored form. Null and missing values are skipped. */
  visit(stored: unknown, visit: VisitId): void;
  /**
   * Visits the ids in a value that is written at a stored path. It visits nothing if the path does not lead to the
   * field.
   */
  visitAt(path: string, value: unknown, visit: VisitId): void;
}

/** Whether a write must check that the record of a reference is there. */
function isChecked({ exists, onDelete }: Reference): boolean {
  return exists === true || onDelete !== undefined;
}

/**
 * Compiles the checked references of a model. Throws a {@link ConfigurationError} for one that cannot hold: in a map or
 * an array of arrays, `nullify` where there must be a value, `pull` outside of an array, and `onDelete` of the id of a
 * default.
 */
export function compileReferenceFields(table: FieldTable, root: ObjectNode, model: string): readonly ReferenceField[] {
  const found = [...table.values()].flatMap((entry) => {
    const slot = referenceSlot(entry.field);
    return slot ? [{ entry, slot }] : [];
  });
  const compiled = tryAll(
    found.map(
      ({ entry, slot }) =>
        () =>
          compileField(entry, slot, model),
    ),
  );
  const lost = [...checkedIn({ node: root, nullable: false, constraint: undefined }, '')].find(({ isFixed }) => !isFixed);
  if (lost)
    throw new ConfigurationError(
      `\`${lost.path}\` of ${model} has \`${optionOf(lost.ref)}\` for its reference to ${lost.ref.model}: a reference in a map or an array of arrays has none.`,
    );
  checkDefaults(table, compiled, model);
  return compiled;
}

type ReferenceSlot = Slot & { readonly ref: Reference };

/** The fields on the way to one, from the outermost. */
function stepsTo({ field, parent }: FieldEntry): readonly CompiledField[] {
  return [...(parent ? stepsTo(parent) : []), field];
}

function namesOf(steps: readonly CompiledField[]): string {
  return steps.map(({ name }) => name).join('.');
}

/** The slot of a checked reference: the field itself, or the items of its array. */
function referenceSlot(field: Slot): ReferenceSlot | undefined {
  const slot = field.node.kind === 'array' ? field.node.items : field;
  return slot.ref && slot.node.kind === 'leaf' && isChecked(slot.ref) ? (slot as ReferenceSlot) : undefined;
}

function compileField(entry: FieldEntry, slot: ReferenceSlot, model: string): ReferenceField {
  const { field, name, path } = entry;
  const isList = field.node.kind === 'array';
  checkAction(entry, slot, `\`${name}\` of ${model}`);
  const steps = stepsTo(entry);
  return {
    name,
    path,
    ref: slot.ref,
    leaf: (slot.node as LeafNode).leaf,
    isPrivate: entry.isPrivate,
    isList,
    isRequired: !entry.mayBeMissing && entry.arrayPath === undefined,
    none: isList || (field.nullable && field.storeNone) ? null : absent,
    visit: (stored, visit) => visitBelow(stored, steps, '', visit),
    visitAt(written, value, visit) {
      if (!isAt(path, written)) return;
      const depth = written.split('.').length;
      visitBelow(value, steps.slice(depth), namesOf(steps.slice(0, depth)), visit);
    },
  };
}

function checkAction({ field }: FieldEntry, slot: ReferenceSlot, where: string): void {
  const { model, onDelete } = slot.ref;
  const what = `${where} has \`onDelete: '${onDelete}'\` for its reference to ${model}`;
  const { node } = field;
  if (onDelete === 'pull' && node.kind !== 'array')
    throw new ConfigurationError(`${what}: \`pull\` removes items of an array of references. Use \`nullify\` for a single one.`);
  if (onDelete === 'pull' && node.kind === 'array' && Number(node.keywords.minItems ?? 0) > 0)
    throw new ConfigurationError(`${what}: it would leave fewer items than \`minItems\` requires.`);
  if (onDelete === 'nullify' && node.kind === 'array' && node.keywords.uniqueItems === true)
    throw new ConfigurationError(`${what}: several nulls would break \`uniqueItems\`. Use \`pull\`.`);
  const mayBeNone = node.kind === 'array' ? slot.nullable : field.nullable || field.optional;
  if (onDelete === 'nullify' && !mayBeNone)
    throw new ConfigurationError(
      `${what}, but there must be a value: use \`t.nullable\` or \`t.optional\`${node.kind === 'array' ? ', or `pull`' : ''}.`,
    );
}

/**
 * Refuses defaults with ids of references with `onDelete`: a record without a value shows them, and no delete could
 * find it by them.
 */
function checkDefaults(table: FieldTable, references: readonly ReferenceField[], model: string): void {
  for (const { field, path, name: at } of table.values()) {
    const within = field.makeDefault ? references.filter((one) => one.ref.onDelete && isAt(one.path, path)) : [];
    const value = within.length > 0 ? defaultOf(field, `\`${at}\` of ${model}`) : undefined;
    for (const { name, ref, visitAt } of within)
      visitAt(path, value, () => {
        throw new ConfigurationError(
          `\`${name}\` of ${model} has \`onDelete: '${ref.onDelete}'\` for its reference to ${ref.model}, but a record without a value shows the id of its default: remove that.`,
        );
      });
  }
}

function defaultOf({ makeDefault }: CompiledField, where: string): unknown {
  try {
    return makeDefault?.();
  } catch (error) {
    throw new ConfigurationError(
      `The \`default\` of ${where} is asked once when the model is compiled, because no default may have the id of a reference with \`onDelete\`, and has failed: ${error instanceof Error ? error.message : showName(error)}`,
    );
  }
}

/** Whether a path is that of a value, or leads to what stands in it. */
function isAt(path: string, whole: string): boolean {
  return path === whole || path.startsWith(`${whole}.`);
}

/** Each checked reference within a value: whether a query of the database can reach it. */
function* checkedIn(
  { node, ref }: Slot,
  path: string,
  isFixed = true,
): Iterable<{ readonly path: string; readonly ref: Reference; readonly isFixed: boolean }> {
  if (ref && isChecked(ref)) yield { path, ref, isFixed: isFixed && node.kind === 'leaf' };
  if (node.kind === 'object') for (const field of node.fields) yield* checkedIn(field, join(path, field.name), isFixed);
  else if (node.kind === 'array') yield* checkedIn(node.items, path, isFixed && node.items.node.kind !== 'array');
  else if (node.kind === 'map') yield* checkedIn(node.values, join(path, '*'), false);
}

function optionOf({ onDelete }: Reference): string {
  return onDelete === undefined ? 'exists: true' : `onDelete: '${onDelete}'`;
}

function visitBelow(value: unknown, steps: readonly CompiledField[], at: string, visit: VisitId): void {
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      visitBelow(item, steps, join(at, index), visit);
    });
    return;
  }
  const [step, ...rest] = steps;
  if (step === undefined) {
    if (value !== null && value !== undefined && value !== absent) visit(value, at);
  } else if (isStoredObject(value)) visitBelow(own(value, step.key), rest, join(at, step.name), visit);
}
