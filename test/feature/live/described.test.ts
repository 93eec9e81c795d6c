import { stringifyJson } from '../../../src/http/json.ts';
import { defineModel, openapiDocument, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';

const Card = defineModel('Card', {
  collection: 'cards',
  fields: { id: t.int(), title: t.string(), note: t.optional(t.string({ policy: { read: 'staff' } })), revision: t.revision() },
});
const Tag = defineModel('Tag', { collection: 'tags', fields: { id: t.string() } });
const database = useDatabase();

function documentOf(ofApi: object = {}): Any {
  const board = service({ authenticate: () => undefined, rules: { staff: () => false } });
  const api = board.api({
    db: database.db,
    resources: [
      board.resource({ model: Card, ops: ['list', 'get', 'patch'], live: true, vary: [] }),
      board.resource({ model: Card, ops: ['list', 'get'], path: 'archive' }),
      board.resource({ model: Tag, ops: ['list'], live: true }),
    ],
    ...ofApi,
  } as never);
  return openapiDocument(api);
}

const resolve = (document: Any, { $ref }: { readonly $ref: string }) =>
  $ref
    .slice(2)
    .split('/')
    .reduce((part: Any, key) => part[key], document);

describe('the description of a resource with `live`', () => {
  it('has the stream of events beside JSON, and its problems', () => {
    const document = documentOf();
    for (const path of ['/cards', '/cards/{id}']) {
      const { responses, parameters } = document.paths[path].get;
      expect(Object.keys(responses[200].content)).toEqual(['application/json', 'text/event-stream']);
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['429', '501', '503']));
      expect(Object.keys(responses[200].headers)).toContain('Vary');
      expect(parameters).toContainEqual({ $ref: '#/components/parameters/LastEventId' });
      expect(resolve(document, responses[501]).content['application/problem+json'].examples).toHaveProperty('replica_set_required');
      expect(resolve(document, responses[503]).content['application/problem+json'].examples).not.toHaveProperty('too_old');
    }
    expect(document.paths['/cards/{id}'].get.responses[200].headers.ETag).toEqual({ $ref: '#/components/headers/OptionalETag' });
  });

  it('describes each event once: its data are those of the answer in JSON', () => {
    const document = documentOf();
    const events = (path: string) => {
      const { $ref } = document.paths[path].get.responses[200].content['text/event-stream'].schema;
      return [
        $ref.split('/').at(-1),
        resolve(document, { $ref }).oneOf.map(({ properties: { event, data } }: Any) => [event.enum[0], data]),
      ];
    };
    const card = { $ref: '#/components/schemas/CardRead' };
    const id = { type: 'integer' };
    const change = { type: 'object', minProperties: 1, properties: { put: { items: card }, remove: { items: id }, order: { items: id } } };
    const end = { properties: { problem: { $ref: '#/components/schemas/Problem' } } };
    expect(events('/cards')).toMatchObject([
      'CardPageEvent',
      [
        ['page', { $ref: '#/components/schemas/CardPage' }],
        ['change', change],
        ['same', { type: 'object' }],
        ['end', end],
      ],
    ]);
    expect(events('/cards/{id}')).toMatchObject([
      'CardRecordEvent',
      [
        ['record', { properties: { data: card, etag: { type: 'string' } }, required: ['data', 'etag'] }],
        ['gone', {}],
        ['same', {}],
        ['end', end],
      ],
    ]);
  });

  it('is that of every resource with `live`, and of no other', () => {
    const { paths, components } = documentOf();
    expect(stringifyJson([paths['/archive'], paths['/archive/{id}'], paths['/cards/{id}'].patch])).not.toMatch(/event|LastEventId/);
    expect(Object.keys(components.schemas).filter((name) => name.endsWith('Event'))).toEqual([
      'CardPageEvent',
      'CardRecordEvent',
      'TagPageEvent',
    ]);
  });

  it('refers to the problem of the library also if the api writes problems of its own', () => {
    const document = documentOf({ problem: () => ({ body: {} }) });
    expect(document.components.schemas.Problem.properties).toHaveProperty('code');
  });
});
