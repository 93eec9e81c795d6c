import { Long } from 'mongodb';

/** What is stored of a revision 0, by whoever has written the record. */
export const zeroRevisions: readonly (readonly [what: string, stored: unknown])[] = [
  ['a missing revision', undefined],
  ['null', null],
  ['0', 0],
  ['0 as long', Long.ZERO],
];
