import { findTypeErrors } from '../support/docs/find-type-errors.ts';

const setup = `
import { defineModel, service, t } from '../../src/index.ts';
const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    title: t.string(), project: t.ref('Project'), tags: t.array(t.ref('Tag')), comments: t.hasMany('Comment', { via: 'task' }),
    place: t.object('Place', { city: t.string(), country: t.ref('Country') }),
  },
});
const Note = defineModel('Note', { collection: 'notes', fields: { text: t.string() } });
const { resource } = service();
`;

/** What is wrong, and a part of the message that says so. */
const mistakes: readonly (readonly [code: string, message: string])[] = [
  ["resource({ model: Task, include: ['projct'] });", `Did you mean '"project"'?`],
  ["resource({ model: Task, through: ['place.cuntry'] });", `Did you mean '"place.country"'?`],
  ["resource({ model: Task, nested: ['comment'] });", `Type '"comment"' is not assignable to type '"comments"'.`],
  ["resource({ model: Task, links: ['tag'] });", `Type '"tag"' is not assignable to type '"tags"'.`],
  ["resource({ model: Note, include: ['text'] });", `to type 'IncludeEntry<"the model has no relations">'.`],
  ["resource({ model: Note, nested: ['text'] });", 'to type \'"the model has no relation by `t.hasMany` without `count`"\'.'],
  ["resource({ model: Note, links: ['text'] });", `to type '"the model has no array of references"'.`],
  ['resource({ model: Note, scope: () => ({ text: Number(1) }) });', "Type 'number' is not assignable to type 'string'."],
  ['resource({ model: Note, scope: async () => ({ text: Number(1) }) });', "Type 'number' is not assignable to type 'string'."],
  ['resource({ model: Note, scope: () => ({ text: 5 }) });', "property 'text' has conflicting types"],
  [
    'resource({ model: Note, scope: (ctx) => ({ text: ctx.get("x") || undefined }) });',
    "Type 'undefined' is not assignable to type 'string | OperatorsOn<string>'.",
  ],
  ['resource({ model: Note, scope: () => ({ text: { gt: Number(1) } }) });', "Type 'number' is not assignable to type 'string'."],
  ['resource({ model: Note, scope: () => ({ txet: "a" }) });', "Types of property 'txet' are incompatible."],
  ["resource({ model: Note, ops: ['list', 'gett'] });", `Did you mean '"get"'?`],
  ["resource({ model: Note, ops: ['list'], guardsFor: { delete: [() => true] } });", "'delete' does not exist in type"],
  ["resource({ model: Note, ops: ['create'], before: { patch: [() => 1] } });", "'patch' does not exist in type"],
  ["resource({ model: Note, ops: ['create'], within: { put: [() => 1] } });", "'put' does not exist in type"],
  ["resource({ model: Note, ops: ['create'], after: { list: [() => 1] } });", "'list' does not exist in type"],
  ['resource({ model: Note, guardsFor: { pacth: [() => true] } });', "Did you mean to write 'patch'?"],
  ['resource({ model: Note, after: { sned: [() => 1] } });', "'sned' does not exist"],
  [
    "resource({ model: Note, operations: { send: { path: '/:id/lines/:line', handler: (ctx) => ctx.params.lime } } });",
    "Property 'lime' does not exist on type '{ readonly id: string; readonly line: string; }'.",
  ],
  ["resource({ model: Note, operations: { send: { path: 'send', handler: () => 1 } } });", 'to type \'"a path begins with `/`"\'.'],
];

it('TypeScript names the mistake, what is legal, or why nothing is', async () => {
  const code = setup + mistakes.map(([line]) => line).join('\n');
  const lines = code.split('\n');
  const found = (await findTypeErrors({ 'mistakes.ts': code }, { noErrorTruncation: true })).map(({ line, message }) => ({
    line: lines[line - 1],
    message,
  }));
  expect(found).toEqual(mistakes.map(([line, message]) => ({ line, message: expect.stringContaining(message) })));
});
