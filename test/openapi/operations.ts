import { defineModel, openapiDocument, service, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { everyApi } from './every-api.ts';
import { db } from './fixtures.ts';

/** The description of everything at once. */
export const every = openapiDocument(everyApi());

/** An operation in it. */
export const at = (path: string, method: string): Any => (every.paths[path] as Any)[method];

/** What is referred to in it. */
export const shared = (kind: string, reference: { $ref: string }): Any =>
  every.components[kind]?.[reference.$ref.split('/').at(-1) as string];

export const Note = defineModel('Note', { collection: 'notes', fields: { text: t.string({ policy: { filter: true } }) } });

/** The operation of an api of one resource over a model without a revision. */
export function describeNote(method: 'get' | 'patch', options: object, apiOptions: object = {}, authenticated = false): Any {
  const shop = authenticated ? service<string>({ authenticate: () => 'ann' }) : service<string>();
  const document = openapiDocument(shop.api({ db, resources: [shop.resource({ model: Note, ...options })], ...apiOptions }));
  return (document.paths['/notes/{id}'] as Any)[method];
}
