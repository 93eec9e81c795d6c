import { type } from 'arktype';
import { z } from 'zod';
import { defineModel, jsonBody, openapiDocument, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';

const database = useDatabase();
const Member = defineModel('Member', {
  collection: 'members',
  fields: {
    mail: t.from(z.email(), { unique: true, policy: { filter: ['eq'] } }),
    place: t.optional(t.from(z.object({ city: z.string(), size: z.int().default(1) }).meta({ title: 'Place' }))),
  },
});
const club = service();
const build = () =>
  club.api({
    db: database.db,
    onError: () => undefined,
    resources: [
      club.resource({
        model: Member,
        operations: {
          weigh: {
            path: '/weigh',
            use: [
              jsonBody({
                schema: z.object({ grams: z.number().positive(), unit: z.enum(['g', 'kg']).default('g') }).meta({ title: 'Weigh' }),
              }),
            ],
            answer: type({ grams: 'number > 0', unit: 'string' }),
            handler: ({ request: { body } }) => ({ grams: body.grams === 13 ? 'many' : body.grams, unit: body.unit }),
          },
        },
      }),
    ],
  });
const send = async (path: string, body?: object) => {
  const request = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await build().fetch(new Request(`http://in-process${path}`, body ? request : {}), {});
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe('schemas of other libraries', () => {
  it('are rules of the fields of a model', async () => {
    expect(await send('/members', { mail: 'x', place: {} })).toMatchObject({
      status: 422,
      body: {
        errors: [
          { field: 'mail', rule: 'pattern' },
          { field: 'place.city', rule: 'required' },
        ],
      },
    });
    const created = await send('/members', { mail: 'ann@example.org', place: { city: 'Bern' } });
    expect(created).toMatchObject({ status: 201, body: { data: { mail: 'ann@example.org', place: { city: 'Bern', size: 1 } } } });
    expect(await send('/members?mail=ann@example.org')).toMatchObject({ status: 200, body: { data: [{ place: { city: 'Bern' } }] } });
  });

  it('validate the body and the answer of a custom operation', async () => {
    expect(await send('/members/weigh', { grams: 5 })).toEqual({ status: 200, body: { data: { grams: 5, unit: 'g' } } });
    expect(await send('/members/weigh', { grams: 0, unit: 't', more: 1 })).toMatchObject({
      status: 422,
      body: { errors: [{ field: 'more' }, { field: 'grams' }, { field: 'unit' }] },
    });
    expect((await send('/members/weigh', { grams: 13 })).status).toBe(500);
  });

  it('are in the OpenAPI description', () => {
    const { paths, components } = openapiDocument(build());
    const post = paths['/members/weigh']?.post as Record<string, Record<string, unknown>> | undefined;
    expect(post?.requestBody?.content).toEqual({
      'application/json': {
        schema: {
          title: 'Weigh',
          type: 'object',
          properties: { grams: { type: 'number', exclusiveMinimum: 0 }, unit: { type: 'string', enum: ['g', 'kg'] } },
          required: ['grams'],
          additionalProperties: false,
        },
      },
    });
    expect(JSON.stringify(post?.responses)).toContain('"grams":{"type":"number","exclusiveMinimum":0}');
    expect(components.schemas?.Place).toMatchObject({ properties: { city: { type: 'string' } }, required: ['city', 'size'] });
  });
});
