import { cursorPaging, jsonBody, offsetPaging, typedQuery } from '../../../../src/index.ts';
import { listQuery } from '../../../../src/middleware/list-query.ts';
import { compile, Doc, define, js, type Rows, resourceRows, serve } from '../wrong.ts';

const handler = () => 1;
const everybody = () => true;
const text = js.string();
const Counted = define('Counted', { stock: js.counter(), sold: js.counter({ policy: { update: false } }), text });
const Deleted = define('Deleted', { text, deletedAt: js.deletedAt() });
const Kept = define('Kept', { text, owner: text, revision: js.revision() }, { history: true });
const filtered = (name: string, options: object = {}) => define('Bad', { [name]: js.string({ policy: { filter: ['eq'] } }) }, options);
const withProblems = (problems: unknown) => Object.assign(() => true, { problems });

/** Options of a resource that are wrong by themselves or contradict each other. */
export const resources: Rows = resourceRows({
  'no model': () => ({ model: undefined }),
  'a model that is none': () => ({ model: { name: 'Doc' } }),
  'neither a model nor a path, and an unknown option': () => ({ model: undefined, modle: Doc }),
  'a model with mistakes': () => ({ model: define('Bad', { a: js.string({ colour: 1 }), b: 'text' }), path: 'bad', ops: 'get' }),
  'a path of two segments': () => ({ path: 'a/b' }),
  'a path of dots': () => ({ path: '..' }),
  'a collection that is no path': () => ({ model: define('Doc', { text }, { collection: 'old/docs' }) }),
  'an unknown operation': () => ({ ops: ['gett'] }),
  'an operation that is no text': () => ({ ops: ['get', undefined] }),
  'a guard that is none': () => ({ guards: [1] }),
  'a guard that is a text': () => ({ guards: ['signedIn'] }),
  'guards for an operation that is not served': () => ({ guardsFor: { put: [everybody] } }),
  'guards for a misspelt operation': () => ({ guardsFor: { delte: [everybody] } }),
  'guards for a name of every object': () => ({ guardsFor: { constructor: [everybody] } }),
  'a guard of an operation that is none': () => ({ guardsFor: { get: [everybody, null] } }),
  'a guard with a code that does not exist': () => ({ guards: [withProblems(['forbiden'])] }),
  'a guard with problems that are no array': () => ({ guards: [withProblems('forbidden')] }),
  'a hook before an operation that writes nothing': () => ({ before: { list: [handler] } }),
  'a hook before an operation that is none': () => ({ before: { patch: ['hash'] } }),
  'a hook before an operation with a code that does not exist': () => ({ before: { patch: [withProblems(['forbiden'])] } }),
  'a hook within a list': () => ({ within: { list: [handler] } }),
  'a hook within that is none': () => ({ within: { create: ['audit'] } }),
  'a hook after an operation that is not served': () => ({ after: { put: [handler] } }),
  'a hook after that is none': () => ({ after: { create: [{}] } }),
  'a key that means an operation and a group': () => ({
    operations: { change: { handler, group: 'change' } },
    guardsFor: { change: [everybody] },
  }),
  'a key that means an operation and the query of the list': () => ({
    operations: { query: { method: 'GET', path: '/what', handler } },
    guardsFor: { query: [everybody] },
  }),
  'hooks of a group with an operation without a handler': () => ({
    within: { change: [handler] },
    operations: { send: { group: 'change', use: [async () => {}] } },
  }),
  'scopeWrites without a scope': () => ({ scopeWrites: false }),
  'scopeFields without a scope': () => ({ scopeFields: ['text'] }),
  'a scope field that is not there': () => ({ scope: everybody, scopeFields: ['txet'] }),
  'a scope field twice': () => ({ scope: everybody, scopeFields: ['text', 'text'] }),
  'scope fields in two arrays': () => ({
    model: define('Bad', { a: js.array(text), b: js.array(text) }),
    scope: everybody,
    scopeFields: ['a', 'b'],
  }),
  'an unknown kind of server fields': () => ({ serverFields: { create: handler, patch: handler } }),
  'server fields that are no function': () => ({ serverFields: { update: {} } }),
  'a write to many without a filter': () => ({ ops: ['patchMany'] }),
  'a filter that the list uses itself': () => ({ model: filtered('limit') }),
  'a filter that writes to many use themselves': () => ({ model: filtered('max_affected'), ops: ['deleteMany'] }),
  'a filter that the search uses itself': () => ({ model: filtered('q'), search: () => [] }),
  'a filter that deleted records use': () => ({
    model: define('Bad', { deleted: js.string({ policy: { filter: ['eq'] } }), deletedAt: js.deletedAt() }),
    deleted: { guards: [everybody] },
  }),
  'a filter that near uses': () => ({
    model: define('Bad', { near: js.string({ policy: { filter: ['eq'] } }), at: js.point({ policy: { near: { maxMetres: 5 } } }) }),
  }),
  'a filter that aggregates use': () => ({ model: filtered('group'), aggregate: true }),
  'restore of what a delete removes': () => ({ ops: ['restore'] }),
  'deleted of what a delete removes': () => ({ deleted: { guards: [everybody] } }),
  'deleted without guards': () => ({ model: Deleted, deleted: {} }),
  'deleted without reads': () => ({ model: Deleted, ops: ['create'], deleted: { guards: [everybody] } }),
  'an estimate with deleted records': () => ({ model: Deleted, paging: offsetPaging({ total: 'estimate' }) }),
  'an export that is true': () => ({ export: true }),
  'an export without a list': () => ({ ops: ['get'], export: {} }),
  'an export beside an operation of its name': () => ({ export: {}, operations: { export: { handler } } }),
  'an export of a list with hooks': () => ({ export: {}, after: { list: [handler] } }),
  'an aggregate that is a text': () => ({ aggregate: 'yes' }),
  'an aggregate with an unknown option': () => ({ aggregate: { max: 5 } }),
  'an aggregate without a list': () => ({ ops: ['get'], aggregate: true }),
  'an aggregate beside an operation of its name': () => ({ aggregate: true, operations: { aggregate: { handler } } }),
  'an aggregate of a list with hooks of reads': () => ({ aggregate: true, after: { read: [handler] } }),
  'live that is a text': () => ({ live: 'yes' }),
  'live that watches names': () => ({ live: { watches: ['Doc'] } }),
  'live that watches by nothing': () => ({ live: { watches: [{ where: handler }] } }),
  'live that watches with an unknown option': () => ({ live: { watches: [{ model: Doc, where: handler, when: 1 }] } }),
  'live without reads': () => ({ ops: ['create'], live: true }),
  'live beside an operation of its name': () => ({ live: true, operations: { live: { handler } } }),
  'a history of a model without': () => ({ history: true }),
  'a history without Get': () => ({ model: Kept, ops: ['create'], history: true }),
  'a history beside an operation of its name': () => ({ model: Kept, history: true, operations: { history: { handler } } }),
  'a history with a scope field that it does not have': () => ({ model: Kept, history: true, scope: everybody, scopeFields: ['owner'] }),
  'a history with a scope without fields': () => ({ model: Kept, history: true, scope: everybody }),
  'a search with a code that does not exist': () => ({ search: withProblems(['forbiden']) }),
  'a search without a list': () => ({ ops: ['get'], search: () => [] }),
  'two searches': () => ({ model: define('Bad', { text }, { search: { fields: { text: 1 } } }), search: () => [] }),
  'a search with scope fields that the resource does not have': () => ({
    model: define('Bad', { text, owner: text }, { search: { fields: { text: 1 }, scopeFields: ['owner'] } }),
  }),
  'a declared filter with a mistake': () => ({ filters: ['colour = "red"'] }),
  'a declared filter that does not end': () => ({ model: filtered('text'), filters: ['text = ', 'text = … AND'] }),
  'counters that are none': () => ({ model: Counted, counters: ['stok'] }),
  'a counter of a model without': () => ({ counters: ['text'] }),
  'a counter that clients may not update': () => ({ model: Counted, counters: ['sold'] }),
  'a counter beside an operation of its name': () => ({ model: Counted, operations: { stock: { handler } } }),
  'a merge that may be written and not read': () => ({
    model: define('Bad', {
      a: js.optional(js.object('A', { b: js.string({ policy: { update: false } }) }, { policy: { read: false, update: true } })),
    }),
  }),
  'a merged map of a certain size that may be written and not read': () => ({
    model: define('Bad', { a: js.map(text, { merge: true, maxProperties: 5, policy: { private: true, insert: true, update: true } }) }),
  }),
  'paging of an object': () => ({ paging: { max: 5 } }),
});

const operation = (definition: unknown) => ({ operations: { send: definition } });

/** Custom operations. */
export const operations: Rows = resourceRows({
  'a function': () => operation(handler),
  'an unknown option': () => operation({ handler, verb: 'GET' }),
  'a name with a space': () => ({ operations: { 'send it': { handler } } }),
  'the name of a standard operation': () => ({ operations: { get: { handler } } }),
  'no handler': () => operation({ summary: 'Send' }),
  'an unknown method': () => operation({ handler, method: 'HEAD' }),
  'an unknown group': () => operation({ handler, group: 'update' }),
  'a group of changes for a GET': () => operation({ handler, method: 'GET', group: 'change' }),
  'a path of dots': () => operation({ handler, path: '/../x' }),
  'a parameter in place of the id': () => operation({ handler, path: '/:key/send' }),
  'a parameter twice': () => operation({ handler, path: '/:id/send/:id' }),
  'a parameter that no context can have': () => operation({ handler, path: '/:id/:__proto__' }),
  'the path of another operation': () => operation({ handler, method: 'GET', path: '/:id' }),
  'a path that differs in a parameter': () => ({
    operations: { one: { handler, path: '/x/:a' }, other: { handler, path: '/x/:b', method: 'PUT' } },
  }),
  'status 204 with an answer': () => operation({ handler, status: 204 }),
  'a status of an error': () => operation({ handler, status: 404 }),
  'middlewares that are none': () => operation({ use: [{}] }),
  'a middleware that is not called': () => operation({ handler, use: [jsonBody] }),
  'two bodies': () => operation({ handler, use: [jsonBody(), jsonBody()] }),
  'typedQuery in use': () => operation({ handler, use: [typedQuery({})] }),
  'a query beside listQuery': () => operation({ handler, method: 'GET', query: { q: text }, use: [listQuery(Doc, cursorPaging())] }),
  'a middleware with a code that does not exist': () => operation({ handler, use: [withProblems(['forbiden'])] }),
  'problems that do not exist': () => operation({ handler, problems: ['forbiden'] }),
  'problems that are null': () => operation({ handler, problems: null }),
  'an answer that is none': () => operation({ handler, answer: 'recrod' }),
  'an answer that is computed': () => operation({ handler, answer: js.computed(text, { from: ['text'], get: handler }) }),
  'an answer that is hidden': () => operation({ handler, answer: js.string({ policy: { read: 'staff' } }) }),
  'an answer with a rule that does not exist': () =>
    operation({ handler, answer: js.object('A', { b: js.string({ policy: { read: 'staff' } }) }) }),
  'a query that is an array': () => operation({ handler, query: [text] }),
  'a query with a marker': () => operation({ handler, query: { q: js.string({ unique: true }) } }),
  'a query with a caseless text': () => operation({ handler, query: { q: js.string({ caseless: true }) } }),
  'a query with a form': () => operation({ handler, query: { q: js.date({ storedAs: 'string' }) } }),
  'a query with references': () => operation({ handler, query: { q: js.array(js.ref('Thing')) } }),
  'a query with null': () => operation({ handler, query: { q: js.nullable(text) } }),
  'a query with an object': () => operation({ handler, query: { q: js.object('Q', {}) } }),
  'a body that is a text': () => operation({ handler, use: [jsonBody({ schema: text })] }),
  'a body with a rule': () =>
    operation({ handler, use: [jsonBody({ schema: js.object('B', { a: js.string({ policy: { read: 'staff' } }) }) })] }),
});

const named = (name: string, more: object = {}) => define('Doc', { text, ...more }, { collection: name });

/** What the resources of one api contradict. */
export const together: Rows = {
  'two resources of one path': () => serve([{ model: Doc }, { model: Doc }]),
  'a resource at the path of the description': () => serve([{ model: Doc, path: 'openapi.json' }]),
  'a resource at the path of the docs': () => serve([{ model: Doc, path: 'docs' }], { docs: true }),
  'a resource at the path of the health': () => serve([{ model: Doc, path: 'health' }], { health: true }),
  'a resource at the path of batches': () => serve([{ model: Doc, path: 'batch' }], { batch: true }),
  'two models of one name': () => serve([{ model: named('a', { one: text }) }, { model: named('b', { other: text }) }]),
  'two embedded objects of one name': () =>
    serve([{ model: named('a', { one: js.object('A', { b: text }), other: js.object('A', { c: text }) }) }]),
  'an object with the name of a schema of the description': () =>
    serve([{ model: named('a', { one: js.object('Problem', { b: text }) }) }]),
  'objects with the names of other schemas': () => serve([{ model: named('a', { one: js.object('DocPatch', { b: text }) }) }]),
  'examples that do not fit': () => serve([{ model: named('a', { at: js.date({ examples: ['yesterday'] }) }) }]),
  'two models with texts of one collection': () =>
    serve([{ model: define('A', { text }, { collection: 'c', search: { fields: { text: 1 } } }) }], {
      models: [define('B', { text }, { collection: 'c', search: { fields: { text: 2 } } })],
    }),
  'a text index of another model of the collection': () =>
    serve([{ model: define('A', { text }, { collection: 'c', search: { fields: { text: 1 } } }) }], {
      models: [define('B', { text }, { collection: 'c', indexes: [{ key: { text: 'text' } }] })],
    }),
  'a scope field of a search that is an array in another model': () =>
    serve(
      [
        {
          model: define('A', { text, owner: text }, { collection: 'c', search: { fields: { text: 1 }, scopeFields: ['owner'] } }),
          scope: everybody,
          scopeFields: ['owner'],
        },
      ],
      {
        models: [define('B', { owner: js.array(text) }, { collection: 'c' })],
      },
    ),
  'a history that another model of the collection does not keep': () =>
    serve([{ model: Kept }], {
      models: [define('Other', { text, owner: text, revision: js.revision() }, { collection: Kept.collection })],
    }),
  'an outbox that another model of the collection does not keep': () =>
    serve([], { models: [kept('A', { outbox: true }), kept('B', { outbox: { collection: 'other' } })] }),
  'histories that are kept for different times': () =>
    serve([], { models: [kept('A', { history: { keep: '5d' } }), kept('B', { history: { keep: '6d' } })] }),
  'histories with different scope fields': () =>
    serve([], { models: [kept('A', { history: { scopeFields: ['text'] } }), kept('B', { history: true })] }),
  'histories with different revisions': () =>
    serve([], {
      models: [kept('A', { history: true }), define('B', { text, rev: js.revision() }, { collection: 'c', history: true })],
    }),
  'histories of which one marks what is deleted': () =>
    serve([], { models: [kept('A', { history: true }), kept('B', { history: true }, { deletedAt: js.deletedAt() })] }),
  'histories of which one clears references': () =>
    serve([{ model: Doc }], {
      models: [
        kept('A', { history: true }, { docId: js.nullable(js.ref('Doc', { onDelete: 'nullify' })) }),
        kept('B', { history: true }, { docId: js.nullable(js.ref('Doc')) }),
      ],
    }),
  'histories of one key by two names': () =>
    serve([], { models: [kept('A', { history: true }, { a: text }), kept('B', { history: true }, { b: js.string({ stored: 'a' }) })] }),
  'a model that is none': () => compile(undefined as never),
};

function kept(name: string, options: object, fields: object = {}): object {
  return define(name, { text, revision: js.revision(), ...fields }, { collection: 'c', ...options });
}
