import { type FieldError, note, notesOf } from '../../rules.ts';
import type { CompiledField, Node, ObjectNode } from '../node.ts';
import { type FieldWay, unknownKeysAt, waysTo } from './document-paths.ts';

/** The model that an error is about. */
interface SubjectModel {
  readonly name: string;
  readonly root: ObjectNode;
}

/**
 * What an error is about to which a store, `ctx.save` or the draft of a hook has led. The error names every field, for
 * the handler that catches it. By its subject, it is told to a client as the client's view has it.
 */
export interface Subject {
  /** The model as the store has it: whole, or in a view. */
  readonly model: SubjectModel;
  /** Several, if keys of maps have dots, so that the path of the error may mean any of them. */
  readonly ways: readonly FieldWay[];
  /** The key that is no field. */
  readonly key?: string | undefined;
  /** The beginning of the message to the developer, if a document is refused. */
  readonly sentence?: string | undefined;
  /** Whether a 409 may name a field to the client. @default what it may write by a resource of the model */
  readonly mayName?: ((name: string) => boolean) | undefined;
}

/** Where a document comes from. */
export interface Origin {
  /**
   * Whether a key that is no field may come from a client. Otherwise it is a mistake of the application, as in a record
   * that it has loaded.
   */
  readonly mayHaveClientKeys?: boolean;
}

/** What an error is about. Undefined if it comes from elsewhere. */
export function subjectOf(error: FieldError): Subject | undefined {
  return notesOf(error).subject as Subject | undefined;
}

/** Notes what an error is about, unless that is known already. */
export function noteSubject(error: FieldError, rest: Omit<Subject, 'ways' | 'key'>, document: unknown, origin?: Origin): void {
  const { subject, place } = notesOf(error);
  if (subject !== undefined) return;
  const path = place === undefined ? error.field : error.field.slice(place.length + 1);
  note(error, { subject: { ...rest, ...findIn(rest.model.root, document, { ...error, field: path }, origin) } satisfies Subject });
}

function findIn(root: ObjectNode, document: unknown, { field, rule }: FieldError, origin: Origin = {}): Pick<Subject, 'ways' | 'key'> {
  if (rule !== 'unknown_field' || !origin.mayHaveClientKeys) return { ways: [...waysTo(root, document, field)] };
  const keys = [...unknownKeysAt(root, document, field)];
  return { ways: keys.map(({ way }) => way), key: keys[0]?.key };
}

/** Whether a caller sees what an error is about. `root` is the record in its view. */
export function isSeen(root: ObjectNode, { ways }: Pick<Subject, 'ways'>): boolean {
  return ways.every((way) => way !== undefined && nodeAt(root, way) !== undefined);
}

/** What a way leads to. Undefined if it leads through a field that is hidden. */
export function nodeAt(root: ObjectNode, way: readonly string[]): Node | undefined {
  let node: Node = root;
  for (const name of way) {
    const field: CompiledField | undefined = objectIn(node)?.byName.get(name);
    if (!field || field.policy.private) return undefined;
    node = field.node;
  }
  return node;
}

/** An object, or that of which an array or a map has several. */
export function objectIn(node: Node): ObjectNode | undefined {
  if (node.kind === 'array') return objectIn(node.items.node);
  if (node.kind === 'map') return objectIn(node.values.node);
  return node.kind === 'object' ? node : undefined;
}
