import { listNames, nearest } from '../../hints.ts';
import type { ErrorSink } from '../../http/query-errors.ts';
import { Invalid } from '../../rules.ts';
import { type CompiledField, join, type ObjectNode } from '../node.ts';
import type { Relation } from '../relations/includable.ts';
import { readsNullAsMissing } from '../shown-value.ts';
import type { WriteBson } from '../value/write-bson.ts';
import { holdsPrivate, readableFields } from './private-fields.ts';
import type { BytesWriter } from './write-bytes.ts';
import type { Choice, Selection, ValueWriter, WriteJson } from './write-json.ts';

/** The fields of a record that a client chose. The id is always one of them. */
export interface SelectedFields {
  /** The stored paths to fetch. No path is below another one. */
  readonly paths: readonly string[];
  /** Writes the JSON of a stored record with only these fields. */
  readonly writeJson: WriteJson;
  /** The same from the BSON bytes of the record. */
  readonly writeBson: WriteBson;
}

/** The fields that clients may choose. */
export interface FieldSelector {
  /** The dotted names of all readable fields that are not in maps, in declared order. */
  readonly names: ReadonlySet<string>;
  /**
   * Selects these fields; each must be one of `names`. Their order does not matter, and a whole object covers fields of
   * it. The fields of included relations are fetched too. Nothing is cached, because a cache by text from clients would
   * grow without bound.
   */
  select(names: readonly string[], included?: readonly Relation[]): SelectedFields;
}

/**
 * Compiles the selector of a model. `names` are the fields that a client may name; `writer` and `bytesWriter` write
 * whole records.
 */
export function compileFieldSelector(
  root: ObjectNode,
  names: Iterable<string>,
  writer: ValueWriter,
  bytesWriter: BytesWriter,
): FieldSelector {
  const pathsOf = compilePaths(root, '');
  return {
    names: new Set(names),
    select(chosen, included = []) {
      const selection: Growing = new Map();
      for (const name of ['id', ...chosen]) add(selection, name.split('.'), 'whole');
      for (const { field, ref } of included) add(selection, field.split('.'), ref.as === undefined ? 'whole' : 'fetched');
      return { paths: pathsOf(selection), writeJson: writer.select(selection), writeBson: bytesWriter.select(selection) };
    },
  };
}

type Growing = Map<string, Exclude<Choice, Selection> | Growing>;

function add(selection: Growing, [name = '', ...rest]: readonly string[], choice: 'whole' | 'fetched'): void {
  const chosen = selection.get(name);
  if (chosen === 'whole') return;
  if (rest.length === 0) selection.set(name, choice);
  else if (chosen instanceof Map) add(chosen, rest, choice);
  else {
    const within: Growing = new Map();
    selection.set(name, within);
    add(within, rest, choice);
  }
}

type Paths = (selection: Selection) => string[];

function compilePaths(node: ObjectNode, path: string): Paths {
  const members = readableFields(node).map((field) => ({ name: field.name, ...compileFieldPaths(field, join(path, field.key)) }));
  return function pathsOf(selection) {
    return members.flatMap(({ name, whole, within }) => {
      const chosen = selection.get(name);
      if (chosen === undefined) return [];
      return typeof chosen === 'string' ? whole : within(chosen);
    });
  };
}

function compileFieldPaths(field: CompiledField, path: string): { readonly whole: readonly string[]; readonly within: Paths } {
  const below = projectableWithin(field);
  if (!below) return { whole: [path], within: () => [path] };
  const within = compilePaths(below, path);
  const readable = holdsPrivate(field.node) ? within(new Map(readableFields(below).map(({ name }) => [name, 'whole']))) : [];
  return { whole: readable.length > 0 ? readable : [path], within };
}

/**
 * The object within which a projection may choose fields. A projection of `place.city` omits a `place` that is null,
 * and null items of an array. If that would change what the field shows, the whole field is fetched, and its parts are
 * chosen when it is written.
 */
function projectableWithin(field: CompiledField): ObjectNode | undefined {
  const { node } = field;
  if (!readsNullAsMissing(field)) return undefined;
  if (node.kind === 'array') return node.items.node.kind === 'object' && !node.items.nullable ? node.items.node : undefined;
  return node.kind === 'object' ? node : undefined;
}

/**
 * Parses the names of `fields`. Unknown names are added to `errors`; a private field is reported as one that does not
 * exist. Undefined if there are errors or no names. `included` are the relations to include.
 */
export function parseFields(
  given: readonly string[],
  selector: FieldSelector,
  errors: ErrorSink,
  included: readonly Relation[] = [],
): SelectedFields | undefined {
  if (given.length === 0) return undefined;
  const names = [...new Set(given)];
  const unknown = names.filter((name) => !selector.names.has(name));
  for (const name of unknown) errors.push(describeUnknown(name, selector.names).at('fields'));
  return unknown.length > 0 ? undefined : selector.select(names, included);
}

function describeUnknown(name: string, names: ReadonlySet<string>): Invalid {
  const suggestion = nearest(name, names);
  const hint = suggestion === undefined ? `. Allowed: ${listNames(names)}` : `; did you mean \`${suggestion}\`?`;
  return new Invalid('not_selectable', `${name === '' ? 'must name a field' : `cannot select \`${name}\``}${hint}`, { name, suggestion });
}
