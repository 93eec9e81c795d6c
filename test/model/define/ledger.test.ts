import { defineModel, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import type { Any } from '../../support/any.ts';

const fields = {
  title: t.string(),
  place: t.object('Place', { city: t.string() }),
  tags: t.array(t.string(), { default: [] }),
  revision: t.revision(),
};
const compile = (options: Any) => compileModel(defineModel('Doc', { collection: 'docs', fields, ...options } as never) as never).ledger;

describe('a ledger', () => {
  it.each<[Any, string]>([
    [{ history: 'yes' }, '`history` of model `Doc` must be true, false, or an object with its options.'],
    [{ outbox: 1 }, '`outbox` of model `Doc` must be true, false, or an object with its options.'],
    [{ history: { keep: 90 } }, "`keep` of `history` of model `Doc` must be a number of days, such as '90d'"],
    [{ history: { keep: '0d' } }, "must be a number of days, such as '90d'"],
    [{ history: { keep: '1y' } }, "must be a number of days, such as '90d'"],
    [{ history: { kept: '1d' } }, '`kept`'],
    [{ history: { by: 'ann' } }, '`by` of `history` of model `Doc` must be a function'],
    [{ outbox: { collection: 'a$b' } }, '`collection` of `outbox` of model `Doc` must be the name of a collection'],
    [{ history: { scopeFields: ['titel'] } }, 'did you mean `title`'],
    [{ history: { scopeFields: ['tags'] } }, 'names `tags`, which must be a single value, and not in an array.'],
    [{ history: { scopeFields: ['place'] } }, 'names `place`, which must be a single value, and not in an array.'],
    ...[{ private: true }, { read: false }, { private: true, insert: true, update: true }].flatMap((policy): [Any, string][] => [
      [{ history: { scopeFields: ['owner'] }, fields: { ...fields, owner: t.string({ policy }) } }, 'names `owner`, which is private'],
      [
        { history: { scopeFields: ['of.owner'] }, fields: { ...fields, of: t.object('Of', { owner: t.string() }, { policy }) } },
        'names `of.owner`, which is private: its value would stand in every entry. Let clients read it, and not write it: `policy: { insert: false, update: false }`.',
      ],
    ]),
    [{ history: { by: () => 'a' }, outbox: { by: () => 'b' } }, 'have different `by`: a change has one actor.'],
    [{ history: true, fields: { title: t.string() } }, '`history` of model `Doc` needs `t.revision()`'],
    [{ outbox: true, fields: { title: t.string() } }, '`outbox` of model `Doc` needs `t.revision()`'],
    [{ outbox: true, fields: { _life: t.string(), revision: t.revision() } }, 'cannot have a field stored as `_life`'],
    [{ outbox: true, fields: { life: t.string({ stored: '_life' }), revision: t.revision() } }, 'cannot have a field stored as `_life`'],
  ])('is refused as %j', (options, message) => {
    expect(() => compile(options)).toThrow(message);
  });

  it('is nothing unless it is asked for', () => {
    for (const options of [{}, { history: false }, { outbox: false }]) expect(compile(options)).toBeUndefined();
  });

  it('has the collection of the history beside that of the records, and one of the events for all models', () => {
    const by = () => 'ann';
    expect(compile({ history: { keep: '90d', by, scopeFields: ['title', 'place.city'] }, outbox: { by } })).toEqual({
      history: {
        collection: 'docs_history',
        keepSeconds: 7_776_000,
        scopeFields: [
          { name: 'title', path: 'title' },
          { name: 'place.city', path: 'place.city' },
        ],
      },
      outbox: { collection: 'events' },
      by,
    });
    expect(compile({ outbox: { collection: 'changes' } })).toEqual({
      history: undefined,
      outbox: { collection: 'changes' },
      by: undefined,
    });
  });
});
