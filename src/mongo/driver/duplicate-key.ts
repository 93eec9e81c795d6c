import { Problem } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { nameAt } from '../../model/fold/fold-paths.ts';
import { noteSubject } from '../../model/write/subject.ts';
import { Invalid } from '../../rules.ts';
import type { ServerError } from './server-error.ts';

const alreadyTaken = new Invalid('unique', 'is already taken');

/** The writer, whom a 409 for a duplicate key tells which fields collide. */
export interface Told {
  /** Whether the 409 may name this field to the writer, by the dotted name that clients know. */
  mayName(name: string): boolean;
  /**
   * Whether its errors name every field, whatever it may write: a handler may catch them, and what of them is answered
   * is told in the view of the client. @default false
   */
  readonly isToldAll?: boolean;
  /**
   * The conditions that its records fulfil. All of them have the value that a condition fixes: that one is not taken.
   */
  readonly writeScope?: readonly FixedField[] | undefined;
}

/** The part of a condition by which it fixes a field. */
interface FixedField {
  readonly field: { readonly name: string };
  readonly operator: string;
}

/**
 * 409 with an error for each field of the unique index that the writer may be told. Without the model
 * of the collection it has no such errors.
 */
export function duplicateKey(cause: ServerError, model: CompiledModel | undefined, writer?: Told): Problem {
  const paths = Object.keys((cause.keyPattern ?? {}) as object);
  const names = model ? paths.map((path) => nameAt(path, model.fieldTable)) : [];
  const isFixed = (name?: string) => writer?.writeScope?.some(({ field, operator }) => field.name === name && operator === 'eq') === true;
  const areAllFixed = names.every(isFixed);
  const errors = names
    .filter((name) => name !== undefined)
    .filter((name) => areAllFixed || !isFixed(name))
    .filter((name) => writer?.isToldAll || (model?.clientFields.has(name) && (writer?.mayName(name) ?? true)))
    .map((name) => alreadyTaken.at(name));
  const detail = 'A record with these values exists already.';
  const problem = new Problem({ code: 'duplicate_key', detail, ...(errors.length > 0 ? { errors } : {}), cause });
  // Here, and not only where a store lets it pass: a transaction that is lost by it throws it again.
  if (model && writer?.isToldAll) for (const error of problem.errors ?? []) noteSubject(error, { model }, undefined);
  return problem;
}

/** 409 for a write of the application itself. It names fields only if the write was to the model's own collection. */
export function foreignDuplicateKey(cause: ServerError, model: CompiledModel | undefined, writer?: Told): Problem {
  return duplicateKey(cause, collectionOf(cause) === model?.collection ? model : undefined, writer);
}

/**
 * Only the message names the collection: "E11000 duplicate key error collection: shop.orders index: number_1 dup key: {
 * … }".
 */
function collectionOf({ message }: Error): string | undefined {
  return / collection: [^.]+\.(.+?) index: /.exec(message)?.[1];
}
