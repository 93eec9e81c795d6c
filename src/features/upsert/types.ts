import type { Document, HasFields, NewDocument } from '../../model/define/infer.ts';

/** The outcome of an upsert: the record as it is now, and whether it was created. */
export interface Upserted<Doc> {
  readonly record: Doc;
  readonly created: boolean;
}

/** The method of a store that creates a record or replaces it. */
export interface Upserts<M extends HasFields, Id> {
  /**
   * Creates the record with this id, or replaces the one that is there, in one atomic command. It is then what `create`
   * would make of the document: what is left out has its default, or is gone, also if it is private. A record that was
   * there keeps the time of its creation, and its revision goes one step on. Throws 409 or 422: 409 also for an id that
   * a deleted record has, or one outside of the scope.
   *
   * @example
   * const { record, created } = await orders.upsert(id, { customer, owner: 'ann', total: 5 });
   */
  upsert(id: Id, document: Omit<NewDocument<M>, 'id'>): Promise<Upserted<Document<M>>>;
}
