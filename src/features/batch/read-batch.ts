import { bodyNoObject, validationFailed } from '../../errors.ts';
import { once } from '../../mistakes.ts';
import { compileBody } from '../../model/compile/compile-body.ts';
import { t } from '../../model/define/t.ts';
import { isObject } from '../../model/value/plain-object.ts';
import { Invalid } from '../../rules.ts';

/** One operation of a batch, as the client sends it. */
export interface BatchOperation {
  readonly method: 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below the prefix of the api. `{0}` as a segment is the id of the record that operation 0 creates. */
  readonly path: string;
  readonly body?: unknown;
  readonly if_match?: string;
  /**
   * Where in the body ids of created records are to be put: an operation by its index, by the JSON Pointer (RFC 6901)
   * of the place.
   */
  readonly refs?: Readonly<Record<string, number>>;
}

/** Segments of a path in a URL, without a query; braces, which no URL can have, for references. */
export const pathPattern = "^(?:/(?:\\{[0-9]{1,4}\\}|[A-Za-z0-9_.~!$&'()*+,;=:@%-]*))+$";

/** The methods that an operation of a batch may have. */
export const batchMethods = ['POST', 'PATCH', 'PUT', 'DELETE'] as const;

/** The most entries of `refs` of an operation: as many as a batch may have operations. */
export const mostRefs = 1_000;

/** Compiled by the first batch: to compile a schema is most of what an import of the package would cost. */
const envelope = once(() =>
  compileBody(
    t.object('Batch', {
      operations: t.array(
        t.object('BatchOperation', {
          method: t.enum(batchMethods),
          path: t.string({ pattern: pathPattern, maxLength: 8_000 }),
          if_match: t.optional(t.string()),
          refs: t.optional(t.map(t.int({ minimum: 0 }))),
        }),
      ),
    }),
  ),
);

/**
 * Reads the body of a batch. Throws 422. The bodies of the operations are left as they are: their own chains read them.
 */
export function readBatch(body: unknown, maxOperations: number): readonly BatchOperation[] {
  if (!isObject(body)) throw bodyNoObject();
  const { operations } = body;
  if (Array.isArray(operations)) {
    refuseAmount(operations.length, maxOperations);
    operations.forEach(refuseRefs);
  }
  const bodies = Array.isArray(operations)
    ? operations.map((one) => (isObject(one) && Object.hasOwn(one, 'body') ? one.body : undefined))
    : [];
  const read = envelope().read({ ...body, operations: withoutBodies(operations) }) as { readonly operations: readonly BatchOperation[] };
  return read.operations.map((one, index) => (bodies[index] === undefined ? one : { ...one, body: bodies[index] }));
}

function refuseAmount(amount: number, most: number): void {
  if (amount > most) throw refused('operations', `must have at most ${most} items`, 'maxItems', { limit: most });
  if (amount === 0) throw refused('operations', 'must have at least 1 item', 'minItems', { limit: 1 });
}

function refuseRefs(operation: unknown, index: number): void {
  const refs = isObject(operation) && Object.hasOwn(operation, 'refs') ? operation.refs : undefined;
  if (isObject(refs) && Object.keys(refs).length > mostRefs)
    throw refused(`operations.${index}.refs`, `must have at most ${mostRefs} keys`, 'maxProperties', { limit: mostRefs });
}

function withoutBodies(operations: unknown): unknown {
  if (!Array.isArray(operations)) return operations;
  return operations.map((one) => (isObject(one) ? Object.fromEntries(Object.entries(one).filter(([key]) => key !== 'body')) : one));
}

function refused(
  field: string,
  message: string,
  rule: 'maxItems' | 'minItems' | 'maxProperties',
  params: { readonly limit: number },
): Error {
  return validationFailed([new Invalid(rule, message, params).at(field)]);
}
