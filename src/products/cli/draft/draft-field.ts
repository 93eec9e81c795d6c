import { checkName } from '../../../model/define/field-name.ts';
import { join } from '../../../model/node.ts';
import { ownKeys } from '../../../model/value/own-keys.ts';
import { chooseForm, type DraftOptions, isTextOrNumber } from './choose-form.ts';
import type { KeyIndex } from './indexed-keys.ts';
import { nameKeys, quote, schemaNameOf, singular } from './names.ts';
import { namesSecret } from './secrets.ts';
import { Shape, subtypeIn } from './shape.ts';

/** A value as TypeScript, in one line or several, and what is doubtful about it. */
interface Drafted {
  readonly code: string;
  readonly doubts: readonly string[];
  /** Whether it is a value that lists can filter by. */
  readonly isComparable?: boolean;
}

/** Where a value stands. */
interface Place {
  /** Its stored key, or that of the array or map that holds it. */
  readonly key: string;
  /** The names of the objects around it. */
  readonly path: readonly string[];
  /** Its stored path. Undefined in a map. */
  readonly at: string | undefined;
  readonly isInArray: boolean;
  /** Options that belong to the field. */
  readonly options: readonly string[];
}

/** The place of the members of an object. */
type Around = Pick<Place, 'path' | 'at' | 'isInArray'>;

/** Drafts the fields of the records, in the order of their stored keys. */
export class FieldDraft {
  /** How many fields are private, because their names mean secrets. */
  secrets = 0;
  readonly #options: DraftOptions;
  readonly #indexes: ReadonlyMap<string, KeyIndex>;
  readonly #schemaNames = new Set<string>();

  constructor(modelName: string, options: DraftOptions, indexes: ReadonlyMap<string, KeyIndex> = new Map()) {
    this.#options = options;
    this.#indexes = indexes;
    this.#schemaNames.add(modelName);
  }

  /** The lines of the fields of a record, without indentation. */
  record(shape: Shape, modelName: string): string[] {
    const others = new Map([...shape.keys].filter(([key]) => key !== '_id'));
    const around = { path: [modelName], at: '', isInArray: false };
    return [...this.#id(shape.keys.get('_id')), ...this.#members(others, shape.count('object'), around, ['id'])];
  }

  #id(shape: Shape | undefined): string[] {
    const [types, ...others] = shape ? idTypesOf(shape) : [];
    if (!shape) return [];
    if (!types) return [`// No path addresses such ids: ${countsOf(shape)}. Migrate them: ${guide}`];
    const isMixed = others.length > 0 || types.length < shape.types.size;
    if (types[0] === 'ObjectId' && !isMixed) return [];
    const { builder, options = [], doubts: ofForm = [] } = chooseForm(shape, types, '', this.#options) ?? { builder: 't.any' };
    const form = types[0] === 'string' ? 't.string()' : call(builder, [], options);
    const isMade = builder === 't.objectId' || builder === 't.uuid';
    const doubts = [
      ...(types[0] === 'string' ? [] : ofForm),
      ...(isMixed ? [`ids of several types: ${countsOf(shape)}; only these have a path. Migrate the others: ${guide}`] : []),
      ...(isMade ? [] : ['no create has an id, unless clients send it (policy: { insert: true }) or a default makes it']),
    ];
    return [`id: ${form},${doubts.length > 0 ? ` // ${doubts.join('; ')}` : ''}`];
  }

  #members(keys: ReadonlyMap<string, Shape>, objects: number, around: Around, reserved: readonly string[] = []): string[] {
    const isRecord = around.path.length === 1;
    const notes = [...keys.keys()].map((key) => ({ key, note: noteOn(key, isRecord) }));
    const names = nameKeys(notes.flatMap(({ key, note }) => (note === undefined ? [key] : [])).sort(), reserved);
    return [...keys.keys()].sort().flatMap((key) => {
      const [shape, name] = [keys.get(key) as Shape, names.get(key)];
      if (name === undefined) return [`// ${quote(key)} ${noteOn(key, isRecord)}.`];
      if (shape.seen === 0) return [`// ${quote(key)} holds only BSON's undefined, which is as none.`];
      const isSecret = namesSecret(key);
      if (isSecret) this.secrets++;
      const options = [...(name === key ? [] : [`stored: ${quote(key)}`]), ...(isSecret ? ['policy: { private: true }'] : [])];
      const at = around.at === undefined || isSecret ? undefined : join(around.at, key);
      const field = this.#field(shape, { ...around, key, at, options }, objects);
      const { code } = field;
      const doubts = [...(isSecret ? ['a secret? No client reads it, nor writes it without `insert` and `update`'] : []), ...field.doubts];
      const comment = doubts.length > 0 ? ` // ${doubts.join('; ')}` : '';
      const [first = '', ...lines] = `${name}: ${code},`.split('\n');
      return [`${first}${comment}`, ...lines];
    });
  }

  #field(shape: Shape, place: Place, objects: number): Drafted {
    const { code, doubts } = this.#value(shape, place);
    if (shape.count('null') > 0) return { code, doubts };
    return shape.seen < objects ? { code: `t.optional(${code})`, doubts } : { code, doubts };
  }

  /** A value that may be null. */
  #value(shape: Shape, place: Place): Drafted {
    const types = [...shape.types.keys()].filter((type) => type !== 'null');
    const drafted = this.#present(shape, types, place);
    return shape.count('null') > 0 ? { ...drafted, code: `t.nullable(${drafted.code})` } : drafted;
  }

  #present(shape: Shape, types: readonly string[], place: Place): Drafted {
    const { key, options } = place;
    if (types.length === 0) return { code: call('t.any', [], options), doubts: ['only null was seen'] };
    if (types.length === 1 && types[0] === 'array') return this.#array(shape, place);
    if (types.length === 1 && types[0] === 'object') return this.#object(shape, place);
    const form = chooseForm(shape, types, key, this.#options);
    if (!form) return { code: call('t.any', [], options), doubts: [mixtureOf(shape, types)] };
    const { policy, doubts } = this.#lists(place);
    const code = call(form.builder, [], [...options, ...(form.options ?? []), ...policy]);
    return { code, doubts: [...(form.doubts ?? []), ...doubts], isComparable: true };
  }

  #array(shape: Shape, place: Place): Drafted {
    const { options } = place;
    if (!shape.items || shape.items.seen === 0)
      return { code: call('t.array', ['t.any()'], options), doubts: ['only empty arrays were seen'] };
    const { code, doubts, isComparable } = this.#value(shape.items, {
      ...place,
      at: place.at && `${place.at}.*`,
      isInArray: true,
      options: [],
    });
    const lists = isComparable ? this.#lists({ ...place, isInArray: true }) : { policy: [], doubts: [] };
    return { code: call('t.array', [code], [...options, ...lists.policy]), doubts: [...doubts, ...lists.doubts] };
  }

  /** What an index allows lists to do by the field. */
  #lists({ at, isInArray }: Place): { readonly policy: readonly string[]; readonly doubts: readonly string[] } {
    const index = at === undefined ? undefined : this.#indexes.get(at);
    if (!index) return { policy: [], doubts: [] };
    const unique = index.isUnique ? [`${quote(index.name)} is unique: unique: true?`] : [`by the index ${quote(index.name)}`];
    return { policy: [`policy: { filter: true${isInArray ? '' : ', sort: true'} }`], doubts: unique };
  }

  #object(shape: Shape, place: Place): Drafted {
    const { key, path, options } = place;
    if (shape.points > 0 && shape.points === shape.count('object')) return { code: call('t.point', [], options), doubts: [] };
    if (shape.keys.size === 0) return { code: call('t.map', ['t.any()'], options), doubts: ['only empty objects were seen'] };
    const values = valuesOfMap(shape);
    if (values) {
      const { code, doubts } = this.#value(values, { ...place, at: undefined, options: [] });
      return { code: call('t.map', [code], options), doubts: [`a map? ${shape.keys.size} keys were seen`, ...doubts] };
    }
    const name = this.#schemaName([...path, schemaNameOf(key)]);
    const around = { ...place, path: [...path, schemaNameOf(singular(key))], at: place.at?.replaceAll('.*', '') };
    const lines = this.#members(shape.keys, shape.count('object'), around);
    const body = ['{', ...lines.map((line) => `  ${line}`), '}'].join('\n');
    return { code: call('t.object', [quote(name), body], options), doubts: [] };
  }

  /** A name that no other object of the model has. */
  #schemaName(path: readonly string[]): string {
    const wanted = path.join('');
    let name = wanted;
    for (let number = 2; this.#schemaNames.has(name); number++) name = `${wanted}${number}`;
    this.#schemaNames.add(name);
    return name;
  }
}

function call(builder: string, given: readonly string[], options: readonly string[]): string {
  return `${builder}(${[...given, ...(options.length > 0 ? [`{ ${options.join(', ')} }`] : [])].join(', ')})`;
}

/** The page that says what to do about ids without a path. */
const guide = 'docs/guides/existing-collections.md#ids-without-a-path';

/** The types of ids that a model can have, those of the most ids first. The types of numbers are one. */
function idTypesOf({ types }: Shape): string[][] {
  const has = (kinds: readonly string[]) => kinds.filter((type) => types.has(type));
  const count = (kinds: readonly string[]) => kinds.reduce((sum, type) => sum + (types.get(type) ?? 0), 0);
  const binary = [...types.keys()].filter((type) => subtypeIn(type) !== undefined).map((type) => [type]);
  return [...idTypes, ...binary]
    .map(has)
    .filter((kinds) => kinds.length > 0)
    .sort((a, b) => count(b) - count(a));
}
const idTypes = [['ObjectId'], ['string'], ['int', 'long', 'double'], ['uuid'], ['legacy uuid'], ['date'], ['bool']];

/** Says of what values a mixture is, and what can be done about it. */
function mixtureOf(shape: Shape, types: readonly string[]): string {
  if (types.every((type) => subtypeIn(type) !== undefined))
    return `binary data of several subtypes: ${countsOf(shape)}. t.any() shows all of it, and would store texts: choose one, and migrate the others`;
  if (!isTextOrNumber(types)) return `no other field holds them: ${countsOf(shape)}`;
  return `texts and numbers: ${countsOf(shape)}. t.any() shows both, and neither filters nor sorts: choose one, and migrate the others`;
}

function countsOf({ types }: Shape): string {
  const counts = [...types].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  return counts.map(([type, count]) => `${type} ${count}`).join(', ');
}

/** Why a stored key is no field. Undefined if it can be one. */
function noteOn(key: string, isRecord: boolean): string | undefined {
  if (isRecord && key === '__v') return 'is the version key of mongoose, which the model ignores; t.revision() has a key of its own';
  if (isRecord && ownKeys.has(key)) return 'is a key of the library itself';
  return isStorable(key) ? undefined : 'cannot be the key of a field: the model ignores it';
}

function isStorable(key: string): boolean {
  try {
    checkName(key, key, 'parent');
    return true;
  } catch {
    return false;
  }
}

const keyOfData = /^(?:\d+|[0-9a-f]{24}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|\d{4}-\d\d(?:-\d\d)?)$/i;

/**
 * What the objects in a place hold if their keys are data: they look like it, no field has them, or each object has
 * only a few of many. Undefined if the keys are fields.
 */
function valuesOfMap(shape: Shape): Shape | undefined {
  const keys = [...shape.keys.keys()];
  const seen = [...shape.keys.values()].reduce((sum, one) => sum + one.seen, 0);
  const isSparse = keys.length >= 12 && shape.count('object') >= 4 && seen * 3 <= keys.length * shape.count('object');
  const isOdd = keys.every((key) => keyOfData.test(key) || !isStorable(key));
  if (!isSparse && !isOdd) return undefined;
  const values = new Shape();
  for (const key of keys.sort()) values.merge(shape.keys.get(key) as Shape);
  const types = [...values.types.keys()].filter((type) => type !== 'null');
  return types.length <= 1 || isOdd ? values : undefined;
}
