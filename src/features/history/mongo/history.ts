export { readDocuments } from './documents.ts';
export { openEntries } from './entries.ts';
export { type HistoryList, openHistoryList } from './list.ts';
export { revisionIn, stateAt } from './state-at.ts';
