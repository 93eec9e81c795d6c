import { type Db, MongoClient } from 'mongodb';
import { cursorPaging, defineModel, listQuery, type Model, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';

/** Wrong configurations, each with a name. */
export type Rows = Readonly<Record<string, () => unknown>>;

/** A definition that is wrong, and what makes it. */
type Definitions = Readonly<Record<string, () => unknown>>;

/** Nothing is asked of it: a configuration is read without the database. */
export const db: Db = new MongoClient('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 1 }).db('shop');

/** The builders as JavaScript would call them, without the compiler's help. */
export const js: Any = t;

export const shop: Any = service();

export function define(name: string, fields: object, options: object = {}): Any {
  return defineModel(name, { collection: `${name.toLowerCase()}s`, fields, ...options } as Any);
}

/** Compiles a model, as every middleware does that takes one. */
export function compile(model: Model): unknown {
  return listQuery(model, cursorPaging());
}

/** Compiles a model of these fields. */
export function withFields(fields: object, options: object = {}): unknown {
  return compile(define('Thing', fields, options));
}

/** A model for each definition, with that as its only field, `a`. */
export function fieldRows(definitions: Definitions): Rows {
  return mapValues(definitions, (make) => () => withFields({ a: make() }));
}

/** A model with these options for each definition, which is one of its fields or several. */
export function modelRows(definitions: Readonly<Record<string, () => readonly [fields: object, options?: object]>>): Rows {
  return mapValues(definitions, (make) => () => withFields(...make()));
}

/** An api of these resources and models. */
export function serve(resources: readonly object[], options: object = {}): unknown {
  return shop.api({ db, resources: resources.map((resource) => shop.resource(resource)), ...options });
}

/** An api of one resource of a model of two texts. */
export function resourceRows(definitions: Readonly<Record<string, () => object>>): Rows {
  return mapValues(definitions, (make) => () => serve([{ model: Doc, ...make() }]));
}

/** An api of one resource with these options of its own. */
export function apiRows(definitions: Readonly<Record<string, () => object>>): Rows {
  return mapValues(definitions, (make) => () => serve([{ model: Doc }], make()));
}

export const Doc = define('Doc', { text: t.string(), tag: t.optional(t.string()), revision: t.revision() });

function mapValues<Value, Result>(from: Readonly<Record<string, Value>>, change: (value: Value) => Result): Record<string, Result> {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, change(value)]));
}
