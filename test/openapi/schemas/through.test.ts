import { MongoClient } from 'mongodb';
import { openapiDocument, service } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { type Caller, projectResources } from '../../support/models/related-tasks.ts';

const db = new MongoClient('mongodb://127.0.0.1:1').db();
const shop = service<Caller>();
const document: Any = openapiDocument(shop.api({ db, title: 'Tasks', resources: projectResources(shop) }));
const parametersOf = (path: string, method: string): Any[] =>
  document.paths[path][method].parameters.filter((one: Any) => one.in === 'query');
const list = parametersOf('/tasks', 'get');
const named = (name: string): Any => list.find((one) => one.name === name);

describe('the description of a list that is filtered and sorted through relations', () => {
  it('has one parameter for each operator of a related field, with its type', () => {
    expect(named('project.status[eq]')).toMatchObject({
      description: 'There is a related record in which `project.status` equals this. `project.status=` is the same.',
      schema: { type: 'string', enum: ['open', 'done', 'null'] },
    });
    expect(named('project.budget[gte]').schema).toEqual(named('rank[gte]').schema);
    expect(named('project.owner.name[prefix]').schema).toEqual(named('title[prefix]').schema);
    expect(named('tags.name[in]')).toMatchObject({ style: 'form', explode: false });
  });

  it('has no private field, and none that cannot be filtered', () => {
    expect(list.map(({ name, description }) => `${name} ${description}`).join()).not.toMatch(
      /secret|salary|hidden|project\.note|project\.tenant/,
    );
  });

  it('names related fields among the keys of a sort, if they are single values', () => {
    const { items } = named('sort').schema;
    expect(items.enum).toEqual(expect.arrayContaining(['project.name', '-project.name', '-project.owner.name', 'review.by.name']));
    expect(items.enum).not.toEqual(expect.arrayContaining(['tags.name']));
    expect(items.enum.join()).not.toMatch(/tags\.|lines\.|project\.status/);
  });

  it('says that a sort may have too many matches', () => {
    expect(JSON.stringify(document.paths['/tasks'].get.responses[422])).toMatch(/TooManyMatches/);
    expect(JSON.stringify(document.paths['/members'].get.responses[422] ?? {})).not.toMatch(/TooManyMatches/);
  });

  it('has no such parameters for a write to many records', () => {
    expect(
      parametersOf('/tasks', 'delete')
        .map(({ name }) => name)
        .join(),
    ).not.toMatch(/project\.|tags\./);
  });
});
