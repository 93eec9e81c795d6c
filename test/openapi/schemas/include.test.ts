import { defineModel, type Model, type OpenapiDocument, openapiDocument, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { Book, bookRelations, Company, Person } from '../../support/models/books.ts';
import { Project, Tag, Task } from '../../support/models/projects.ts';
import { db } from '../fixtures.ts';
import { compileNamed, schemaOf } from '../published.ts';

function documentOf(resources: readonly object[], models: readonly unknown[] = []): OpenapiDocument {
  const shop = service();
  return openapiDocument(
    shop.api({ db, resources: resources.map((options) => shop.resource(options as { model: Model })), models: models as Model[] }),
  );
}

const document = documentOf(
  [
    { model: Book, include: [...bookRelations, 'author.boss'] },
    { model: Book, path: 'bare' },
    { model: Person, include: ['boss'] },
  ],
  [Company],
);
const person = { $ref: '#/components/schemas/PersonRead' };
const company = { $ref: '#/components/schemas/CompanyRead' };
const text = { type: 'string' };
const nothing = { type: 'null' };

describe('the parameter include', () => {
  const parameterOf = (path: string, operation = 'get') =>
    (document.paths[path] as Any)[operation].parameters?.find((one: Any) => one.name === 'include');

  it('is a list of the allowed relations, with commas, on list and get', () => {
    const schema = { type: 'array', items: { type: 'string', enum: [...bookRelations, 'author.boss'] }, minItems: 1 };
    for (const path of ['/books', '/books/{id}'])
      expect(parameterOf(path)).toMatchObject({ in: 'query', style: 'form', explode: false, schema });
    expect(parameterOf('/people').schema.items.enum).toEqual(['boss']);
  });

  it('is not there where nothing may be included, nor on other operations', () => {
    expect([parameterOf('/bare'), parameterOf('/bare/{id}'), parameterOf('/books', 'post'), parameterOf('/books/{id}', 'patch')]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('may be refused with 400', () => {
    expect((document.paths['/books/{id}'] as Any).get.responses).toHaveProperty('400');
  });
});

describe('the schema of what is read', () => {
  const book = schemaOf(document, 'BookRead');

  it('has the id or the record where the record replaces the id', () => {
    expect(book.properties.author).toEqual({ anyOf: [text, person] });
    expect(book.properties.translators).toEqual({ type: 'array', items: { anyOf: [text, person] } });
    expect(schemaOf(document, 'Edition').properties.publisher).toEqual({ anyOf: [{ anyOf: [text, company] }, nothing] });
    expect(schemaOf(document, 'Chapter').properties.by).toEqual({ anyOf: [{ anyOf: [text, person] }, nothing] });
  });

  it('has the record or null, not required, where it is added beside the id', () => {
    expect(book.properties).toMatchObject({ editorId: { type: ['string', 'null'] }, editor: { anyOf: [person, nothing] } });
    expect(book.properties.readers).toEqual({ type: ['array', 'null'], items: { anyOf: [person, nothing] } });
    expect(book.required).toEqual(expect.arrayContaining(['author', 'editorId']));
    expect(book.required).not.toContain('editor');
    expect(schemaOf(document, 'PersonRead').properties.boss).toEqual({ anyOf: [person, nothing] });
  });

  it('has ids alone where nobody includes anything', () => {
    expect(schemaOf(document, 'PersonRead').properties.company).toEqual({ type: ['string', 'null'] });
    expect(schemaOf(document, 'CompanyRead').properties.owner).toEqual({ type: ['string', 'null'] });
    const bare = schemaOf(documentOf([{ model: Book }]), 'BookRead');
    expect(bare.properties.author).toEqual(text);
    expect(bare.properties).not.toHaveProperty('editor');
  });

  it('is there for a model without a resource, and for one whose resource reads nothing', () => {
    expect(schemaOf(document, 'CompanyRead').properties).toHaveProperty('name');
    const other = documentOf([
      { model: Book, include: ['author'] },
      { model: Person, ops: ['delete'] },
    ]);
    expect(schemaOf(other, 'PersonRead').properties).toHaveProperty('name');
  });

  it('shows nothing private, neither the relation nor the fields of its target', () => {
    expect(JSON.stringify(document)).not.toMatch(/informant|taxId|email|door/);
  });

  it('fits the answers', () => {
    const fits = compileNamed(document, 'BookRead');
    const ann = { id: 'ann', name: 'Ann', address: null, company: null, bossId: 'ben', rank: 1 };
    const bare = { id: 'b', title: 'B', author: 'ann', editorId: null, translators: ['ann'], edition: null, chapters: [], revision: 0 };
    const full = {
      ...bare,
      author: { ...ann, boss: { ...ann, boss: null } },
      editor: null,
      translators: [ann, 'gone'],
      readers: [null, ann],
      edition: { publisher: { id: 'c', name: 'C', owner: null, revision: 1 }, printer: null },
      chapters: [
        { title: 'I', by: ann },
        { title: 'II', by: 'gone' },
      ],
    };
    expect([fits(bare), fits(full), fits({ ...full, readers: null })]).toEqual([true, true, true]);
    expect([fits({ ...full, editor: 'ann' }), fits({ ...full, author: { id: 'ann' } }), fits({ ...bare, author: null })]).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('is one for an object that stands in several models, of which one is included', () => {
    const Line = t.object('Line', { by: t.ref('Person', { id: t.string() }) });
    const Order = defineModel('Order', {
      collection: 'orders',
      fields: { lines: t.array(Line), unnamed: { type: 'object', properties: { by: t.ref('Person', { id: t.string() }) } } },
    });
    const Cart = defineModel('Cart', { collection: 'carts', fields: { first: Line, byName: t.map(Line) } });
    const both = documentOf([{ model: Order, include: ['lines.by', 'unnamed.by'] }, { model: Cart }, { model: Person }]);
    expect(schemaOf(both, 'Line').properties.by).toEqual({ anyOf: [text, person] });
    expect(schemaOf(both, 'LineCreate').properties.by).toEqual(text);
    expect(schemaOf(both, 'OrderRead').properties.unnamed.properties.by).toEqual({ anyOf: [text, person] });
  });
});

describe('the schema of what t.hasMany adds', () => {
  const both = [
    { model: Project, include: ['tasks', 'taskCount'] },
    { model: Task, include: ['project'] },
  ];
  const described = documentOf(both, [Tag]);
  const project = schemaOf(described, 'ProjectRead');

  it('has the records or their number, and whether there are more, none of them required', () => {
    expect(project.properties.tasks).toEqual({ type: 'array', items: { $ref: '#/components/schemas/TaskRead' }, maxItems: 3 });
    expect(project.properties.taskCount).toEqual({ type: 'integer', minimum: 0, maximum: 5 });
    expect(project.properties.tasks_has_next).toMatchObject({ type: 'boolean', enum: [true] });
    expect(project.properties).toHaveProperty('taskCount_has_next');
    expect(project.required).toEqual(['id', 'name', 'parentId', 'tagIds', 'revision']);
  });

  it('has only what some resource includes, and is not in what is sent', () => {
    expect(project.properties).not.toHaveProperty('watched');
    for (const shape of ['ProjectCreate', 'ProjectPatch']) expect(schemaOf(described, shape).properties).not.toHaveProperty('tasks');
  });

  it('describes no records for a number alone', () => {
    const counted = documentOf([{ model: Project, include: ['taskCount'] }], [Task, Tag]);
    expect(counted.components.schemas).not.toHaveProperty('TaskRead');
  });

  it('fits the answers', () => {
    const fits = compileNamed(described, 'ProjectRead');
    const bare = { id: 'a', name: 'A', parentId: null, tagIds: [], revision: 0 };
    const task = {
      id: 't',
      title: 'T',
      rank: 1,
      projectId: 'a',
      watcherIds: [],
      steps: [],
      revision: 0,
      updatedAt: '2026-01-01T00:00:00.000Z',
    };
    const full = { ...bare, tasks: [task, { ...task, project: bare }], tasks_has_next: true, taskCount: 5, taskCount_has_next: true };
    expect([fits(bare), fits(full), fits({ ...bare, tasks: [] }), fits({ ...bare, tasks: ['t'] })]).toEqual([true, true, true, false]);
  });
});
