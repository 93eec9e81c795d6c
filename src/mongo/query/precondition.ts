import { Problem } from '../../errors.ts';
import { type EntityTag, type EntityTags, matchesStrong, matchesWeak } from '../../http/entity-tag.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { both } from '../predicate/filter-of.ts';
import type { Filter } from '../predicate/predicate.ts';

/** The preconditions of a request (RFC 9110 §13.2.2). `ifMatch` is checked first. */
export interface Precondition {
  readonly ifMatch?: EntityTags;
  /** Only for writes. For a read, `If-None-Match` leads to 304 and is compared with the entity tag of the answer. */
  readonly ifNoneMatch?: EntityTags;
}

type Stored = Readonly<Record<string, unknown>>;

const nothing: Filter = { $expr: false };

/**
 * Builds conditions for the filter of the write, so that nothing can happen between the check and the write. A record
 * whose revision is missing or null has revision 0. A tag that cannot be a revision matches nothing, and so does every
 * tag if the model has no revision.
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

/**
 * Throws 412 if a stored record does not match the preconditions. For reads, and to find out why a write has matched
 * nothing.
 */
export function checkPrecondition(model: CompiledModel, precondition: Precondition | undefined, stored: Stored): void {
  checkTags(precondition, comparableRevision(model, stored), ({ tag }) => revisionText.test(tag));
}

/**
 * Throws 412 if the entity tag of a record, without quotes, does not match the preconditions. `isOurs` says whether the
 * service can have sent a strong tag with this text.
 */
export function checkTags(
  { ifMatch, ifNoneMatch }: Precondition = {},
  current: string | undefined,
  isOurs: (tag: EntityTag) => boolean,
): void {
  if (ifMatch !== undefined && !matchesStrong(ifMatch, current)) throw preconditionFailed(explainMismatch(ifMatch, current, isOurs));
  if (ifNoneMatch !== undefined && matchesWeak(ifNoneMatch, current))
    throw preconditionFailed('The record has a revision that If-None-Match names.');
}

/** To read again does not help a client that gets each tag changed on its way. */
function explainMismatch(tags: EntityTags, current: string | undefined, isOurs: (tag: EntityTag) => boolean): string {
  if (current === undefined || tags === '*') return 'The record has no revision that If-Match could name.';
  if (tags.length === 0) return 'If-Match names no entity tag.';
  return tags.every((tag) => !tag.weak && isOurs(tag))
    ? 'The record has changed since: If-Match names another revision. Read it again.'
    : 'If-Match has a tag that this service does not send: its tags are strong, such as `"3"`. A proxy that compresses answers makes `W/"3"` or `"3-gzip"` of it: let it keep the ETag.';
}

/** 412. */
export function preconditionFailed(detail: string): Problem {
  return new Problem({ code: 'precondition_failed', detail });
}

// Another program may have stored a revision that is not an integer. It matches no tag in the filter, and must match
// none here either. Otherwise the write would be tried again and again.
function comparableRevision(model: CompiledModel, stored: Stored): string | undefined {
  const revision = revisionOf(model, stored);
  const isInteger = revision !== undefined && revisionText.test(revision) && typeof stored[model.revision?.key ?? ''] !== 'string';
  return isInteger ? revision : undefined;
}
