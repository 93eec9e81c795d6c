import { type EntityTags, matchesStrong } from '../http/entity-tag.ts';
import type { CompiledModel } from '../model/compile-model.ts';
import type { Filter } from './filter.ts';

/**
 * `If-Match` as a condition in the write's own filter (RFC 9110 §13.1.1): nothing can happen between the check and the write. A record
 * without a revision, or with null, has revision 0. Tags that no revision can have match nothing, and on a model without a revision none does.
 */
export function buildPrecondition(model: CompiledModel, precondition: EntityTags | undefined): Filter | undefined {
  if (precondition === undefined || precondition === '*') return undefined;
  if (!model.revision) return { $expr: false };
  const revisions = precondition.flatMap(({ weak, tag }) => (!weak && revisionText.test(tag) ? [BigInt(tag)] : []));
  const possible = revisions.filter((revision) => revision < 2n ** 63n);
  return { [model.revision.key]: { $in: possible.includes(0n) ? [...possible, null] : possible } };
}

// Tags compare as text: "00" is not "0".
const revisionText = /^(?:0|[1-9]\d{0,18})$/;

/** The revision of a stored record, as the text of its entity tag. */
export function revisionOf(model: CompiledModel, stored: Readonly<Record<string, unknown>>): string | undefined {
  return model.revision && String(stored[model.revision.key] ?? 0);
}

/** Whether a stored record fulfils `If-Match`: the same rule as {@link buildPrecondition}, for finding out why a write missed. */
export function fulfils(model: CompiledModel, precondition: EntityTags | undefined, stored: Readonly<Record<string, unknown>>): boolean {
  return precondition === undefined || matchesStrong(precondition, comparableRevision(model, stored));
}

// A value that another program left there and that is no integer matches no tag in the filter. Here it must match none either, or the
// write would be tried again and again.
function comparableRevision(model: CompiledModel, stored: Readonly<Record<string, unknown>>): string | undefined {
  const revision = revisionOf(model, stored);
  const isInteger = revision !== undefined && revisionText.test(revision) && typeof stored[model.revision?.key ?? ''] !== 'string';
  return isInteger ? revision : undefined;
}
