import type { Db } from 'mongodb';
import { defineModel, service, t } from '../../../src/index.ts';
import { defineRemovals } from '../../../src/mongo/removals/define-removals.ts';

/** Folders within folders: a delete takes along whatever is within. */
export const Folder = defineModel('Folder', {
  collection: 'folders',
  fields: {
    id: t.string(),
    parent: t.optional(t.ref('Folder', { id: t.string(), as: 'within', onDelete: 'cascade' })),
    deletedAt: t.deletedAt(),
    revision: t.revision(),
  },
  history: true,
  outbox: true,
});

/** It refers to a folder, and stays when that goes. */
export const Shortcut = defineModel('Shortcut', {
  collection: 'shortcuts',
  fields: {
    id: t.string(),
    to: t.nullable(t.ref('Folder', { id: t.string(), as: 'leadsTo', onDelete: 'nullify' })),
    revision: t.revision(),
  },
  history: true,
});

export const Removal = defineRemovals();

/** An api of folders, whose deletes can take none along within a request. */
export function foldersApi(db: Db) {
  return service().api({ db, resources: [], models: [Folder, Shortcut] as never[], removals: Removal, maxCascade: 0, maxTimeMS: 5_000 });
}
