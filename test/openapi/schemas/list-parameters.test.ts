import { cursorPaging, defineModel, type OpenapiDocument, offsetPaging, openapiDocument, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { everyApi } from '../every-api.ts';
import { db, Guarded } from '../fixtures.ts';
import { compileSchema, schemaOf } from '../published.ts';

const Note = defineModel('Note', { collection: 'notes', fields: { text: t.string({ policy: { filter: true } }) } });

describe('the parameters of a list', () => {
  it('offers both sides of a cursor, or numbers, as it is paged', () => {
    const describeWith = (paging: object) => {
      const shop = service();
      return openapiDocument(shop.api({ db, resources: [shop.resource({ model: Note, paging: paging as never })] }));
    };
    const listOf = (document: OpenapiDocument): Any => document.paths['/notes'];
    const document = describeWith(offsetPaging({ maxOffset: 50 }));
    const { parameters, responses } = listOf(document).get;
    expect(parameters.map(({ name }: Any) => name).filter((name: string) => !name.includes('['))).toEqual(['filter', 'limit', 'page']);
    expect(parameters.at(-1).schema).toEqual({ type: 'integer', minimum: 1, maximum: 51, default: 1 });
    const { page } = schemaOf(document, 'NotePage').properties;
    expect(page.required).toEqual(['size', 'number', 'has_next']);
    expect(Object.keys(page.properties)).toEqual(page.required);
    expect(responses[400]).toEqual({ $ref: '#/components/responses/InvalidQuery' });
    expect(listOf(describeWith(cursorPaging())).get.responses[400]).toEqual({ $ref: '#/components/responses/InvalidQueryOrInvalidCursor' });
  });

  it.each<['true' | 'estimate', boolean | 'estimate', string[]]>([
    ['true', true, ['true', 'estimate', 'false']],
    ['estimate', 'estimate', ['estimate', 'false']],
  ])('offers the totals that its paging allows: %s', (_name, total, words) => {
    const shop = service();
    const document = openapiDocument(shop.api({ db, resources: [shop.resource({ model: Note, paging: cursorPaging({ total }) })] }));
    const { parameters } = (document.paths['/notes'] as Any).get;
    expect(parameters.find(({ name }: Any) => name === 'total').schema).toEqual({ type: 'string', enum: words, default: 'false' });
    const { properties, required } = schemaOf(document, 'NotePage').properties.page;
    expect(properties).toMatchObject({ total: { type: 'integer' }, total_is_estimate: { const: true } });
    expect(required).not.toContain('total');
  });

  it('offers `in` for values that can stand between commas, `in[]` for those that may have commas, and both for texts', () => {
    const filter = { policy: { filter: ['in', 'eq'] } } as const;
    const fields = { city: t.enum(['Rome', 'Washington, D.C.'], filter), size: t.enum(['a', 'b'], filter), text: t.string(filter) };
    const model = defineModel('Place', { collection: 'places', fields });
    const document = openapiDocument(service().api({ db, resources: [service().resource({ model })] }));
    const { parameters } = (document.paths['/places'] as Any).get;
    const items = parameters
      .filter(({ name }: Any) => name.includes('[in]'))
      .map(({ name, style, explode, schema }: Any) => [name, style, explode, schema.items]);
    expect(items).toEqual([
      ['city[in][]', 'form', true, { type: 'string', enum: ['Rome', 'Washington, D.C.'] }],
      ['size[in]', 'form', false, { type: 'string', enum: ['a', 'b'] }],
      ['text[in]', 'form', false, { type: 'string', pattern: '^[^\\x00,]*$' }],
      ['text[in][]', 'form', true, { type: 'string', pattern: '^[^\\x00]*$' }],
    ]);
  });

  it('offers a choice of fields where its resource does, on one record as well', () => {
    const shop = service();
    const document = openapiDocument(shop.api({ db, resources: [shop.resource({ model: Guarded, fields: true })] }));
    const { get: list } = document.paths['/guarded'] as Any;
    const { get: one } = document.paths['/guarded/{id}'] as Any;
    for (const { parameters } of [list, one]) {
      const { schema, style, explode } = parameters.find(({ name }: Any) => name === 'fields');
      expect([schema.type, style, explode]).toEqual(['array', 'form', false]);
      expect(schema.items.enum).toEqual(
        expect.arrayContaining(['id', 'open', 'address', 'address.city', 'address.geo.lat', 'history.text']),
      );
      expect(JSON.stringify(schema)).not.toContain('secret');
    }
    expect(one.responses[400]).toEqual({ $ref: '#/components/responses/MalformedHeaderOrInvalidQuery' });
    expect(one.responses[200].content['application/json'].schema.properties.data).toEqual({ $ref: '#/components/schemas/GuardedSelected' });
    const usual = openapiDocument(everyApi()).paths['/api/guarded'] as Any;
    expect(JSON.stringify(usual.get.parameters)).not.toContain('"fields"');
  });

  it('requires nothing but the id of what clients have chosen, at any depth', () => {
    const shop = service();
    const document = openapiDocument(shop.api({ db, resources: [shop.resource({ model: Guarded, fields: true })] }));
    const fits = compileSchema(document, { $ref: '#/components/schemas/GuardedSelected' });
    const id = '65f1a2b3c4d5e6f708192a3b';
    const answers = [{ id }, { id, address: { city: 'Rome' } }, { id, history: [{}] }, {}, { id, open: 5 }, { id, address: { city: 5 } }];
    expect(answers.map(fits)).toEqual([true, true, true, false, false, false]);
    expect(schemaOf(document, 'GuardedRead').required).toContain('open');
    const readOnly = openapiDocument(shop.api({ db, resources: [shop.resource({ model: Guarded, ops: ['list'], fields: true })] }));
    expect(Object.keys(readOnly.components.schemas ?? {})).toContain('GuardedSelected');
    expect(Object.keys(readOnly.components.schemas ?? {})).not.toContain('GuardedRead');
  });
});
