import { openapiDocument, service } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { Project, Tag, Task } from '../../support/models/projects.ts';
import { db } from '../fixtures.ts';

const shop = service();
const document = openapiDocument(
  shop.api({ db, resources: [shop.resource({ model: Project, links: ['tags'] }), shop.resource({ model: Tag })], models: [Task] }),
);

describe('the description of `links`', () => {
  const item = document.paths['/projects/{id}/tags/{other}'] as Any;

  it('has both ids in the path', () => {
    expect(item.parameters.map((one: Any) => [one.name, one.in, one.required])).toEqual([
      ['id', 'path', true],
      ['other', 'path', true],
    ]);
  });

  it.each([
    ['put', 'addProjectTags'],
    ['delete', 'removeProjectTags'],
  ])('has %s with If-Match, 204, and the problems of a patch', (method, operationId) => {
    const operation = item[method];
    expect([operation.operationId, operation.requestBody, Object.keys(operation.responses)[0]]).toEqual([operationId, undefined, '204']);
    expect(operation.parameters.map((one: Any) => one.$ref)).toEqual(['#/components/parameters/IfMatch', expect.any(String)]);
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(['404', '405', '412', '422', '503']));
  });
});
