import { MongoClient } from 'mongodb';
import { defineModel, service, t } from '../../../src/index.ts';
import { describeResource, formatOperations } from '../../../src/products/cli/describe-operations.ts';

const Team = defineModel('Team', {
  collection: 'teams',
  fields: {
    name: t.string({ policy: { filter: true } }),
    memberIds: t.array(t.ref('Person', { as: 'members' })),
    people: t.hasMany('Person', { via: 'teamId' }),
  },
});
const Person = defineModel('Person', { collection: 'people', fields: { name: t.string(), teamId: t.nullable(t.ref('Team')) } });

const signedIn = () => true;
const isAdmin = () => true;
const hash = () => undefined;
const note = () => undefined;

const shop = service();
const { resources } = shop.api({
  db: new MongoClient('mongodb://127.0.0.1:1').db('none'),
  resources: [
    shop.resource({
      model: Team,
      ops: ['list', 'get', 'patch', 'deleteMany'],
      guards: [signedIn],
      guardsFor: { change: [isAdmin], remove: [() => true] },
      scope: () => ({ name: 'a' }),
      links: ['members'],
      nested: ['people'],
      operations: { close: { method: 'POST', summary: 'Close', handler: () => undefined } },
    }),
    shop.resource({
      model: Person,
      ops: ['list', 'create'],
      before: { create: [hash] },
      after: { create: [note] },
      scope: () => ({ name: 'a' }),
      scopeWrites: false,
    }),
  ],
}).description;

describe('the table of the operations of a resource', () => {
  it('has a row for each operation that is served, with what guards it', () => {
    expect(resources.map((resource) => formatOperations(describeResource(resource).operations))).toMatchInlineSnapshot(`
      [
        "  operation       guards                          before                 within  after                  scope
        list            signedIn                        -                      -       -                      yes
        get             signedIn                        -                      -       -                      yes
        patch           signedIn, isAdmin (change)      -                      -       -                      yes
        deleteMany      signedIn, (anonymous) (remove)  -                      -       -                      yes
        close           signedIn                        -                      -       -                      yes
        people.list     signedIn                        -                      -       -                      yes
        people.create   signedIn                        hash (people: create)  -       note (people: create)  yes
        people.query    signedIn                        -                      -       -                      yes
        members.add     signedIn, isAdmin (change)      -                      -       -                      yes
        members.remove  signedIn, isAdmin (change)      -                      -       -                      yes
        list.query      signedIn                        -                      -       -                      yes",
        "  operation   guards  before         within  after          scope
        list        -       -              -       -              yes
        create      -       hash (create)  -       note (create)  -
        list.query  -       -              -       -              yes",
      ]
    `);
  });

  it('has every row of what is served, also the other forms of an answer', () => {
    for (const resource of resources)
      expect(describeResource(resource).operations.map(({ name, method, path }) => [name, method, path])).toEqual(
        resource.rows.map(({ name, method, path }) => [name, method, path]),
      );
  });
});
