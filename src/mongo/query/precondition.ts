import { Problem } from '../../errors.ts';
import { type EntityTags, matchesStrong, matchesWeak } from '../../http/entity-tag.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { both, type Filter } from './filter.ts';

/** What a record must fulfil for a request to be carried out (RFC 9110 §13.2.2): `If-Match` is judged first. */
export interface Precondition {
  readonly ifMatch?: EntityTags;
  /** Of a write only: a read that it stops is 304, and asks for the answer's own tag. */
  readonly ifNoneMatch?: EntityTags;
}

type Stored = Readonly<Record<string, unknown>>;

const nothing: Filter = { $expr: false };

/**
 * Preconditions as conditions in the write's own filter: nothing can happen between the check and the write. A record without a revision, or
 * with null, has revision 0. Tags that no revision can have match nothing, and on a model without a revision none does.
 */
export function buildPrecondition(model: CompiledModel, { ifMatch, ifNoneMatch }: Precondition = {}): Filter {
  return both(buildIfMatch(model, ifMatch), buildIfNoneMatch(model, ifNoneMatch));
}

/** Strong comparison (RFC 9110 §13.1.1). */
function buildIfMatch({ revision }: CompiledModel, tags: EntityTags | undefined): Filter {
  if (tags === undefined || tags === '*') return {};
  if (!revision) return nothing;
  return { [revision.key]: { $in: revisionsOf(tags.filter(({ weak }) => !weak)) } };
}

/** Weak comparison (RFC 9110 §13.1.2). */
function buildIfNoneMatch({ revision }: CompiledModel, tags: EntityTags | undefined): Filter {
  if (tags === '*') return nothing;
  const revisions = revision && tags ? revisionsOf(tags) : [];
  return revision && revisions.length > 0 ? { [revision.key]: { $nin: revisions } } : {};
}

/** The stored values that these tags name. */
function revisionsOf(tags: Exclude<EntityTags, '*'>): (bigint | null)[] {
  const revisions = tags.filter(({ tag }) => revisionText.test(tag)).map(({ tag }) => BigInt(tag));
  const possible = revisions.filter((revision) => revision < 2n ** 63n);
  return possible.includes(0n) ? [...possible, null] : possible;
}

// Tags compare as text: "00" is not "0".
const revisionText = /^(?:0|[1-9]\d{0,18})$/;

/** The revision of a stored record, as the text of its entity tag. */
export function revisionOf(model: CompiledModel, stored: Stored): string | undefined {
  return model.revision && String(stored[model.revision.key] ?? 0);
}

/** Throws 412 where a stored record does not fulfil what {@link buildPrecondition} asks for: to find out why a write missed, and for reads. */
export function checkPrecondition(model: CompiledModel, { ifMatch, ifNoneMatch }: Precondition = {}, stored: Stored): void {
  const current = comparableRevision(model, stored);
  if (ifMatch !== undefined && !matchesStrong(ifMatch, current))
    throw preconditionFailed('The record has changed since, or has no revision to compare; read it again.');
  if (ifNoneMatch !== undefined && matchesWeak(ifNoneMatch, current))
    throw preconditionFailed('The record is one that If-None-Match names.');
}

/** 412. */
export function preconditionFailed(detail: string): Problem {
  return new Problem({ code: 'precondition_failed', detail });
}

// A value that another program left there and that is no integer matches no tag in the filter. Here it must match none either, or the
// write would be tried again and again.
function comparableRevision(model: CompiledModel, stored: Stored): string | undefined {
  const revision = revisionOf(model, stored);
  const isInteger = revision !== undefined && revisionText.test(revision) && typeof stored[model.revision?.key ?? ''] !== 'string';
  return isInteger ? revision : undefined;
}
