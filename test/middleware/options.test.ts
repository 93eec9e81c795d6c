import { MongoClient } from 'mongodb';
import { describe, expect, it } from 'vitest';
import {
  afterHooks,
  aggregate,
  answer,
  answerTimeout,
  authenticate,
  beforeHooks,
  bodyLimit,
  ConfigurationError,
  caching,
  checkBody,
  checkCreate,
  checkPatch,
  checkPut,
  compileIncludes,
  crossOrigin,
  cursorPaging,
  defineModel,
  deleted,
  exportRecords,
  fields,
  filterQuery,
  findIncluded,
  findPage,
  findRecord,
  guards,
  handler,
  ifMatch,
  include,
  inFlightLimit,
  insert,
  jsonBody,
  listQuery,
  observe,
  problems,
  queryBody,
  record,
  records,
  remove,
  removeMany,
  requestTimeout,
  restore,
  rules,
  scope,
  stores,
  streamPlaces,
  t,
  typedQuery,
  update,
  updateMany,
  withinTransaction,
} from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { middlewareNames } from './exported-functions.ts';

const Doc = defineModel('Doc', { collection: 'docs', fields: { text: t.string() } });
const Marked = defineModel('Marked', { collection: 'marked', fields: { deletedAt: t.deletedAt() } });
const db = new MongoClient('mongodb://127.0.0.1:1').db(); // a middleware opens its collection when it is made, and asks nothing of it

type Case = [middleware: string, what: string, make: (wrong: Any) => unknown, wrong: unknown, message: RegExp];

/** Those of the middlewares that open a collection. */
const onStore = Object.entries({ exportRecords, findPage, findRecord, insert, update, updateMany, remove, removeMany, records }).flatMap(
  ([name, make]): Case[] => [
    [
      name,
      'no options',
      (wrong) => make(Doc, wrong),
      undefined,
      new RegExp(`The options of \`${name}\` must be an object of db, maxTimeMS`),
    ],
    [
      name,
      'a misspelt option',
      (wrong) => make(Doc, wrong),
      { db, maxTimeMs: 5 },
      /`maxTimeMs` is not an option of .*; did you mean `maxTimeMS`\?/,
    ],
    [name, 'no database', (wrong) => make(Doc, wrong), {}, /`db` must be a database/],
    [name, 'a time limit that is none', (wrong) => make(Doc, wrong), { db, maxTimeMS: '5s' }, /`maxTimeMS`/],
    [name, 'no model', (wrong) => make(wrong, { db }), undefined, /`model`/],
    [name, 'a model that is none', (wrong) => make(wrong, { db }), { name: 'Doc' }, /`model`/],
  ],
);

const cases: readonly Case[] = [
  ...onStore,
  [
    'restore',
    'a model whose records are removed by a delete',
    (wrong) => restore(wrong, { db }),
    Doc,
    /`restore` needs a model with `t.deletedAt\(\)`/,
  ],
  ['restore', 'no options', (wrong) => restore(Marked, wrong), undefined, /The options of `restore`/],
  ['restore', 'a misspelt option', (wrong) => restore(Marked, wrong), { db, maxTimeMs: 5 }, /did you mean `maxTimeMS`\?/],
  ['deleted', 'a model whose records are removed by a delete', (wrong) => deleted(wrong, [() => true]), Doc, /`deleted` needs a model/],
  ['deleted', 'no guards', (wrong) => deleted(Marked, wrong), [], /an array of at least one function/],
  ['deleted', 'a guard alone', (wrong) => deleted(Marked, wrong), () => true, /an array of at least one function/],
  [
    'findPage',
    'fetchPrivate that is no boolean',
    (wrong) => findPage(Doc, wrong),
    { db, fetchPrivate: 1 },
    /`fetchPrivate` .* true or false/,
  ],
  ['exportRecords', 'no number', (wrong) => exportRecords(Doc, wrong), { db, max: 0 }, /`max` .* a whole number of records/],
  ['exportRecords', 'disarm that is no boolean', (wrong) => exportRecords(Doc, wrong), { db, disarm: 'no' }, /`disarm` .* true or false/],
  ['exportRecords', 'a number of places', (wrong) => exportRecords(Doc, wrong), { db, places: 10 }, /`places` .* `streamPlaces\(\)`/],
  ['exportRecords', 'a scope that is none', (wrong) => exportRecords(Doc, wrong), { db, scope: {} }, /`scope` .* a function/],
  ['exportRecords', 'no places', (wrong) => streamPlaces(wrong), 0, /`maxStreams` must be a whole number/],
  ['listQuery', 'whole that is no boolean', (wrong) => listQuery(Doc, cursorPaging(), wrong), { whole: 1 }, /`whole` .* true or false/],
  ['findPage', 'names', (wrong) => findPage(Doc, wrong), { db, through: ['customer'] }, /`through` .* `compileThrough/],
  [
    'listQuery',
    'names for `through`',
    (wrong) => listQuery(Doc, cursorPaging(), wrong),
    { through: ['a'] },
    /`through` .* `compileThrough/,
  ],
  ['findPage', 'a bound that is none', (wrong) => findPage(Doc, wrong), { db, maxPageBytes: '16mb' }, /`maxPageBytes`/],
  ['findRecord', 'fetchPrivate that is no boolean', (wrong) => findRecord(Doc, wrong), { db, fetchPrivate: 1 }, /`fetchPrivate`/],
  ['afterHooks', 'a function alone', afterHooks, () => undefined, /`afterHooks` must be an array of functions/],
  ['afterHooks', 'a hook that is none', afterHooks, ['mail'], /`afterHooks` must be an array of functions/],
  [
    'withinTransaction',
    'a middleware that does not write',
    (wrong) => withinTransaction(wrong as never, [() => undefined], { db }),
    record(),
    /`insert\(…\)`, `update\(…\)`, `remove\(…\)` or `restore\(…\)`/,
  ],
  [
    'withinTransaction',
    'a hook alone',
    (wrong) => withinTransaction(update(Doc, { db }), wrong as never, { db }),
    () => undefined,
    /an array of functions/,
  ],
  [
    'withinTransaction',
    'no database',
    (wrong) => withinTransaction(update(Doc, { db }), [() => undefined], wrong as never),
    { database: db },
    /`database`/,
  ],
  ['answerTimeout', 'no time', answerTimeout, 0, /`answerTimeout` must be a whole number of milliseconds/],
  ['requestTimeout', 'for ever', requestTimeout, Number.POSITIVE_INFINITY, /`requestTimeout` must be a whole number of milliseconds/],
  ['authenticate', 'nothing', authenticate, undefined, /`authenticate` must be a function/],
  ['bodyLimit', 'a time that is none', (wrong) => bodyLimit(1, wrong), -1, /`timeout` must be a whole number of milliseconds/],
  ['bodyLimit', 'a text', bodyLimit, '1mb', /`maxBody`/],
  ['caching', 'a misspelt option', caching, { cacheContrl: 'no-store' }, /did you mean `cacheControl`\?/],
  ['caching', 'a name that no header has', caching, { vary: ['a b'] }, /`vary` of `caching` must be a list of names of headers/],
  ['checkBody', 'a schema that is none', checkBody, 'object', /`schema`/],
  ['checkCreate', 'a misspelt option', (wrong) => checkCreate(Doc, wrong), { serverField: 1 }, /did you mean `serverFields`\?/],
  [
    'checkCreate',
    'server fields that are no function',
    (wrong) => checkCreate(Doc, wrong),
    { serverFields: {} },
    /`serverFields` .* a function/,
  ],
  [
    'checkCreate',
    'mergePatch, which is for patches',
    (wrong) => checkCreate(Doc, wrong),
    { mergePatch: true },
    /`mergePatch` is not an option/,
  ],
  ['answer', 'a status of an error', answer, { status: 404 }, /`status` of `answer` must be a status from 200 to 299/],
  ['answer', 'a location that is no function', answer, { location: '/a' }, /`location` of `answer` must be a function/],
  ...Object.entries({
    listQuery: (wrong: Any) => listQuery(Doc, cursorPaging(), wrong),
    aggregate: (wrong: Any) => aggregate(Doc, { db, ...wrong }),
  }).flatMap(([name, make]): Case[] => [
    [name, 'a search that is none', make, { search: ['text'] }, /`search` .* a function/],
    [name, 'a length of zero', make, { maxSearchLength: 0 }, /`maxSearchLength` .* from 1 to 1000/],
    [name, 'too many words', make, { maxSearchTerms: 33 }, /`maxSearchTerms` .* from 1 to 32/],
    [name, 'too many matches', make, { maxSearchMatches: 10_001 }, /`maxSearchMatches` .* from 1 to 10000/],
  ]),
  ['aggregate', 'a misspelt option', (wrong) => aggregate(Doc, wrong), { db, maxMatch: 5 }, /did you mean `maxMatches`\?/],
  ['aggregate', 'no records', (wrong) => aggregate(Doc, wrong), { db, maxMatches: 0 }, /`maxMatches`/],
  ['queryBody', 'a misspelt option', queryBody, { limits: 5 }, /did you mean `limit`\?/],
  ['queryBody', 'a limit that is none', queryBody, { limit: '1mb' }, /`limit`/],
  ['jsonBody', 'a text for true', jsonBody, { optional: 'yes' }, /`optional` .* true or false/],
  ['beforeHooks', 'no model', (wrong) => beforeHooks(wrong, []), undefined, /`model`/],
  [
    'beforeHooks',
    'a hook alone',
    (wrong) => beforeHooks(Doc, wrong),
    () => true,
    /second argument of `beforeHooks` must be an array of functions/,
  ],
  [
    'beforeHooks',
    'a hook with a code that does not exist',
    (wrong) => beforeHooks(Doc, [wrong]),
    Object.assign(() => true, { problems: ['forbiden'] }),
    /`forbiden` .*did you mean `forbidden`\?/,
  ],
  ['checkCreate', 'a text for true', (wrong) => checkCreate(Doc, wrong), { allowMissing: 'yes' }, /`allowMissing` .* true or false/],
  [
    'checkPatch',
    'server fields that are no function',
    (wrong) => checkPatch(Doc, wrong),
    { serverFields: {} },
    /`serverFields` .* a function/,
  ],
  ['checkPut', 'server fields that are no function', (wrong) => checkPut(Doc, wrong), { serverFields: 1 }, /`serverFields` .* a function/],
  ['checkPatch', 'a misspelt option', (wrong) => checkPatch(Doc, wrong), { mergepatch: false }, /did you mean `mergePatch`\?/],
  ['checkPatch', 'a text for true', (wrong) => checkPatch(Doc, wrong), { explicitWrites: 'yes' }, /`explicitWrites` .* true or false/],
  [
    'checkPut',
    'mergePatch, which is for patches',
    (wrong) => checkPut(Doc, wrong),
    { mergePatch: false },
    /Allowed: serverFields, explicitWrites/,
  ],
  ['crossOrigin', 'a misspelt option', crossOrigin, { trustedOrigin: [] }, /did you mean `trustedOrigins`\?/],
  ['findIncluded', 'names', findIncluded, ['customer'], /`findIncluded` takes what `compileIncludes\(\)` returns/],
  ['fields', 'names', (wrong) => fields(Doc, wrong), ['text'], /`fields` takes what/],
  ['typedQuery', 'no fields', typedQuery, undefined, /`fields` of `typedQuery` must be an object with a field for each parameter/],
  ['typedQuery', 'a misspelt option', (wrong) => typedQuery({}, wrong), { maxItem: 5 }, /did you mean `maxItems`\?/],
  ['typedQuery', 'a limit that is none', (wrong) => typedQuery({}, wrong), { maxItems: 0 }, /`maxItems`/],
  ['filterQuery', 'a misspelt option', (wrong) => filterQuery(Doc, wrong), { maxAfected: 5 }, /did you mean `maxAffected`\?/],
  ['filterQuery', 'a limit that is none', (wrong) => filterQuery(Doc, wrong), { maxAffected: 0 }, /`maxAffected` .* from 1 to 100000/],
  ['guards', 'a list', guards, [() => true], /guard .* must be a function/],
  ['handler', 'nothing', handler, undefined, /`handler` must be a function/],
  ['handler', 'a model in place of the options', (wrong) => handler(() => 1, wrong), Doc, /is not an option of `handler`/],
  [
    'handler',
    'an answer that is none',
    (wrong) => handler(() => 1, wrong),
    { answer: 'recrods' },
    /`answer` of `handler` must be 'record'/,
  ],
  ['handler', 'a bound that is none', (wrong) => handler(() => 1, wrong), { maxPageBytes: 5 }, /`maxPageBytes` .* from 1024/],
  ['ifMatch', 'a misspelt option', ifMatch, { require: true }, /did you mean `required`\?/],
  ['ifMatch', 'an option that is undefined by mistake', ifMatch, { required: undefined }, /`required` .* true or false, or be left out/],
  ['ifMatch', 'a tag in place of a function', ifMatch, { current: '"1"' }, /`current` .* a function/],
  ['include', 'names', include, ['customer'], /`include` takes what/],
  ['inFlightLimit', 'none', inFlightLimit, 0, /`maxConcurrency`/],
  ['jsonBody', 'a misspelt option', jsonBody, { limits: 5 }, /did you mean `limit`\?/],
  ['jsonBody', 'a limit that is none', jsonBody, { limit: '1mb' }, /`limit`/],
  ['jsonBody', 'a text for true', jsonBody, { requireObject: 'no' }, /`requireObject`/],
  ['jsonBody', 'a list', jsonBody, [], /must be an object of limit, timeout, maxValues, requireObject, optional, schema/],
  ['listQuery', 'no paging', (wrong) => listQuery(Doc, wrong), {}, /paging/],
  ['listQuery', 'a name in place of the options', (wrong) => listQuery(Doc, cursorPaging(), wrong), 'docs', /must be an object of name/],
  [
    'listQuery',
    'relations that are none',
    (wrong) => listQuery(Doc, cursorPaging(), wrong),
    { includes: ['a'] },
    /`includes` .* `compileIncludes/,
  ],
  ['listQuery', 'a text for true', (wrong) => listQuery(Doc, cursorPaging(), wrong), { fields: 'yes' }, /`fields`/],
  ['observe', 'nothing', observe, undefined, /`observe` must be a function/],
  ['problems', 'a misspelt option', problems, { problems: () => ({}) }, /did you mean `problem`\?/],
  ['problems', 'a text in place of a function', problems, { problem: 'x' }, /`problem` .* a function/],
  ['record', 'a misspelt option', record, { create: true }, /did you mean `created`\?/],
  ['record', 'a status', record, { created: 201 }, /`created` .* true or false/],
  ['rules', 'no functions', rules, undefined, /`rules` of `rules` must be an object/],
  ['rules', 'a list', rules, ['staff'], /`rules` of `rules` must be an object/],
  ['stores', 'a misspelt option', stores, { db, maxTimeMs: 5 }, /did you mean `maxTimeMS`\?/],
  ['stores', 'no database', stores, {}, /`db` must be a database/],
  ['scope', 'a filter', (wrong) => scope(Doc, wrong), { text: 'x' }, /`scope` must be a function/],
  ['scope', 'a misspelt option', (wrong) => scope(Doc, () => ({ text: 'x' }), wrong), { write: false }, /did you mean `writes`/],
];

describe('a middleware with an unknown option or an invalid value', () => {
  it.each(cases)('%s is a configuration error: %s', (_middleware, _what, make, wrong, message) => {
    expect(() => make(wrong)).toThrow(ConfigurationError);
    expect(() => make(wrong)).toThrow(message);
  });
});

/** They take nothing. */
const withoutOptions = ['affected', 'noContent', 'notModified', 'page', 'requestId'];

describe('the table above', () => {
  it('has every middleware that takes something', () => {
    const named = new Set([...cases.map(([name]) => name), ...withoutOptions]);
    expect(middlewareNames.filter((name) => !named.has(name))).toEqual([]);
  });

  it('is not about what is right', () => {
    const includes = compileIncludes(Doc, [], { db, targets: [] });
    expect(() => [
      findIncluded(includes),
      include(includes),
      fields(Doc, includes),
      fields(Doc),
      checkBody(),
      jsonBody(),
      ifMatch({}),
      guards(),
    ]).not.toThrow();
  });
});
