import type { DeletedOption } from '../model/define/deleted-option.ts';
import { referenceLimits } from '../mongo/relations/limits.ts';
import { anArrayOf, aWholeNumber, checkedLater, type LegalOptions, oneOf, orUndefined, required, trueOrFalse } from '../options.ts';
import type { FindManyOptions, IfMatch, OpenStoreOptions, PurgeCascade, ScopeOptions } from './store.ts';

export const legal: LegalOptions<OpenStoreOptions<unknown>> = {
  db: checkedLater,
  maxTimeMS: checkedLater,
  models: anArrayOf('models'),
  ...referenceLimits,
  scope: checkedLater,
};
export const legalScope: LegalOptions<ScopeOptions<unknown>> = { scope: checkedLater };
export const legalIfMatch: LegalOptions<IfMatch> = { ifMatch: [isRevision, 'a revision'] };
export const legalRemove: LegalOptions<IfMatch & { inBackground: boolean }> = { ...legalIfMatch, inBackground: trueOrFalse };
export const legalCascade: LegalOptions<PurgeCascade> = { cascade: required([(value) => value === true, 'true']) };
export const legalDeleted: LegalOptions<DeletedOption> = { deleted: orUndefined(oneOf('only', 'with')) };
export const legalFind: LegalOptions<FindManyOptions<unknown>> = {
  sort: checkedLater,
  limit: orUndefined(aWholeNumber(0, undefined, ' of records')),
  ...legalDeleted,
};

function isRevision(given: unknown): boolean {
  return typeof given === 'number' || typeof given === 'bigint';
}
