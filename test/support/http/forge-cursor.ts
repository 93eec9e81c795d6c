import { createHash } from 'node:crypto';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import type { Model } from '../../../src/model/define/define-model.ts';
import { noRelations } from '../../../src/model/relations/includable.ts';
import { parseListQuery } from '../../../src/mongo/list/parse-list-query.ts';
import { cursorPaging } from '../../../src/resource/define/paging.ts';

/** A cursor with a checksum that is right, as anybody can make one who has read the source. */
export function forgeCursor(digest: string, payload: unknown): string {
  return seal(digest, Buffer.from(JSON.stringify(payload)).toString('base64url'));
}

/** The text of a cursor behind a checksum that is right. */
export function seal(digest: string, text: string): string {
  return createHash('sha256').update(`${digest}.${text}`).digest('base64url').slice(0, 16) + text;
}

/** What the cursors of a list by this sort are bound to, and by filters. */
export function digestOf(model: Model, resource: string, sort: string, filters: Readonly<Record<string, string>> = {}): string {
  const { clientFields: fields } = compileModel(model);
  const limits = { maxFilterValues: 500, maxPrefix: 1000, maxSortKeys: 8, maxContainsMatches: 10 };
  const rules = { resource, fields, paging: cursorPaging(), selector: undefined, includes: noRelations, ...limits };
  const asked = Object.entries({ ...filters, ...(sort !== '' && { sort }) });
  const { window } = parseListQuery(
    asked.map(([name, value]) => ({ name, value })),
    rules,
  );
  if (window.mode !== 'cursor') throw new Error('the list is paged by number');
  return window.list;
}
