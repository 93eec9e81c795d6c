import { isBinary, isDecimal128, isDouble, isInt32, isLong, isUuid, tagOf } from '../../../model/value/bson-type.ts';
import { legacyUuids, ordersOf } from '../../../model/value/legacy-uuids.ts';
import { isStoredObject } from '../../../model/value/stored-shape.ts';

/** More different texts than this are no members of an enum. */
const mostMembers = 12;

/** Objects within objects beyond this are one untyped value. */
const deepest = 32;

/** What stands in one place of the records of a sample. Of the values, it keeps a few short texts only. */
export class Shape {
  /** How often each type was there, null too. */
  readonly types = new Map<string, number>();
  /** What stands under each key of the objects in this place. */
  readonly keys = new Map<string, Shape>();
  /** What the arrays in this place hold. */
  items: Shape | undefined;
  /** How many of the objects are points on Earth. */
  points = 0;
  /** The different texts. Undefined if they are many, or long. */
  texts: Set<string> | undefined = new Set();
  /** What all texts are. */
  readonly textKinds = new Set(Object.keys(textKinds) as TextKind[]);
  /** The orders in which all UUIDs of old drivers can be stored. */
  legacyOrders: readonly string[] = legacyUuids;
  /** The least and the greatest number. */
  least = Number.POSITIVE_INFINITY;
  most = Number.NEGATIVE_INFINITY;
  hasFraction = false;

  count(type: string): number {
    return this.types.get(type) ?? 0;
  }

  /** How many values were there. */
  get seen(): number {
    return [...this.types.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Adds a value as the driver reads it without promoting numbers. */
  add(value: unknown, depth = 0): void {
    if (value === undefined) return; // BSON's undefined reads as a missing key
    const type = typeOf(value, depth);
    this.#count(type, 1);
    if (type === 'string') this.#addText(value as string);
    else if (type === 'array') for (const item of value as readonly unknown[]) this.#openItems().add(item, depth + 1);
    else if (type === 'object') this.#addObject(value as Readonly<Record<string, unknown>>, depth);
    else if (isNumber(value)) this.#addNumber(Number(value));
    else if (isBinary(value)) this.#keepOrders(ordersOf(value) ?? []);
  }

  /** Adds all that another shape has counted. */
  merge(other: Shape): void {
    for (const [type, count] of other.types) this.#count(type, count);
    for (const [key, shape] of other.keys) this.#openKey(key).merge(shape);
    if (other.items) this.#openItems().merge(other.items);
    this.points += other.points;
    if (!other.texts) this.texts = undefined;
    for (const text of other.texts ?? []) this.#keepText(text);
    for (const kind of this.textKinds) if (!other.textKinds.has(kind)) this.textKinds.delete(kind);
    this.#keepOrders(other.legacyOrders);
    this.least = Math.min(this.least, other.least);
    this.most = Math.max(this.most, other.most);
    this.hasFraction ||= other.hasFraction;
  }

  #count(type: string, count: number): void {
    this.types.set(type, this.count(type) + count);
  }

  #addText(text: string): void {
    for (const kind of this.textKinds) if (!textKinds[kind](text)) this.textKinds.delete(kind);
    this.#keepText(text);
  }

  #keepOrders(orders: readonly string[]): void {
    this.legacyOrders = this.legacyOrders.filter((one) => orders.includes(one));
  }

  #keepText(text: string): void {
    if (!/^[\p{L}\p{Nd}][\p{L}\p{Nd} ._-]{0,23}$/u.test(text)) this.texts = undefined;
    this.texts?.add(text);
    if ((this.texts?.size ?? 0) > mostMembers) this.texts = undefined;
  }

  #addNumber(value: number): void {
    this.least = Math.min(this.least, value);
    this.most = Math.max(this.most, value);
    this.hasFraction ||= !Number.isInteger(value);
  }

  #addObject(value: Readonly<Record<string, unknown>>, depth: number): void {
    if (isPoint(value)) this.points++;
    for (const key of Object.keys(value)) this.#openKey(key).add(value[key], depth + 1);
  }

  #openKey(key: string): Shape {
    const known = this.keys.get(key) ?? new Shape();
    this.keys.set(key, known);
    return known;
  }

  #openItems(): Shape {
    this.items ??= new Shape();
    return this.items;
  }
}

/** The name of a type. Values that no field holds but an untyped one have names of their own. */
function typeOf(value: unknown, depth: number): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (Array.isArray(value)) return depth < deepest ? 'array' : 'deep array';
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'date beyond those of JavaScript' : 'date';
  if (isStoredObject(value)) return depth < deepest ? 'object' : 'deep object';
  if (isInt32(value)) return 'int';
  if (isLong(value)) return Number.isSafeInteger(value.toNumber()) ? 'int' : 'long';
  if (isDouble(value)) return Number.isFinite(value.value) ? 'double' : 'NaN or Infinity';
  if (isDecimal128(value)) return /^-?\d/.test(value.toString()) ? 'decimal' : 'NaN or Infinity';
  if (isBinary(value)) return isUuid(value) ? 'uuid' : ordersOf(value) ? 'legacy uuid' : nameOfBinary(value.sub_type);
  return tagOf(value) ?? 'unknown';
}

function nameOfBinary(subtype: number): string {
  return subtype === 0 ? 'binary' : `binary of subtype ${subtype}`;
}

/** The subtype of binary data of a type with such a name. Undefined for any other type. */
export function subtypeIn(type: string): number | undefined {
  const [found, subtype = '0'] = /^binary(?: of subtype (\d+))?$/.exec(type) ?? [];
  return found === undefined ? undefined : Number(subtype);
}

function isNumber(value: unknown): boolean {
  return isInt32(value) || isLong(value) || isDouble(value);
}

function isDateText(text: string): boolean {
  if (text.length !== 24) return false;
  const date = new Date(text);
  return !Number.isNaN(date.getTime()) && date.toISOString() === text;
}

/** What texts may be, by the names that drafts know. */
const textKinds = {
  date: isDateText,
  day: (text: string) => text.length === 10 && isDateText(`${text}T00:00:00.000Z`),
  'begins with a day': (text: string) => /^\d{4}-\d\d-\d\d/.test(text),
  id: (text: string) => /^(?:[0-9a-f]{24}|[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})$/i.test(text),
  number: (text: string) => /^-?\d{1,18}(?:\.\d{1,18})?$/.test(text),
};
type TextKind = keyof typeof textKinds;

function isPoint({ type, coordinates, ...rest }: Readonly<Record<string, unknown>>): boolean {
  if (type !== 'Point' || !Array.isArray(coordinates) || coordinates.length !== 2 || Object.keys(rest).length > 0) return false;
  return coordinates.every((one, at) => isNumber(one) && Math.abs(Number(one)) <= (at === 0 ? 180 : 90));
}
