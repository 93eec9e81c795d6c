import { innermost, membersOf, type ObjectNode } from '../../model/node.ts';
import { ownNames } from './name-schemas.ts';
import { shapes, toPascalCase, toSchemaName } from './named-schema.ts';

/** A part of an api whose schemas get names: a resource, or a model that is only included. */
export interface NamedPart {
  /** What distinguishes its schemas from those of another part over the same model. */
  readonly path: string;
  /** The name of its model. */
  readonly model: string;
  readonly records: ObjectNode;
  /** Those of other bodies and answers that it describes. */
  readonly others: readonly ObjectNode[];
}

/** An object of a part. */
interface Use {
  readonly part: NamedPart;
  readonly object: ObjectNode;
}

/**
 * Finds the parts that may be refused when their schemas are named: those with examples, which may not fit, and those
 * with an object that may get the same name as another one. All others have names of their own whatever their schemas
 * are, and no schema need be made to know it.
 */
export function findDoubtful<Part extends NamedPart>(parts: readonly Part[]): Part[] {
  const doubtful = new Set<NamedPart>();
  const stems = new Map<string, Use[]>();
  function claim(stem: string, use: Use): void {
    const uses = stems.get(stem);
    if (!uses) stems.set(stem, [use]);
    else if (!uses.some(({ part, object }) => part === use.part && object === use.object)) uses.push(use);
  }
  function visit(part: NamedPart, object: ObjectNode, name = object.name): void {
    const base = toSchemaName(name);
    if (base !== undefined) claim(base, { part, object });
    for (const { node, annotations } of membersOf(object)) {
      if (annotations.examples !== undefined) doubtful.add(part);
      const value = innermost(node);
      if (value.kind === 'object') visit(part, value);
    }
  }
  for (const part of parts) {
    visit(part, part.records, part.model);
    for (const object of part.others) visit(part, object);
  }
  for (const [base, uses] of [...stems]) if (uses.length > 1) for (const use of uses) claim(base + toPascalCase(use.part.path), use); // where their schemas differ
  for (const [stem, uses] of stems) {
    const others = shapes.flatMap((shape) => (stem.endsWith(shape) && stems.get(stem.slice(0, -shape.length))) || []);
    if (uses.length > 1 || others.length > 0 || ownNames.has(stem)) for (const { part } of [...uses, ...others]) doubtful.add(part);
  }
  return parts.filter((part) => doubtful.has(part));
}
