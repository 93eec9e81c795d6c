import { ConfigurationError } from '../../../src/errors.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { defineModel } from '../../../src/model/define/define-model.ts';
import { t } from '../../../src/model/define/t.ts';

const modelOf = (fields: object, others = {}) => compileModel(defineModel('Thing', { collection: 'things', fields, ...others } as never));
const filtered = { policy: { filter: true } } as const;
const line = (fields: object) => t.array(t.object('Line', fields as never));

describe('a field that is stored by digits in the objects of an array', () => {
  it.each<[string, string, () => unknown]>([
    ['`policy.filter`', 'list.1', () => modelOf({ list: line({ 1: t.string(filtered) }) })],
    ['`policy.filter`', 'list.1.y', () => modelOf({ list: line({ 1: t.object('Y', { y: t.int(filtered) }) }) })],
    ['`policy.filter`', 'list.a', () => modelOf({ list: line({ a: t.int({ ...filtered, stored: '07' }) }) })],
    [
      '`policy.filter`',
      'outer.list.0.x',
      () => modelOf({ outer: t.object('O', { list: line({ 0: t.object('X', { x: t.int(filtered) }) }) }) }),
    ],
    ['`policy.sort`', 'list.1', () => modelOf({ list: line({ 1: t.int({ policy: { sort: true } }) }) })],
    ['a reference', 'list.1', () => modelOf({ list: line({ 1: t.ref('Other') }) })],
    ['a reference', 'list.1', () => modelOf({ list: line({ 1: t.array(t.ref('Other')) }) })],
    ['an index', 'list.1', () => modelOf({ list: line({ 1: t.int() }) }, { indexes: [{ fields: ['list.1'] }] })],
    ['an index', 'list.1', () => modelOf({ list: line({ 1: t.int() }) }, { indexes: [{ key: { 'list.1': 1 } }] })],
    ['`search`', 'list.1', () => modelOf({ list: line({ 1: t.string() }) }, { search: { fields: { 'list.1': 1 } } })],
  ])('cannot have %s: %s', (use, name, define) => {
    expect(define).toThrow(ConfigurationError);
    expect(define).toThrow(`\`${name}\` cannot have ${use}: it is stored at`);
  });

  it.each<[string, () => unknown]>([
    ['nothing looks for it', () => modelOf({ list: line({ 1: t.object('Y', { y: t.int() }) }) })],
    ['it is stored by another key', () => modelOf({ list: line({ 1: t.int({ ...filtered, stored: 'one' }) }) })],
    ['it is not in an array', () => modelOf({ 1: t.object('Y', { 2: t.int(filtered) }) })],
    ['another object is between', () => modelOf({ list: line({ a: t.object('Y', { 1: t.int(filtered) }) }) })],
  ])('is no mistake if %s', (_why, define) => expect(define).not.toThrow());

  it('is none that a scope can name', () => {
    const { scopeFields } = modelOf({ list: line({ 1: t.object('Y', { y: t.int() }), a: t.int() }) });
    expect(['list.1', 'list.1.y', 'list.a'].map((name) => scopeFields.has(name))).toEqual([false, false, true]);
  });
});
