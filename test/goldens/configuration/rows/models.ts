import { defineModel } from '../../../../src/index.ts';
import { define, js, modelRows, type Rows } from '../wrong.ts';

const text = js.string();
const revision = js.revision();
const by = () => 'ann';

/** `defineModel` and `extend`, without what is in fields. */
export const models: Rows = {
  'a name with a space': () => defineModel('A thing', { collection: 'things', fields: {} }),
  'a name that is none': () => defineModel(undefined as never, { collection: 'things', fields: {} }),
  'no options': () => defineModel('Thing', undefined as never),
  'a collection of the system': () => defineModel('Thing', { collection: 'system.things', fields: {} }),
  'no fields': () => defineModel('Thing', { collection: 'things' } as never),
  'two mistakes': () => defineModel('Thing', { collection: '', fields: [], color: 1 } as never),
  'an extension with the same name': () => define('Thing', { a: text }).extend('Thing', {}),
  'an extension with an unknown option': () => define('Thing', { a: text }).extend('Other', { field: {} }),
  'an extension that stores a field as another type': () => define('Thing', { a: text }).extend('Other', { fields: { a: js.int() } }),
  'an extension that keeps no history': () => define('Thing', { a: text, revision }, { history: true }).extend('Other', { history: false }),
  'an extension that keeps no outbox': () => define('Thing', { a: text, revision }, { outbox: true }).extend('Other', { outbox: false }),
};

const lists = { a: js.array(text), b: js.array(text), c: text, d: js.object('D', {}), hidden: js.string({ policy: { private: true } }) };

/** `indexes` of a model. */
export const indexes: Rows = modelRows({
  'no array': () => [lists, { indexes: { fields: ['c'] } }],
  'an index that is a text': () => [lists, { indexes: ['c'] }],
  'neither fields nor a key': () => [lists, { indexes: [{ unique: true }] }],
  'fields and a key': () => [lists, { indexes: [{ fields: ['c'], key: { c: 1 } }] }],
  'an unknown option': () => [lists, { indexes: [{ fields: ['c'], sparse: true }] }],
  'unique that is no boolean': () => [lists, { indexes: [{ fields: ['c'], unique: 1 }] }],
  'no fields': () => [lists, { indexes: [{ fields: [] }] }],
  'a field that is not there': () => [lists, { indexes: [{ fields: ['-cc'] }] }],
  'a field that is no text': () => [lists, { indexes: [{ fields: [null] }] }],
  'a field twice': () => [lists, { indexes: [{ fields: ['c', '-c'] }] }],
  'two arrays': () => [lists, { indexes: [{ fields: ['a', 'b'] }] }],
  'a unique array': () => [lists, { indexes: [{ fields: ['a'], unique: true }] }],
  'a unique object': () => [lists, { indexes: [{ fields: ['d'], unique: true }] }],
  'an empty key': () => [lists, { indexes: [{ key: {} }] }],
  'an index twice': () => [lists, { indexes: [{ fields: ['c'] }, { key: { c: 1 } }] }],
  'a unique key of a private field': () => [lists, { indexes: [{ key: { hidden: 1 }, unique: true }] }],
  'a unique key with a filter of a private field': () => [
    lists,
    { indexes: [{ key: { c: 1 }, unique: true, partialFilterExpression: { $and: [{ hidden: { $gt: 1 } }] } }] },
  ],
});

/** `search` of a model. */
export const searches: Rows = modelRows({
  'a text': () => [lists, { search: 'c' }],
  'no fields': () => [lists, { search: { fields: {} } }],
  'an unknown language': () => [lists, { search: { fields: { c: 1 }, language: 'latin' } }],
  'an unknown option': () => [lists, { search: { fields: { c: 1 }, languages: 'english' } }],
  'a text index beside it': () => [lists, { search: { fields: { c: 1 } }, indexes: [{ key: { c: 'text' } }] }],
  'a field that is not there': () => [lists, { search: { fields: { cc: 1 } } }],
  'a field that is no text': () => [lists, { search: { fields: { d: 1 } } }],
  'a private field': () => [lists, { search: { fields: { hidden: 1 } } }],
  'a weight that is none': () => [lists, { search: { fields: { c: 0 } } }],
  'scope fields that are no array': () => [lists, { search: { fields: { c: 1 }, scopeFields: 'a' } }],
  'a scope field that is not there': () => [lists, { search: { fields: { c: 1 }, scopeFields: ['owner'] } }],
  'a scope field that is an array': () => [lists, { search: { fields: { c: 1 }, scopeFields: ['a'] } }],
  'a scope field that is searched': () => [lists, { search: { fields: { c: 1 }, scopeFields: ['c'] } }],
  'a scope field twice': () => [{ c: text, e: text }, { search: { fields: { c: 1 }, scopeFields: ['e', 'e'] } }],
});

const kept = { ...lists, revision };

/** `history` and `outbox` of a model. */
export const ledgers: Rows = modelRows({
  'a history that is a text': () => [kept, { history: '90d' }],
  'a history without a revision': () => [lists, { history: true }],
  'an outbox without a revision': () => [lists, { outbox: true }],
  'a field at the key of a life': () => [{ a: js.string({ stored: '_life' }), revision }, { history: true }],
  'two actors': () => [kept, { history: { by }, outbox: { by: () => 'bob' } }],
  'an unknown option of history': () => [kept, { history: { kept: '90d' } }],
  'keep that is no number of days': () => [kept, { history: { keep: 90 } }],
  'by that is no function': () => [kept, { outbox: { by: 'ann' } }],
  'a collection with a dollar sign': () => [kept, { outbox: { collection: '$events' } }],
  'scope fields that are no array': () => [kept, { history: { scopeFields: 'c' } }],
  'a scope field that is not there': () => [kept, { history: { scopeFields: ['owner'] } }],
  'a scope field that is an array': () => [kept, { history: { scopeFields: ['a'] } }],
  'a scope field that is private': () => [kept, { history: { scopeFields: ['hidden'] } }],
});

/** References and `t.hasMany`, as far as one model shows what is wrong. */
export const relations: Rows = modelRows({
  'a reference to nothing': () => [{ a: js.ref('') }],
  'a reference with an unknown option': () => [{ a: { ...js.objectId(), ref: { model: 'Thing', name: 'b' } } }],
  'an alias with a dot': () => [{ a: js.ref('Thing', { as: 'b.c' }) }],
  'an alias that is the name of a field': () => [{ a: js.ref('Thing', { as: 'b' }), b: text }],
  'an alias in an object that is the name of a field': () => [{ o: js.object('O', { a: js.ref('Thing', { as: 'b' }), b: text }) }],
  'a resource that is no text': () => [{ a: js.ref('Thing', { resource: 5 }) }],
  'exists that is no boolean': () => [{ a: js.ref('Thing', { exists: 'yes' }) }],
  'an unknown action': () => [{ a: js.ref('Thing', { onDelete: 'remove' }) }],
  'an action for what is not checked': () => [{ a: js.ref('Thing', { exists: false, onDelete: 'cascade' }) }],
  'a checked reference in a map': () => [{ a: js.map(js.ref('Thing', { exists: true })) }],
  'an action in an array of arrays': () => [{ a: js.array(js.array(js.ref('Thing', { onDelete: 'pull' }))) }],
  'pull of a single reference': () => [{ a: js.ref('Thing', { onDelete: 'pull' }) }],
  'pull below minItems': () => [{ a: js.array(js.ref('Thing', { onDelete: 'pull' }), { minItems: 1 }) }],
  'nullify of what is unique in its array': () => [
    { a: js.array(js.nullable(js.ref('Thing', { onDelete: 'nullify' })), { uniqueItems: true }) },
  ],
  'nullify of what cannot be null': () => [{ a: js.ref('Thing', { onDelete: 'nullify' }) }],
  'nullify of what cannot be null in an array': () => [{ a: js.array(js.ref('Thing', { onDelete: 'nullify' })) }],
  'a default with a reference that is taken away': () => [
    { a: js.optional(js.ref('Thing', { onDelete: 'nullify', default: '0123456789abcdef01234567' })) },
  ],
  'a default that fails': () => [
    {
      a: js.optional(
        js.ref('Thing', {
          onDelete: 'nullify',
          default: () => {
            throw new Error('no default');
          },
        }),
      ),
    },
  ],
  'a relation without a field': () => [{ many: js.hasMany('Thing', {}) }],
  'a relation with an unknown option': () => [{ many: js.hasMany('Thing', { via: 'a', limit: 5 }) }],
  'a relation with too many records': () => [{ many: js.hasMany('Thing', { via: 'a', max: 10_001 }) }],
  'a count of too many records': () => [{ many: js.hasMany('Thing', { via: 'a', count: true, max: 1_000_001 }) }],
  'a sorted count': () => [{ many: js.hasMany('Thing', { via: 'a', count: true, sort: 'b' }) }],
  'a sort by a field twice': () => [{ many: js.hasMany('Thing', { via: 'a', sort: 'b,-b' }) }],
  'a sort that is none': () => [{ many: js.hasMany('Thing', { via: 'a', sort: 'b,,c' }) }],
  'a relation with a name that no field may have': () => [{ 'many.things': js.hasMany('Thing', { via: 'a' }) }],
  'a relation with the name of an alias': () => [{ a: js.ref('Thing', { as: 'many' }), many: js.hasMany('Thing', { via: 'a' }) }],
  'a relation with a field that it adds': () => [{ many_has_next: text, many: js.hasMany('Thing', { via: 'a' }) }],
});
