import { listNames, nearest } from '../../hints.ts';
import type { ErrorSink } from '../../http/query-errors.ts';
import { Invalid } from '../../rules.ts';
import { type CompiledField, join, type ObjectNode } from '../node.ts';
import type { Relation } from '../relations/includable.ts';
import { readsNullAsMissing } from '../shown-value.ts';
import type { WriteBson } from '../value/write-bson.ts';
import type { ComputedEntry } from './computed-fields.ts';
import { holdsPrivate, readableFields } from './private-fields.ts';
import type { BytesWriter } from './write-bytes.ts';
import type { Choice, Selection, ValueWriter, WriteJson } from './write-json.ts';

/** The fields of a record that a client chose. The id is always one of them. */
export interface SelectedFields {
  /** The stored paths to fetch. No path is below another one. */
  readonly paths: readonly string[];
  /** The chosen parts of the record. */
  readonly selection: Selection;
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

/** The fields of an included record that clients may choose. */
export interface IncludedSelector extends Pick<FieldSelector, 'names'> {
  /** Selects these fields. What the relations in `included` need of those behind it is fetched too. */
  select(names: readonly string[], included: readonly string[]): SelectedFields;
}

/** The records of which a client chooses fields besides the one that it asks for: those of the relations to include. */
export interface Choosable {
  /** The names of the relations to include. */
  readonly include: readonly string[];
  /** The references of the record itself among them. */
  readonly relations: readonly Relation[];
  /** What can be chosen of the record behind each relation, by the names of `include`. */
  readonly selectors: ReadonlyMap<string, IncludedSelector>;
}

/** The fields that a client chose: of the record, and of those that are included in it. */
export interface ChosenFields {
  /** Undefined for every readable field. */
  readonly own: SelectedFields | undefined;
  /** By the names of `include`. A relation that is not among them is shown whole. */
  readonly ofIncluded: ReadonlyMap<string, SelectedFields>;
}

/** The parts of a model by which its fields are selected. */
interface Selectable {
  readonly root: ObjectNode;
  /** The stored fields that a client may name. */
  readonly names: Iterable<string>;
  readonly computed: readonly ComputedEntry[];
  /** Writes whole records, as `bytesWriter` does. */
  readonly writer: ValueWriter;
  readonly bytesWriter: BytesWriter;
}

/** Compiles the selector of a model. */
export function compileFieldSelector({ root, names, computed, writer, bytesWriter }: Selectable): FieldSelector {
  const storedPathsOf = compilePaths(root, '');
  const nameable = computed.filter(({ parent }) => !parent?.inNestedArray).map(({ name }) => name);
  function pathsOf(selection: Selection, chosen: readonly string[]): readonly string[] {
    const needed = computed.filter(({ name }) => chosen.some((one) => `${name}.`.startsWith(`${one}.`)));
    const paths = storedPathsOf(selection);
    return needed.length > 0 ? outermost([...paths, ...needed.flatMap((one) => one.paths)]) : paths;
  }
  return {
    names: new Set([...names, ...nameable]),
    select(chosen, included = []) {
      const selection: Growing = new Map();
      for (const name of ['id', ...chosen]) add(selection, name.split('.'), 'whole');
      for (const { field, ref } of included) add(selection, field.split('.'), ref.as === undefined ? 'whole' : 'fetched');
      return {
        paths: pathsOf(selection, chosen),
        selection,
        writeJson: writer.select(selection),
        writeBson: bytesWriter.select(selection),
      };
    },
  };
}

/** The paths that are below no other one. */
function outermost(paths: readonly string[]): readonly string[] {
  const all = [...new Set(paths)];
  return all.filter((path) => !all.some((other) => path.startsWith(`${other}.`)));
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
 * Parses the names of `fields`: those of the record, and, behind the name of a relation to include, those of the
 * included record. Unknown names are added to `errors`; a private field is reported as one that does not exist. A
 * record of which no field is named is shown whole.
 */
export function parseFields(
  given: readonly string[],
  selector: FieldSelector,
  errors: ErrorSink,
  others: Choosable = noOthers,
): ChosenFields {
  const { include, relations, selectors } = others;
  const chosen = new Map<string, string[]>();
  let isSound = true;
  for (const name of new Set(given)) {
    const relation = selector.names.has(name) ? '' : relationIn(name, include, selectors);
    if (relation === undefined) {
      isSound = false;
      const missing = relationIn(name, [...selectors.keys()], selectors);
      const names = [...selector.names, ...namesBehind(include, selectors)];
      errors.push((missing === undefined ? describeUnknown(name, names) : notIncluded(name, missing)).at('fields'));
    } else chosen.set(relation, [...(chosen.get(relation) ?? []), relation === '' ? name : name.slice(relation.length + 1)]);
  }
  if (!isSound || chosen.size === 0) return nothingChosen;
  const { '': ofRecord, ...ofRelations } = Object.fromEntries(chosen);
  const ofIncluded = Object.entries(ofRelations).map(([relation, names]) => {
    const selected = selectors.get(relation)?.select(names, include);
    return [relation, selected as SelectedFields] as const;
  });
  return { own: ofRecord && selector.select(ofRecord, relations), ofIncluded: new Map(ofIncluded) };
}

const noOthers: Choosable = { include: [], relations: [], selectors: new Map() };
const nothingChosen: ChosenFields = { own: undefined, ofIncluded: new Map() };

/** The relation to include of whose record a name is a field. */
function relationIn(name: string, include: readonly string[], selectors: Choosable['selectors']): string | undefined {
  return include.find((one) => name.startsWith(`${one}.`) && selectors.get(one)?.names.has(name.slice(one.length + 1)));
}

function namesBehind(include: readonly string[], selectors: Choosable['selectors']): string[] {
  return include.flatMap((one) => [...(selectors.get(one)?.names ?? [])].map((name) => `${one}.${name}`));
}

function notIncluded(name: string, relation: string): Invalid {
  return new Invalid('not_selectable', `cannot select \`${name}\` without \`include=${relation}\``, { name });
}

function describeUnknown(name: string, names: readonly string[]): Invalid {
  const suggestion = nearest(name, names);
  const hint = suggestion === undefined ? `. Allowed: ${listNames(names)}` : `; did you mean \`${suggestion}\`?`;
  return new Invalid('not_selectable', `${name === '' ? 'must name a field' : `cannot select \`${name}\``}${hint}`, { name, suggestion });
}
