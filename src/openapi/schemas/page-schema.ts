import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import { addedToListOf } from '../../resource/define/list-of.ts';
import type { Schema } from '../document.ts';

/** The `page` member of a list's answer. */
export function pageSchema(resource: Pick<CompiledResource, 'paging' | 'model' | 'listOptions' | 'listLimits'>): Schema {
  const { max, total, mode } = resource.paging;
  const properties = {
    size: { type: 'integer', minimum: 1, maximum: max, description: 'How many records a page has at most.' },
    ...(mode === 'offset' ? { number: { type: 'integer', minimum: 1, description: 'The number of the page.' } } : {}),
    has_next: { type: 'boolean', description: 'Whether there is a next page.' },
    ...(mode === 'cursor' ? cursors : {}),
  };
  const counted = total === false ? {} : { total: count, total_is_estimate: isEstimate };
  const furtherOfPage: Schema = Object.assign({}, ...addedToListOf(resource).map(({ ofPage }) => ofPage));
  return {
    type: 'object',
    properties: { ...properties, ...counted, ...furtherOfPage },
    required: Object.keys(properties),
  };
}

const cursors = {
  next_cursor: { type: ['string', 'null'], description: 'The value of `after` for the next page; null on the last.' },
  prev_cursor: { type: ['string', 'null'], description: 'The value of `before` for the previous page; null on the first.' },
};
const count = { type: 'integer', minimum: 0, description: 'The number of all matches, when it was asked for.' };
const isEstimate = { type: 'boolean', const: true, description: 'There where `total` is an estimate.' };

const ownPage = {
  size: { type: 'integer', minimum: 0, description: 'How many records the page has at most.' },
  has_next: { type: 'boolean', description: 'Whether there is a next page.' },
  next_cursor: { type: ['string', 'null'], description: 'What leads to the next page; null on the last.' },
};

/** The `page` member of an operation of one's own. */
export const ownPageSchema: Schema = {
  type: 'object',
  properties: { ...ownPage, total: { ...count, description: 'The number of all matches, if it is known.' } },
  required: Object.keys(ownPage),
};
