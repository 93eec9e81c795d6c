import { afterHooks } from '../middleware/after-hooks.ts';
import { caching } from '../middleware/caching.ts';
import { deleted } from '../middleware/deleted.ts';
import type { ResourceMiddleware } from '../middleware/exchange/context.ts';
import { fields } from '../middleware/fields.ts';
import { guards } from '../middleware/guards.ts';
import { asItWas, onlyAsItIs } from '../middleware/history/as-it-was.ts';
import { findHistory } from '../middleware/history/find-history.ts';
import { ifMatch } from '../middleware/if-match.ts';
import { page } from '../middleware/page.ts';
import { record } from '../middleware/record.ts';
import { scope } from '../middleware/scope.ts';
import type { CompiledResource } from './define/compiled-resource.ts';
import { historyName } from './define/history-options.ts';
import { cursorPaging } from './define/paging.ts';

/** Makes the chain that lists the changes of a record, by its name, if the resource has one. */
export function historyChains(r: CompiledResource): (readonly [name: string, make: () => readonly ResourceMiddleware[]])[] {
  if (!r.history) return [];
  const { model, db, maxTimeMS, path: name, filterLimits, maxPageBytes } = r;
  const asked = r.guardsOf(historyName); // those of `get`, and its own
  const make = () => {
    const fetchPrivate = r.hooksOf('get').length > 0;
    const rules = { name, paging: cursorPaging(), ...filterLimits };
    const { finding, paging } = findHistory(model, { db, maxTimeMS, fetchPrivate, maxPageBytes, ...rules });
    return [
      ...(asked.length > 0 ? [guards(...asked)] : []),
      caching(r.caching),
      ...(r.isScoped ? [scope(model, r.scope, { writes: false })] : []),
      ...(r.deletedGuards ? [deleted(model, r.deletedGuards)] : []),
      finding,
      ...hooksOf(r),
      paging,
      page(),
    ];
  };
  return [[historyName, make]];
}

/** Answers in the place of `get` with a record as it was, where clients may ask for that. */
export function earlier(r: CompiledResource): readonly ResourceMiddleware[] {
  if (!r.history) return [];
  const { model, db, maxTimeMS } = r;
  const asking = [ifMatch(), ...(r.fields ? [fields(model)] : [])];
  return [asItWas(model, { db, maxTimeMS, asking, hooks: hooksOf(r), answering: record() })];
}

/** Keeps a stream of a record from those who ask for an earlier state. */
export function present(r: CompiledResource): readonly ResourceMiddleware[] {
  return r.history ? [onlyAsItIs()] : [];
}

function hooksOf(r: CompiledResource): readonly ResourceMiddleware[] {
  const hooks = r.hooksOf('get');
  return hooks.length > 0 ? [afterHooks(hooks)] : [];
}
