import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { innermost, type ObjectNode, relationSlot, type Slot } from '../../model/node.ts';
import type { ManyRelation } from '../../model/relations/many-relations.ts';
import { isManyStep } from '../../mongo/relations/include/read-included.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import { isRead } from '../../resource/define/standard-operations.ts';
import type { Schema } from '../document.ts';
import { toSchemaName } from './named-schema.ts';

/** The schemas of the records that answers may show of a model. */
export interface IncludedRecords {
  /** The records in place of ids, or beside them, by the place of the ids. */
  readonly referred: ReadonlyMap<Slot, Schema>;
  /** The records of relations by `t.hasMany`. */
  readonly many: readonly ShownMany[];
}

/** The records of a relation by `t.hasMany`. */
interface ShownMany {
  readonly relation: ManyRelation;
  readonly record: Schema;
  /** Whether a list has those that an answer leaves out. */
  readonly isListed: boolean;
}

/** The records that the resources of an api let their clients include. */
export interface Inclusions {
  /** The models whose records are shown, whether a resource serves them or not. */
  readonly models: readonly CompiledModel[];
  /** Those of them whose fields clients may choose. */
  readonly chosen: readonly CompiledModel[];
  /** The records in those of a model: whole, or with the fields that clients chose. */
  recordsIn(model: CompiledModel, shape: 'Read' | 'Selected'): IncludedRecords;
}

export const nothingIncluded: IncludedRecords = { referred: new Map(), many: [] };
export const noneIncluded: Inclusions = { models: [], chosen: [], recordsIn: () => nothingIncluded };

/**
 * Finds the places of all relations that any resource of the api includes, at any step. A model and an embedded object
 * have one schema of what is read: what one resource includes is described wherever the same ids are shown. The
 * description is wider than some answers and never narrower, and recursion between two models ends.
 */
export function findIncluded(resources: readonly CompiledResource[]): Inclusions {
  const shown = new Map<string, CompiledModel>();
  const many = new Map<string, CompiledModel>();
  const listed = new Set<string>();
  const described = new Set<CompiledModel>();
  function visit(model: CompiledModel, steps: CompiledResource['includes']['steps']): void {
    const keys = placeKeys(model.root);
    for (const step of steps) {
      if (isManyStep(step)) {
        const key = manyKey(model, step.relation);
        many.set(key, step.source.model);
        if (step.list) listed.add(key);
      }
      if (!step.children) shown.set(keys.get(step.relation.slot) ?? '', step.source.model);
      if (!step.children || !step.relation.isCount) described.add(step.source.model); // a number needs no schema
      visit(step.source.model, step.steps);
    }
  }
  for (const { model, includes } of resources) visit(model, includes.steps);
  const byName = new Map([...described].map((model) => [model.name, model]));
  const chosen = new Set<CompiledModel>();
  function choose(model: CompiledModel): void {
    const referred = [...placeKeys(model.root).values()].map((key) => shown.get(key));
    const related = [...model.many.values()].map((relation) => (relation.isCount ? undefined : many.get(manyKey(model, relation))));
    for (const target of [...referred, ...related]) {
      const one = target && byName.get(target.name);
      if (!one || chosen.has(one)) continue;
      chosen.add(one);
      choose(one);
    }
  }
  for (const { model, fields, ops } of resources) if (fields && ops.some(isRead)) choose(model);
  return {
    models: [...byName.values()],
    chosen: [...chosen],
    recordsIn: (model, shape) => ({
      referred: new Map([...placeKeys(model.root)].flatMap(([slot, key]) => toEntry(slot, shown.get(key), shape))),
      many: [...model.many.values()].flatMap((relation) => {
        const key = manyKey(model, relation);
        const entries = toEntry(relation, many.get(key), shape);
        return entries.map(([, record]) => ({ relation, record, isListed: listed.has(key) }));
      }),
    }),
  };
}

/** The same text for the same relation of a model, which is compiled for each resource that serves it. */
function manyKey({ name }: CompiledModel, relation: ManyRelation): string {
  return `${name} ${relation.name}`;
}

function toEntry<Place>(place: Place, target: CompiledModel | undefined, shape: 'Read' | 'Selected'): [Place, Schema][] {
  if (!target) return [];
  const name = toSchemaName(target.name);
  return [[place, name === undefined ? { type: 'object' } : { $ref: `#/components/schemas/${name}${shape}` }]];
}

/** The same text for the same ids of one schema, however often and in how many models it is used. */
function placeKeys(root: ObjectNode): ReadonlyMap<Slot, string> {
  const keys = new Map<Slot, string>();
  function visit(node: ObjectNode, kind: 'record' | 'embedded', path: string): void {
    const name = toSchemaName(node.name);
    for (const field of node.fields) {
      const key = `${name === undefined ? path : `${kind} ${name}`}.${field.name}`;
      const slot = relationSlot(field);
      if (slot) keys.set(slot, key);
      const value = innermost(field.node);
      if (value.kind === 'object') visit(value, 'embedded', key);
    }
  }
  visit(root, 'record', '');
  return keys;
}
