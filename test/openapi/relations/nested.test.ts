import { cursorPaging, openapiDocument, service, Unauthorized } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { Project, Tag, Task } from '../../support/models/projects.ts';
import { db } from '../fixtures.ts';

const shop = service({ authenticate: () => undefined });
const document = openapiDocument(
  shop.api({
    db,
    prefix: '/api',
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    resources: [
      shop.resource({ model: Project, nested: ['tasks', 'watched', 'stepped'] }),
      shop.resource({
        model: Task,
        guardsFor: {
          create: [
            () => {
              throw new Unauthorized();
            },
          ],
        },
      }),
    ],
    models: [Tag],
  }),
);
const path = (relation: string) => document.paths[`/api/projects/{id}/${relation}`] as Any;

describe('the description of `nested`', () => {
  it('has the list with the parameters and the page of the other resource, and the id of the record', () => {
    const { get, parameters } = path('tasks');
    const own = document.paths['/api/tasks'] as Any;
    expect([get.operationId, get.tags, parameters[0].name]).toEqual(['listProjectTasks', ['projects'], 'id']);
    expect(get.parameters).toEqual(own.get.parameters);
    expect(get.responses[200]).toEqual(own.get.responses[200]);
    expect(Object.keys(get.responses)).toEqual(expect.arrayContaining(['200', '400', '404', '405', '503']));
  });

  it('has the create, in whose body the reference is not required, and may be anything', () => {
    const { post } = path('tasks');
    const { schema } = post.requestBody.content['application/json'];
    expect([post.operationId, schema.required, schema.additionalProperties]).toEqual(['createProjectTasks', ['id', 'title'], false]);
    expect(schema.properties.projectId).toEqual({ description: expect.stringContaining('Replaced') });
    expect(path('watched').post.operationId).toBe('createProjectWatched');
    expect(post.responses[201]).toEqual((document.paths['/api/tasks'] as Any).post.responses[201]);
    expect(post.responses).toHaveProperty('404');
    expect(path('stepped')).not.toHaveProperty('post');
  });

  it('offers no estimate of a total, because the list shows a part of the collection', () => {
    const counted = (total: true | 'estimate') => {
      const resources = [
        shop.resource({ model: Project, nested: ['tasks'] }),
        shop.resource({ model: Task, paging: cursorPaging({ total }) }),
      ];
      const { paths } = openapiDocument(shop.api({ db, resources, models: [Tag] }));
      return ['/tasks', '/projects/{id}/tasks'].map((one) => {
        const { parameters } = (paths[one] as Any).get;
        return parameters.find(({ name }: Any) => name === 'total')?.schema.enum;
      });
    };
    expect(counted(true)).toEqual([
      ['true', 'estimate', 'false'],
      ['true', 'false'],
    ]);
    expect(counted('estimate')).toEqual([['estimate', 'false'], undefined]);
  });

  it('asks for credentials where one of both does', () => {
    expect(path('tasks').get.security).toEqual([{ bearer: [] }, {}]);
    expect(path('tasks').post).not.toHaveProperty('security');
  });
});
