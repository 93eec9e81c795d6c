import { defineModel, service, t } from '../../src/index.ts';

const { resource } = service();

const Country = t.ref('Country');
const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    title: t.string(),
    project: t.ref('Project'),
    ownerId: t.nullable(t.ref('User', { as: 'owner' })),
    reviewer: t.optional(t.ref('User', { id: t.uuid() })),
    tags: t.array(t.ref('Tag'), { maxItems: 5 }),
    labelIds: t.nullable(t.array(t.ref('Label', { as: 'labels' }))),
    place: t.nullable(t.object('Place', { city: t.string(), country: Country, stateId: t.ref('State', { as: 'state' }) })),
    lines: t.array(t.object('Line', { product: t.ref('Product'), shops: t.array(t.ref('Shop')) })),
    byKey: t.map(t.ref('Key')),
    comments: t.hasMany('Comment', { via: 'task' }),
    votes: t.hasMany('Vote', { via: 'task', count: true }),
    revision: t.revision(),
  },
});

// What is right compiles: fields and names by `as`, in embedded objects and arrays, and what follows a relation.
resource({
  model: Task,
  include: [
    'project',
    'owner',
    'reviewer',
    'tags',
    'labels',
    'place.country',
    'place.state',
    'lines.product',
    'lines.shops',
    'comments',
    'votes',
  ],
  through: ['project', 'project.owner.team', 'comments', 'place.country.continent', 'owner.boss'],
  nested: ['comments'],
  links: ['tags', 'labels'],
});

// @ts-expect-error: `projekt` is not a relation
resource({ model: Task, include: ['projekt'] });
// @ts-expect-error: `projekt` is not a relation, though `owner` beside it is one
resource({ model: Task, include: ['owner', 'projekt'] });
// @ts-expect-error: the relation in `ownerId` is called `owner`
resource({ model: Task, include: ['ownerId'] });
// @ts-expect-error: a title is no relation
resource({ model: Task, include: ['title'] });
// @ts-expect-error: a country is in a place
resource({ model: Task, include: ['country'] });
// @ts-expect-error: `place.city` is no relation
resource({ model: Task, include: ['place.city'] });
// @ts-expect-error: `place` is none either
resource({ model: Task, include: ['place'] });
// @ts-expect-error: references in a map have no name
resource({ model: Task, include: ['byKey'] });
// @ts-expect-error: a relation is a text
resource({ model: Task, include: [5] });

// @ts-expect-error: `projekt` is not a relation
resource({ model: Task, through: ['projekt'] });
// @ts-expect-error: nor with what would follow it
resource({ model: Task, through: ['projekt.owner'] });

// @ts-expect-error: `coments` is not a relation
resource({ model: Task, nested: ['coments'] });
// @ts-expect-error: a reference is no list of records
resource({ model: Task, nested: ['project'] });
// @ts-expect-error: a number is no list of records
resource({ model: Task, nested: ['votes'] });

// @ts-expect-error: `tgas` is not a relation
resource({ model: Task, links: ['tgas'] });
// @ts-expect-error: a single reference is no array
resource({ model: Task, links: ['project'] });
// @ts-expect-error: links are outside of embedded objects
resource({ model: Task, links: ['lines.shops'] });
// @ts-expect-error: the relation in `labelIds` is called `labels`
resource({ model: Task, links: ['labelIds'] });

// A model without relations has nothing to name.
const Note = defineModel('Note', { collection: 'notes', fields: { text: t.string(), place: t.object('At', { city: t.string() }) } });
resource({ model: Note, include: [], through: [], nested: [], links: [] });
// @ts-expect-error: the model has no relations
resource({ model: Note, include: ['text'] });
// @ts-expect-error: the model has no relations
resource({ model: Note, through: ['text'] });
// @ts-expect-error: the model has no relation by `t.hasMany`
resource({ model: Note, nested: ['text'] });
// @ts-expect-error: the model has no array of references
resource({ model: Note, links: ['text'] });

// TypeScript does not read the references of a schema that was written by hand: they may have any name.
const Raw = defineModel('Raw', {
  collection: 'raw',
  fields: { text: { type: 'string' }, customer: { type: 'string', bsonType: 'objectId', ref: { model: 'Customer', as: 'buyer' } } },
});
resource({ model: Raw, include: ['buyer'], through: ['buyer.firm'] });
const Plain = defineModel('Plain', { collection: 'plain', fields: { text: { type: 'string' }, other: t.ref('Other') } });
resource({ model: Plain, include: ['other'] });
// @ts-expect-error: a text is no relation
resource({ model: Plain, include: ['text'] });
