import { defineModel, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { absent } from '../../../src/model/node.ts';
import {
  afterDelete,
  changeBetween,
  keepsDeleted,
  lifeSetBy,
  livesExpression,
  markedWith,
  marking,
  markPath,
  newDeletion,
  notMarkedBy,
  oldestFirst,
  requireDeletedAt,
  shows,
  unmarking,
  wasDeletedBefore,
} from '../../../src/mongo/lifecycle/lifecycle.ts';
import { applyChanges } from '../../../src/mongo/query/apply-changes.ts';

const fields = { id: t.objectId(), version: t.revision(), changed: t.updatedAt(), title: t.string() };
const Kept = compileModel(defineModel('Kept', { collection: 'kept', fields: { ...fields, goneAt: t.deletedAt() } }));
const Removed = compileModel(defineModel('Removed', { collection: 'removed', fields }));

const stored = { _id: 1, version: 3, changed: new Date(1), title: 'a' };

describe('a model with `t.deletedAt()`', () => {
  it('keeps what is deleted, with a mark that a restore takes away', () => {
    const deletion = newDeletion();
    const marked = marking(Kept, deletion);
    expect([keepsDeleted(Kept), markPath(Kept), oldestFirst(Kept)]).toEqual([true, 'goneAt', { goneAt: 1, _id: 1 }]);
    expect(marked && applyChanges(stored, marked)).toEqual({ ...stored, goneAt: deletion.at, _deletion: deletion.id });
    expect(marked && applyChanges(applyChanges(stored, marked), unmarking(Kept))).toEqual(stored);
  });

  it('has the state of a record after its delete, with its revision and its time', () => {
    const deletion = newDeletion();
    const then = { ...stored, version: 4, changed: deletion.at, goneAt: deletion.at, _deletion: deletion.id };
    expect(afterDelete(Kept, stored, deletion)).toEqual(then);
    const writtenAt = new Date(deletion.at.getTime() + 5);
    expect(afterDelete(Kept, stored, { ...deletion, writtenAt })).toEqual({ ...then, changed: writtenAt });
  });

  it('tells which change leads from one state to another', () => {
    const deleted = { ...stored, goneAt: new Date() };
    expect(changeBetween(Kept, undefined, stored)).toBe('created');
    expect(changeBetween(Kept, stored, deleted)).toBe('deleted');
    expect(changeBetween(Kept, deleted, stored)).toBe('restored');
    expect(changeBetween(Kept, deleted, deleted)).toBe('patched');
    expect(changeBetween(Kept, deleted, undefined)).toBe('deleted');
    expect([wasDeletedBefore(Kept, 'restored'), wasDeletedBefore(Kept, 'deleted')]).toEqual([true, false]);
  });

  it('tells what a delete has marked, and what it has not', () => {
    const { id } = newDeletion();
    expect(markedWith({ ...stored, _deletion: id })).toEqual({ _deletion: { $eq: id } });
    expect(markedWith(stored)).toBeUndefined();
    expect(notMarkedBy({ id, at: new Date() })).toEqual({ _deletion: { $ne: id } });
  });

  it('tells whether values that are set let a record live', () => {
    expect(lifeSetBy(Kept, new Map([['goneAt', new Date()]]))).toBe(false);
    expect(lifeSetBy(Kept, new Map([['goneAt', absent]]))).toBe(true);
    expect(lifeSetBy(Kept, new Map([['title', 'b']]))).toBeUndefined();
    expect(livesExpression(Kept)).toEqual({ $ne: [{ $type: '$goneAt' }, 'date'] });
  });
});

describe('a model without it', () => {
  it('keeps nothing, and has no mark', () => {
    const deletion = newDeletion();
    expect([keepsDeleted(Removed), markPath(Removed), marking(Removed, deletion), afterDelete(Removed, stored, deletion)]).toEqual([
      false,
      undefined,
      undefined,
      undefined,
    ]);
    expect(() => unmarking(Removed)).toThrow('needs a model with `t.deletedAt()`');
    expect(() => oldestFirst(Removed)).toThrow('needs a model with `t.deletedAt()`');
    expect(() => requireDeletedAt(Removed, '`x`')).toThrow(
      '`x` needs a model with `t.deletedAt()`: a delete removes the records of Removed.',
    );
  });

  it('has no record that was deleted', () => {
    expect(changeBetween(Removed, { ...stored, goneAt: new Date() }, stored)).toBe('patched');
    expect([wasDeletedBefore(Removed, 'restored'), livesExpression(Removed)]).toEqual([false, true]);
  });
});

it.each([
  ['live', false, true],
  ['live', true, false],
  ['only', false, false],
  ['only', true, true],
  ['with', false, true],
  ['with', true, true],
] as const)('who sees %s records sees one that is deleted or not (%s): %s', (visible, isDeleted, isSeen) => {
  expect(shows(visible, isDeleted)).toBe(isSeen);
});
