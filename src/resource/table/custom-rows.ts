import { answer } from '../../middleware/answer.ts';
import { hooksAlone } from '../../middleware/before-hooks.ts';
import { bodyLimit } from '../../middleware/body-limit.ts';
import { caching } from '../../middleware/caching.ts';
import { described } from '../../middleware/exchange/descriptor.ts';
import { ofTransaction } from '../../middleware/exchange/problem-codes.ts';
import { handler } from '../../middleware/handler.ts';
import { handlerWithin } from '../../middleware/hooks/handler-within.ts';
import { ifMatch } from '../../middleware/if-match.ts';
import { notModified } from '../../middleware/not-modified.ts';
import { recordPath } from '../../middleware/record.ts';
import { records } from '../../middleware/records.ts';
import { typedQuery } from '../../middleware/typed-query.ts';
import { type CompiledOperation, hasWritingHandler } from '../define/compile-operations.ts';
import type { CompiledResource } from '../define/compiled-resource.ts';
import { carrying, closed, following, scoped, writes } from './parts.ts';
import { keeping, readmission } from './repeatable.ts';
import { type Chain, type Hooks, type Row, rowOf, type Unguarded } from './row.ts';

/** The custom operations of a resource. */
export function customRows(r: CompiledResource): Row[] {
  return r.operations
    .filter(({ field }) => !field)
    .map((operation) => {
      const { name, method, path, body } = operation;
      return rowOf(r, {
        name,
        method,
        path,
        subject: { kind: 'custom', operation },
        readsJson: body !== undefined,
        isMember: hasWritingHandler(operation),
        chain: (hooks) => chainOf(r, operation, hooks),
      });
    });
}

/**
 * The chain of a custom operation: its own middlewares run between the guards and scope of the resource and the answer.
 * As in the standard operations, `If-Match` is read after the body, and before the body is validated. Middlewares below
 * `If-Match` can load the record. A GET has `If-None-Match` around them. Hooks of `before` run right before
 * the handler.
 */
function chainOf(r: Unguarded, o: CompiledOperation, hooks: Hooks): Chain {
  const isSafe = o.method === 'GET';
  const isOfRecord = o.path.split('/').includes(':id');
  const loading = records(r.model, { ...writes(r), ...closed(r) });
  const { before, within } = hooks;
  const run = within.length > 0 ? handlerWithin(o.handler, within, writes(r)) : o.handler;
  const doing = handler(run, { model: r.model, problems: [...o.problems, ...(within.length > 0 ? ofTransaction : [])], ...answerOf(o, r) });
  const status = o.status === undefined ? {} : { status: o.status };
  const answering = answer({ ...status, location: (ctx, id) => recordPath(ctx, o.path, id) });
  return [
    caching(r.caching),
    ...scoped(r),
    ...(o.query ? [typedQuery(o.query, { maxItems: r.filterLimits.maxFilterValues })] : []),
    bodyLimit(r.maxBody, r.bodyTimeout, r.maxValues),
    ...(isSafe ? [notModified()] : []),
    ...o.reading,
    ifMatch({ required: r.preconditionRequired && !isSafe && isOfRecord }),
    isOfRecord ? loading : described({ problems: [] }, loading), // without an id there is nothing that it could load
    ...(o.hasHandler && !isSafe ? readmission(r, { custom: o }) : []),
    ...(o.hasHandler && (o.method === 'POST' || o.method === 'PATCH') ? keeping(r) : []),
    ...o.checking,
    ...(before.length > 0 ? [hooksAlone(before)] : []),
    ...(isSafe ? [doing, ...following(hooks), answering] : carrying(r, doing, following(hooks), answering)),
  ];
}

const answerOf = ({ answer }: CompiledOperation, { maxPageBytes }: Unguarded) => (answer === undefined ? {} : { answer, maxPageBytes });
