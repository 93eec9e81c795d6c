import type { Document as BsonDocument } from 'mongodb';
import type { QueryField } from '../../model/compile/query-fields.ts';
import { type Operator, operatorDef } from '../../model/operators/operators.ts';

/**
 * A filter in the form of the database, as commands have it. As a {@link Predicate} it is opaque: only the database
 * knows what it means.
 */
export type Filter = Readonly<Record<string, unknown>>;

/** Where a comparison looks. */
type Place = Pick<QueryField, 'name' | 'path' | 'caseless'>;

/**
 * A comparison with a value. `value` is in stored form: an array of values for `in` and `nin`, a boolean for `exists`.
 */
export interface Comparison {
  readonly field: Place;
  readonly operator: Operator;
  readonly value: unknown;
}

/** A condition on one field of a model. */
export interface Condition extends Comparison {
  readonly field: QueryField;
}

/** A relation that leads from a record to others. */
interface RelationStep {
  readonly name: string;
  /** The stored path of the ids. */
  readonly path: string;
}

/**
 * What records fulfil, from the words of a scope or of a query string to the moment when a command is sent. Everybody
 * who has to know what it means asks the tree, and nobody reads a filter that was built before. Its parts are nodes, or
 * filters that are opaque, such as one that an app's own middleware has put into `ctx.scope`.
 */
export type Predicate = PredicateNode | Filter;

/** The nodes of a predicate. */
export type PredicateNode =
  | Compare
  | Fulfilling
  | Both
  | Joined<Predicate>
  | Not<Predicate>
  | Item<Predicate>
  | Related<RelationStep, Predicate>
  | Own;

/** By it, nodes are told from opaque filters, in which any other key may be that of a field. */
const node: unique symbol = Symbol('node');

interface Marked {
  readonly [node]: true;
}

/** One comparison. */
export interface Compare<C extends Comparison = Comparison> extends Marked {
  readonly kind: 'condition';
  readonly condition: C;
}

/** All of these comparisons, as one flat object: every record if there are none. */
interface Fulfilling extends Marked {
  readonly kind: 'conditions';
  readonly of: readonly Comparison[];
}

/** Both of these. Their filters become one object if they share no key. */
interface Both extends Marked {
  readonly kind: 'both';
  readonly first: Predicate;
  readonly second: Predicate;
}

/** All of these, or one of these, each as a part of its own: nothing of it is merged. */
export interface Joined<Part> extends Marked {
  readonly kind: 'and' | 'or';
  readonly of: readonly Part[];
}

export interface Not<Part> extends Marked {
  readonly kind: 'not';
  readonly of: Part;
}

/**
 * One item of an array fulfils it. The paths of what lies within are those in the item: an item which is a value has an
 * empty one.
 */
export interface Item<Part> extends Marked {
  readonly kind: 'item';
  readonly name: string;
  readonly path: string;
  readonly of: Part;
  /** Whether it is a value, and not an object. */
  readonly isValue: boolean;
}

/**
 * So many related records fulfil it, or are there. The paths of what lies within are those in the related record.
 */
export interface Related<S, Part> extends Marked {
  readonly kind: 'related';
  readonly step: S;
  readonly of: Part | undefined;
  /** How many, at least. */
  readonly least: number;
}

/** What comparisons cannot say. It brings its interpretations. */
interface Own extends Marked {
  readonly kind: 'own';
  readonly is: Interpretations;
}

/** What is known of a filter that comparisons cannot say. */
interface Interpretations {
  readonly filter: Filter;
  /** The comparisons with stored paths by which an index may serve it. */
  readonly comparisons: readonly Comparison[];
  /** The stored paths on which it depends. @default those of its comparisons */
  readonly paths?: readonly string[];
  /** The same as an expression about the document that a variable holds. @default there is no short one */
  readonly expression?: (variable: string) => BsonDocument | undefined;
  /** Whether it hides deleted records, which is no part of the shape of a query. @default false */
  readonly hidesDeleted?: boolean;
}

export function isNode(predicate: Predicate): predicate is PredicateNode {
  return (predicate as Partial<Marked>)[node] === true; // `in` is slow for objects of many shapes
}

export function compare<C extends Comparison>(condition: C): Compare<C> {
  return { [node]: true, kind: 'condition', condition };
}

export function fulfilling(of: readonly Comparison[]): Fulfilling {
  return { [node]: true, kind: 'conditions', of };
}

export function joined<Part>(kind: 'and' | 'or', of: readonly Part[]): Joined<Part> {
  return { [node]: true, kind, of };
}

export function not<Part>(of: Part): Not<Part> {
  return { [node]: true, kind: 'not', of };
}

export function anItem<Part>({ name, path }: Pick<Place, 'name' | 'path'>, of: Part, isValue = false): Item<Part> {
  return { [node]: true, kind: 'item', name, path, of, isValue };
}

export function aRelated<S, Part>(step: S, of: Part | undefined, least = 1): Related<S, Part> {
  return { [node]: true, kind: 'related', step, of, least };
}

export function bringing(is: Interpretations): Own {
  return { [node]: true, kind: 'own', is };
}

/** What every record fulfils. */
export const everyRecord = fulfilling([]);

/** What no record fulfils. */
export const noRecord = amongIds([]);

/** Records with one of these ids. */
export function amongIds(ids: readonly unknown[]): Fulfilling {
  return fulfilling([{ field: { name: 'id', path: '_id' }, operator: 'in', value: ids }]);
}

/** What records fulfil that fulfil both. Undefined is what every record fulfils. */
export function all(first: Predicate, second: Predicate | undefined): Predicate;
export function all(first: Predicate | undefined, second: Predicate): Predicate;
export function all(first: Predicate | undefined, second: Predicate | undefined): Predicate | undefined;
export function all(first: Predicate | undefined, second: Predicate | undefined): Predicate | undefined {
  return first && second ? { [node]: true, kind: 'both', first, second } : (first ?? second);
}

/** Whether every record matches a condition: an empty `nin`, or an empty `prefix`. */
export function isOpen({ operator, value }: Comparison): boolean {
  return operatorDef(operator).isOpen?.(value) === true;
}
