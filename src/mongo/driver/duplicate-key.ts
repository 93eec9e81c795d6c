import { Problem } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { Invalid } from '../../rules.ts';
import type { ServerError } from './server-error.ts';

const alreadyTaken = new Invalid('unique', 'is already taken');

/** 409, naming the fields of the unique index as clients call them, never a private one; none without the model of its collection. */
export function duplicateKey(cause: ServerError, model: CompiledModel | undefined): Problem {
  const errors = Object.keys((cause.keyPattern ?? {}) as object)
    .map((path) => (path === '_id' ? 'id' : path))
    .filter((name) => model?.clientFields.has(name))
    .map((name) => alreadyTaken.at(name));
  const detail = 'A record with these values exists already.';
  return new Problem({ code: 'duplicate_key', detail, ...(errors.length > 0 ? { errors } : {}), cause });
}

/** The same of a write that is not the library's own: in another collection than the model's, a field of the same name is another field. */
export function foreignDuplicateKey(cause: ServerError, model: CompiledModel | undefined): Problem {
  return duplicateKey(cause, collectionOf(cause) === model?.collection ? model : undefined);
}

/** The message is the only place that says: "E11000 duplicate key error collection: shop.orders index: number_1 dup key: { … }". */
function collectionOf({ message }: Error): string | undefined {
  return / collection: [^.]+\.(.+?) index: /.exec(message)?.[1];
}
