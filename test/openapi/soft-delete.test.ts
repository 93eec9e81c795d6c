import { cursorPaging, openapiDocument, type ResourceOptions, service } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { Parcel } from '../support/models/parcel.ts';
import { db } from './fixtures.ts';
import { schemaOf } from './published.ts';

function describeWith(options: object) {
  const shop = service();
  const resource = { model: Parcel, ...options } as unknown as ResourceOptions<never, (typeof Parcel)['~fields']>;
  return openapiDocument(shop.api({ db, resources: [shop.resource(resource as Any)] }));
}

describe('the description of a model with t.deletedAt()', () => {
  it('shows the time where it is read, as one that may be absent, and nowhere else', () => {
    const document = describeWith({ ops: ['get', 'create', 'patch', 'put'] });
    const read = schemaOf(document, 'ParcelRead');
    expect(read.properties.deletedAt).toMatchObject({ type: 'string', format: 'date-time' });
    expect(read.required).not.toContain('deletedAt');
    for (const name of ['ParcelCreate', 'ParcelPatch', 'ParcelPut'])
      expect(schemaOf(document, name).properties).not.toHaveProperty('deletedAt');
    expect(JSON.stringify(document)).not.toContain('_deletion');
  });

  it('has the restore where it is served, with what it answers', () => {
    expect(describeWith({}).paths).not.toHaveProperty(['/parcels/{id}/restore']);
    const { post, parameters } = describeWith({ ops: ['delete', 'restore'] }).paths['/parcels/{id}/restore'] as Any;
    expect(parameters.map(({ name }: Any) => name)).toEqual(['id']);
    expect([post.operationId, 'requestBody' in post]).toEqual(['restoreParcel', false]);
    expect(Object.keys(post.responses)).toEqual(expect.arrayContaining(['200', '404', '409', '412']));
    expect(Object.keys(post.responses)).not.toContain('422');
  });

  it('has the parameter `deleted` where clients may use it, and no total that is estimated', () => {
    const parametersOf = (options: object) => {
      const { paths } = describeWith({ paging: cursorPaging({ total: true }), ...options });
      return [paths['/parcels'], paths['/parcels/{id}']].map(
        ({ get }: Any) => new Map(get.parameters.map((one: Any) => [one.name, one.schema])),
      );
    };
    const [list, one] = parametersOf({ deleted: { guards: [() => true] } });
    for (const parameters of [list, one]) expect(parameters?.get('deleted')).toEqual({ type: 'string', enum: ['only', 'with'] });
    expect(list?.get('total')).toEqual({ type: 'string', enum: ['true', 'false'], default: 'false' });
    for (const parameters of parametersOf({})) expect(parameters.has('deleted')).toBe(false);
  });
});
