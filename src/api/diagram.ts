import { asCompiled, type ModelInput } from '../model/compile/compile-model.ts';
import { type CompiledField, type Node, type ObjectNode, type Reference, relationSlot } from '../model/node.ts';

/**
 * Draws models and their relations as a Mermaid `erDiagram`, which GitHub and many editors show as a picture. Private
 * fields, and what they hold, are left out. An embedded object is a box of its own, named by its path.
 *
 * An edge leads from a field with ids to the model of the records. On its far end, it is one record, zero or one where
 * the field may be null or missing, or many for an array. On its near end, it is many, or zero or one if the field is
 * unique.
 *
 * @example
 * await writeFile('models.mmd', diagram([Order, Customer]));
 */
export function diagram(models: readonly ModelInput[]): string {
  const boxes = models.flatMap((model) => {
    const { name, root } = asCompiled(model);
    return draw(name, root);
  });
  const lines = ['erDiagram', ...boxes.flatMap(({ box }) => box), ...boxes.flatMap(({ edges }) => edges)];
  return `${lines.join('\n')}\n`;
}

/** A box with its fields, and the edges that begin there. */
interface Drawn {
  readonly box: readonly string[];
  readonly edges: readonly string[];
}

/** Draws an object and its embedded objects. `path` is the name of the model, or the path of the object behind it. */
function draw(path: string, { fields }: ObjectNode): Drawn[] {
  const readable = fields.filter((field) => !field.policy.private);
  const rows = readable.map((field) => `        ${drawField(field)}`);
  const edges: string[] = [];
  const embedded: Drawn[] = [];
  for (const field of readable) {
    const ref = relationSlot(field)?.ref;
    if (ref) edges.push(drawEdge(path, field, ref.model, nameOf(field, ref)));
    const object = embeddedIn(field.node);
    if (!object) continue;
    const inner = `${path}.${field.name}`;
    edges.push(`    ${quote(path)} ||..${farEnd(field)} ${quote(inner)} : ${quote(field.name)}`);
    embedded.push(...draw(inner, object));
  }
  return [{ box: [`    ${quote(path)} {`, ...rows, '    }'], edges }, ...embedded];
}

function drawField(field: CompiledField): string {
  const keys = [...(field.isId ? ['PK'] : []), ...(relationSlot(field) ? ['FK'] : []), ...(field.unique ? ['UK'] : [])];
  const remark = field.optional ? 'optional' : field.nullable ? 'nullable' : undefined;
  const words = [word(typeOf(field.node)), word(field.name), keys.join(', '), remark === undefined ? '' : quote(remark)];
  return words.filter((text) => text !== '').join(' ');
}

function drawEdge(from: string, field: CompiledField, to: string, name: string): string {
  return `    ${quote(from)} ${field.unique ? '|o' : '}o'}--${farEnd(field)} ${quote(to)} : ${quote(name)}`;
}

function nameOf(field: CompiledField, { as }: Reference): string {
  return as ?? field.name;
}

function farEnd(field: CompiledField): string {
  if (field.node.kind === 'array' || field.node.kind === 'map') return 'o{';
  return field.nullable || field.optional ? 'o|' : '||';
}

/** The type of a value, with `[]` for each array around it. */
function typeOf(node: Node): string {
  switch (node.kind) {
    case 'leaf':
      return node.leaf.name;
    case 'array':
      return `${typeOf(node.items.node)}[]`;
    case 'map':
      return `map(${typeOf(node.values.node)})`;
    default:
      return node.name ?? 'object';
  }
}

/** The object in a field, also as the items of an array or the values of a map. */
function embeddedIn(node: Node): ObjectNode | undefined {
  if (node.kind === 'object') return node;
  if (node.kind === 'leaf') return undefined;
  return embeddedIn(node.kind === 'array' ? node.items.node : node.values.node);
}

/** A type or the name of a field, of the characters that Mermaid takes there. All others become `_`. */
function word(text: string): string {
  const legal = text.replace(/[^\w[\]()\u00c0-\uffff-]/g, '_');
  return /^[A-Za-z_\u00c0-\uffff]/.test(legal) ? legal : `_${legal}`;
}

/** A name in quotes, which are the one character that it cannot hold itself. */
function quote(text: string): string {
  return `"${text.replace(/["%\\\r\n\0]/g, '_')}"`;
}
