import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { type ProblemCode, problemCodes } from '../../../src/errors.ts';
import * as library from '../../../src/index.ts';
import { descriptorOf, problemsOf } from '../../../src/middleware/exchange/descriptor.ts';
import { ofChange, ofMany, ofRead, ofValues, ofWrite } from '../../../src/middleware/exchange/problem-codes.ts';
import { explainFailure } from '../../../src/mongo/driver/outcome.ts';
import { Note } from '../../support/models/note.ts';
import { middlewareNames } from '../exported-functions.ts';

const { cursorPaging, compileIncludes, offsetPaging, t } = library;
const { afterHooks, authenticate, caching, checkBody, checkCreate, checkPatch, checkPut, crossOrigin, fields, findIncluded } = library;
const { findPage, findRecord, guards, handler, ifMatch, include, inFlightLimit, insert, jsonBody, listQuery, noContent } = library;
const { record, records, remove, requestTimeout, scope, update } = library;

const db = new MongoClient('mongodb://127.0.0.1:1').db(); // a middleware opens its collection when it is made, and asks nothing of it
const yes = () => true;
const includes = compileIncludes(Note, [], { db, targets: [] });
const Numbered = library.defineModel('Numbered', { collection: 'numbered', fields: { id: t.int({ policy: { filter: true } }) } });
const Closed = library.defineModel('Closed', { collection: 'closed', fields: { id: t.string(), text: t.string() } });

const throughOf = (policy: library.Policy) => {
  const To = library.defineModel('To', { collection: 'to', fields: { id: t.string(), text: t.string({ policy }) } });
  const From = library.defineModel('From', { collection: 'from', fields: { to: t.ref('To', { id: t.string() }) } });
  return library.compileThrough(From, ['to'], { db, targets: [{ model: To }] });
};
const throughClosed = throughOf({ filter: true });
const throughSorted = throughOf({ sort: true });
const Held = library.defineModel('Held', {
  collection: 'held',
  fields: {
    noteId: t.ref('Note', { id: t.string(), onDelete: 'cascade' }),
    other: t.nullable(t.ref('Note', { id: t.string(), onDelete: 'restrict' })),
  },
});
const references = library.compileReferences({ db, targets: [{ model: Note }, { model: Held }] });
const Kept = library.defineModel('Kept', {
  collection: 'kept',
  fields: { noteId: t.ref('Note', { id: t.string(), onDelete: 'cascade' }), deletedAt: t.deletedAt() },
});
const keptReferences = library.compileReferences({ db, targets: [{ model: Note }, { model: Kept }] });
const Marked = library.defineModel('Marked', { collection: 'marked', fields: { deletedAt: t.deletedAt() } });

const ofBody = ['malformed_json', 'body_timeout', 'body_too_large', 'unsupported_media_type'] as const;
const ofRecord = ['not_found', 'precondition_failed'] as const;
const ofStream = ['replica_set_required', 'overloaded', 'too_many_requests', 'shutting_down', 'database_unavailable'] as const;

type Row = [name: string, what: string, made: library.ResourceMiddleware, codes: readonly ProblemCode[]];

const table: readonly Row[] = [
  ['affected', 'nothing', library.affected(), []],
  ['afterHooks', 'hooks', afterHooks([yes]), ['internal']],
  ['afterHooks', 'nothing', afterHooks(), []],
  ['answer', 'nothing', library.answer(), []],
  ['answerTimeout', 'a time', library.answerTimeout(1000), []],
  ['authenticate', 'a function', authenticate(yes), ['unauthorized', 'internal']],
  ['beforeHooks', 'nothing', library.beforeHooks(Note), []],
  ['beforeHooks', 'a hook', library.beforeHooks(Note, [yes]), ['internal', 'validation_failed']],
  [
    'beforeHooks',
    'one that carries',
    library.beforeHooks(Note, [Object.assign(() => true, { problems: ['forbidden'] as const })]),
    ['internal', 'validation_failed', 'forbidden'],
  ],
  ['bodyLimit', 'a limit', library.bodyLimit(1000), []],
  ['rules', 'functions', library.rules({ staff: yes }), ['internal']],
  ['caching', 'nothing', caching(), []],
  ['checkBody', 'nothing', checkBody(), ['validation_failed']],
  ['checkCreate', 'ids that the client chooses', checkCreate(Note), ['validation_failed', 'internal', 'precondition_failed']],
  ['checkCreate', 'ids of the server', checkCreate(Closed), ['validation_failed', 'internal']],
  ['checkPatch', 'a model', checkPatch(Note), ['validation_failed']],
  ['checkPut', 'a model', checkPut(Note), ['validation_failed']],
  ['checkPatch', '`serverFields`', checkPatch(Note, { serverFields: yes }), ['validation_failed', 'internal']],
  ['checkPut', '`serverFields`', checkPut(Note, { serverFields: yes }), ['validation_failed', 'internal']],
  ['crossOrigin', 'nothing', crossOrigin(), ['cross_origin']],
  ['deleted', 'a guard', library.deleted(Marked, [yes]), ['invalid_query', 'unauthorized', 'forbidden', 'internal']],
  [
    'exportRecords',
    'a model',
    library.exportRecords(Note, { db }),
    [...ofRead, 'invalid_query', 'too_many_matches', 'overloaded', 'shutting_down'],
  ],
  ['fields', 'a model', fields(Note), ['invalid_query']],
  ['typedQuery', 'fields', library.typedQuery({ q: t.string() }), ['invalid_query']],
  ['filterQuery', 'a model', library.filterQuery(Note), ['invalid_query', 'precondition_not_supported']],
  ['filterQuery', 'an integer', library.filterQuery(Numbered), ['invalid_query', 'precondition_not_supported', 'validation_failed']],
  ['findIncluded', 'relations', findIncluded(includes), [...ofRead, 'invalid_query']],
  ['aggregate', 'a model', library.aggregate(Note, { db }), [...ofRead, 'invalid_query', 'too_many_matches']],
  ['findPage', 'a model', findPage(Note, { db }), [...ofRead, 'invalid_query']],
  ['findPage', 'relations to filter by', findPage(Note, { db, through: throughClosed }), [...ofRead, 'invalid_query']],
  ['findPage', 'relations to sort by', findPage(Note, { db, through: throughSorted }), [...ofRead, 'invalid_query', 'too_many_matches']],
  ['findRecord', 'a model', findRecord(Note, { db }), [...ofRead, ...ofRecord]],
  ['guards', 'a guard', guards(yes), ['unauthorized', 'forbidden', 'internal']],
  ['guards', 'nothing', guards(), []],
  [
    'guards',
    'one that carries',
    guards(Object.assign(() => true, { problems: ['overloaded'] as const })),
    ['unauthorized', 'forbidden', 'internal', 'overloaded'],
  ],
  ['handler', 'a function', handler(yes), ['internal', 'duplicate_key']],
  [
    'handler',
    '`problems`',
    handler(yes, { problems: ['not_found', 'replica_set_required'] }),
    ['internal', 'duplicate_key', 'not_found', 'replica_set_required'],
  ],
  ['ifMatch', 'nothing', ifMatch(), ['malformed_header']],
  ['ifMatch', '`required`', ifMatch({ required: true }), ['malformed_header', 'precondition_required']],
  ['ifMatch', '`current`', ifMatch({ current: () => 'a' }), ['malformed_header', 'precondition_failed', 'internal']],
  ['inFlightLimit', 'a number', inFlightLimit(1), ['overloaded']],
  ['inFlightLimit', '`by`', inFlightLimit(1, { by: () => 'ann' }), ['too_many_requests', 'internal']],
  ['include', 'relations', include(includes), ['invalid_query']],
  ['insert', 'a model', insert(Note, { db }), [...ofWrite, ...ofValues]],
  ['insert', 'a reference that holds', insert(Held, { db, references }), [...ofWrite, ...ofValues, ...ofRead, 'replica_set_required']],
  [
    'remove',
    'references to the model',
    remove(Note, { db, references }),
    [...ofChange, 'replica_set_required', 'still_referenced', 'too_many_references'],
  ],
  ['jsonBody', 'nothing', jsonBody(), [...ofBody, 'validation_failed']],
  ['jsonBody', '`requireObject: false`', jsonBody({ requireObject: false }), ofBody],
  ['listQuery', 'cursors', listQuery(Note, cursorPaging()), ['invalid_query', 'invalid_cursor']],
  ['listQuery', 'numbers of pages', listQuery(Note, offsetPaging()), ['invalid_query']],
  ['listQuery', 'an integer', listQuery(Numbered, offsetPaging()), ['invalid_query', 'validation_failed']],
  ['live', 'an empty chain', library.live([], { db }), ofStream],
  ['live', 'a chain', library.live([guards(yes)], { db }), [...ofStream, 'unauthorized', 'forbidden', 'internal']],
  ['liveRead', 'a list', library.liveRead(Note, [findPage(Note, { db })]), [...ofRead, 'invalid_query']],
  ['liveRead', 'a record', library.liveRead(Note, [findRecord(Note, { db })]), [...ofRead, ...ofRecord]],
  ['noContent', 'nothing', noContent(), []],
  ['notModified', 'nothing', library.notModified(), []],
  ['observe', 'a function', library.observe(yes), []],
  ['page', 'nothing', library.page(), []],
  ['problems', 'nothing: it writes those of the others', library.problems(), []],
  ['queryBody', 'nothing', library.queryBody(), ['invalid_query', ...ofBody]],
  ['record', 'nothing', record(), []],
  ['records', 'a model', records(Note, { db }), [...ofChange, ...ofValues]],
  ['restore', 'a model', library.restore(Marked, { db }), [...ofChange, 'duplicate_key']],
  [
    'restore',
    'references',
    library.restore(Kept, { db, references: keptReferences }),
    [...ofChange, 'duplicate_key', 'validation_failed', 'replica_set_required'],
  ],
  ['remove', 'a model', remove(Note, { db }), ofChange],
  ['removeMany', 'a model', library.removeMany(Note, { db }), ofMany],
  ['requestId', 'nothing', library.requestId(), []],
  ['requestTimeout', 'a time', requestTimeout(1000), ['request_given_up']],
  ['scope', 'a function', scope(Note, yes), ['internal']],
  ['stores', 'a database', library.stores({ db }), []],
  ['update', 'a model', update(Note, { db }), [...ofChange, ...ofValues]],
  ['updateMany', 'a model', library.updateMany(Note, { db }), [...ofMany, ...ofValues]],
  [
    'withinTransaction',
    'a hook',
    library.withinTransaction(update(Note, { db }), [yes], { db }),
    [...ofChange, ...ofValues, 'replica_set_required'],
  ],
  ['withinTransaction', 'no hook', library.withinTransaction(remove(Note, { db }), [], { db }), ofChange],
];

const sorted = (codes: Iterable<string>) => [...new Set(codes)].sort();

describe('a middleware carries the problems that it can answer', () => {
  it.each(table)('%s with %s', (_name, _what, made, codes) => {
    expect(sorted(problemsOf(made, 'POST'))).toEqual(sorted(codes));
  });

  it('every middleware is in this table', () => {
    expect(sorted(table.map(([name]) => name))).toEqual(sorted(middlewareNames));
  });

  it.each<[string, library.ResourceMiddleware, readonly ProblemCode[]]>([
    ['crossOrigin', crossOrigin(), []],
    ['handler', handler(yes), ['internal']],
    ['records', records(Note, { db }), [...ofRead, ...ofRecord]],
  ])('%s has others for a GET, which writes nothing', (_name, made, codes) => {
    expect(sorted(problemsOf(made, 'GET'))).toEqual(sorted(codes));
  });

  const own = table.filter(([, what]) => what !== 'no hook'); // without hooks, `withinTransaction` returns the write itself
  it.each(own)('%s with %s is known as one of the library, by the name of the function that makes it', (name, _what, made) => {
    expect([made.name, descriptorOf(made)]).toEqual([name, expect.anything()]);
  });
});

/** What a middleware calls, and what that throws. Commands are below. */
const throwers: Readonly<Record<string, readonly ProblemCode[]>> = {
  'bodyNoObject(': ['validation_failed'],
  'foreignDuplicateKey(': ['duplicate_key'],
  'new QueryErrors(': ['invalid_query'],
  'new Unauthorized(': ['unauthorized'],
  'parseEntityTags(': ['malformed_header'],
  'parseFilterQuery(': ['invalid_query'],
  'parseListQuery(': ['invalid_query'],
  'readAddress(': ['not_found'],
  'readBody(': ofBody,
  'reader()(': ['validation_failed'],
  'requireChangesWithin(': ['validation_failed'],
  'requireRecordWithin(': ['validation_failed'],
  'saveRecord(': [...ofChange, ...ofValues],
  'store.findOne(': [...ofRead, ...ofRecord],
  'store.findPage(': ofRead,
  'store.insert(': [...ofWrite, ...ofValues],
  'store.remove(': ofChange,
  'store.removeMany(': ofMany,
  'store.updateMany(': [...ofMany, ...ofValues],
  'store.update(': [...ofChange, ...ofValues],
  'readIncluded(': ofRead,
};

const folder = join(import.meta.dirname, '../../../src/middleware');
const sources = readdirSync(folder)
  .filter((file) => file.endsWith('.ts') && file !== 'problems.ts') // it writes the problems of those below it
  .map((file) => [file, readFileSync(join(folder, file), 'utf8')] as const);

describe('every problem in the source of a middleware is carried by it', () => {
  it.each(sources)('%s', (file, source) => {
    const own = [...source.matchAll(/new Problem\(\{ code: '(\w+)'/g)].map(([, code = '']) => code);
    const called = Object.entries(throwers).flatMap(([call, codes]) => (source.includes(call) ? codes : []));
    const name = file.replace('.ts', '').replaceAll(/-(\w)/g, (_match, letter: string) => letter.toUpperCase());
    const carried = table.filter(([one]) => one === name).flatMap(([, , made]) => problemsOf(made, 'POST'));
    expect(sorted([...own, ...called]).filter((code) => !(carried as readonly string[]).includes(code))).toEqual([]);
  });
});

describe('what commands end with', () => {
  const codes = [6, 24, 50, 64, 91, 112, 8000, 10334, 11000, 17280];
  const failed = (isWrite: boolean) =>
    codes.flatMap((code) =>
      [0, 1, 2].flatMap((handOvers) =>
        [false, isWrite].map((isInTransaction) => {
          const error = Object.assign(new Error('no'), { name: 'MongoServerError', code, hasErrorLabel: () => false });
          const command = { model: library as never, isWrite, isInTransaction, handOvers, isWithoutServer: false, isRouted: true };
          const meaning = explainFailure(error, command);
          return meaning instanceof library.Problem ? meaning.code : 'internal';
        }),
      ),
    );

  it('is what those that read carry', () => {
    expect(sorted(failed(false))).toEqual(sorted(ofRead));
  });

  it('is what those that write carry', () => {
    const ofScope: readonly string[] = ['validation_failed']; // of the model, before the command is sent
    expect(sorted(failed(true))).toEqual(sorted([...ofWrite, ...ofValues].filter((code) => !ofScope.includes(code))));
  });
});

it('no problem is forgotten: each code is carried by a middleware, or is of the dispatch, of a key, of a history or of the end of a stream', () => {
  const carried = table.flatMap(([, , made]) => problemsOf(made, 'POST'));
  const ofKeys = ['idempotency_key_required', 'idempotency_in_progress', 'idempotency_key_reused']; // of an api with `idempotency`
  const ofHistories = ['not_kept']; // of a resource with `history`
  const others = ['method_not_allowed', 'too_old', ...ofKeys, ...ofHistories];
  expect(sorted([...carried, ...others])).toEqual(sorted(Object.keys(problemCodes)));
});
