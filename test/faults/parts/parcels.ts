import type { Db } from 'mongodb';
import { defineModel, service, t } from '../../../src/index.ts';

/** A model whose changes are delivered. */
export const Parcel = defineModel('Parcel', {
  collection: 'parcels',
  fields: { id: t.int({ policy: { insert: true } }), n: t.int(), revision: t.revision() },
  outbox: true,
});

/** An api of parcels. */
export function parcelsApi(db: Db) {
  const post = service();
  return post.api({ db, resources: [post.resource({ model: Parcel })], maxTimeMS: 5_000 });
}

/** What a worker has got, in the order in which it was told. */
export interface Received {
  readonly worker: number;
  readonly event: string;
  readonly subject: string;
  readonly revision: number;
}
