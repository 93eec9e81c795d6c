import { checkName } from '../../../model/define/field-name.ts';
import { ownKeys } from '../../../model/value/own-keys.ts';
import { chooseForm, type DraftOptions } from './choose-form.ts';
import { nameKeys, quote, schemaNameOf, singular } from './names.ts';
import { Shape } from './shape.ts';

/** A value as TypeScript, in one line or several, and what is doubtful about it. */
interface Drafted {
  readonly code: string;
  readonly doubts: readonly string[];
}

/** Where a value stands. */
interface Place {
  /** Its stored key, or that of the array or map that holds it. */
  readonly key: string;
  /** The names of the objects around it. */
  readonly path: readonly string[];
  /** Options that belong to the field. */
  readonly options: readonly string[];
}

/** Drafts the fields of the records, in the order of their stored keys. */
export class FieldDraft {
  readonly #options: DraftOptions;
  readonly #schemaNames = new Set<string>();

  constructor(modelName: string, options: DraftOptions) {
    this.#options = options;
    this.#schemaNames.add(modelName);
  }

  /** The lines of the fields of a record, without indentation. */
  record(shape: Shape, modelName: string): string[] {
    const others = new Map([...shape.keys].filter(([key]) => key !== '_id'));
    return [...this.#id(shape.keys.get('_id')), ...this.#members(others, shape.count('object'), [modelName], ['id'])];
  }

  #id(shape: Shape | undefined): string[] {
    const types = [...(shape?.types.keys() ?? [])];
    if (!shape || types.join() === 'ObjectId') return [];
    const form = chooseForm(shape, types, '', this.#options);
    const isSpelt = form && form.builder !== 't.decimal' && !form.options;
    if (isSpelt) return [`id: ${form.builder}(),`];
    if (types.join() === 'string') return ['id: t.string(),'];
    return [`// The ids cannot be those of one field: ${countsOf(shape)}.`];
  }

  #members(keys: ReadonlyMap<string, Shape>, objects: number, path: readonly string[], reserved: readonly string[] = []): string[] {
    const isRecord = path.length === 1;
    const notes = [...keys.keys()].map((key) => ({ key, note: noteOn(key, isRecord) }));
    const names = nameKeys(notes.flatMap(({ key, note }) => (note === undefined ? [key] : [])).sort(), reserved);
    return [...keys.keys()].sort().flatMap((key) => {
      const [shape, name] = [keys.get(key) as Shape, names.get(key)];
      if (name === undefined) return [`// ${quote(key)} ${noteOn(key, isRecord)}.`];
      if (shape.seen === 0) return [`// ${quote(key)} holds only BSON's undefined, which is as none.`];
      const { code, doubts } = this.#field(shape, { key, path, options: name === key ? [] : [`stored: ${quote(key)}`] }, objects);
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
    const { code, doubts } = this.#present(shape, types, place);
    return shape.count('null') > 0 ? { code: `t.nullable(${code})`, doubts } : { code, doubts };
  }

  #present(shape: Shape, types: readonly string[], { key, path, options }: Place): Drafted {
    if (types.length === 0) return { code: call('t.any', [], options), doubts: ['only null was seen'] };
    if (types.length === 1 && types[0] === 'array') return this.#array(shape, { key, path, options });
    if (types.length === 1 && types[0] === 'object') return this.#object(shape, { key, path, options });
    const form = chooseForm(shape, types, key, this.#options);
    if (!form) return { code: call('t.any', [], options), doubts: [`no other field holds them: ${countsOf(shape)}`] };
    return { code: call(form.builder, [], [...options, ...(form.options ?? [])]), doubts: form.doubts ?? [] };
  }

  #array(shape: Shape, { key, path, options }: Place): Drafted {
    if (!shape.items || shape.items.seen === 0)
      return { code: call('t.array', ['t.any()'], options), doubts: ['only empty arrays were seen'] };
    const { code, doubts } = this.#value(shape.items, { key, path, options: [] });
    return { code: call('t.array', [code], options), doubts };
  }

  #object(shape: Shape, { key, path, options }: Place): Drafted {
    if (shape.points > 0 && shape.points === shape.count('object')) return { code: call('t.point', [], options), doubts: [] };
    if (shape.keys.size === 0) return { code: call('t.map', ['t.any()'], options), doubts: ['only empty objects were seen'] };
    const values = valuesOfMap(shape);
    if (values) {
      const { code, doubts } = this.#value(values, { key, path, options: [] });
      return { code: call('t.map', [code], options), doubts: [`a map? ${shape.keys.size} keys were seen`, ...doubts] };
    }
    const name = this.#schemaName([...path, schemaNameOf(key)]);
    const lines = this.#members(shape.keys, shape.count('object'), [...path, schemaNameOf(singular(key))]);
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
