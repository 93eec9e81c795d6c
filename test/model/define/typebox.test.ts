import Type from 'typebox';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { defineModel } from '../../../src/model/define/define-model.ts';
import { t } from '../../../src/model/define/t.ts';

describe('schemas that a user builds with TypeBox', () => {
  const Place = Type.Object({ city: Type.String({ minLength: 1 }), zip: Type.Optional(Type.String()) }, { additionalProperties: false });
  const { root } = compileModel(
    defineModel('Shop', {
      collection: 'shops',
      fields: {
        name: Type.String({ policy: { filter: ['eq'] } }),
        employees: Type.Optional(Type.Integer({ minimum: 0 })),
        note: Type.Union([Type.String(), Type.Null()]),
        place: Place,
        places: t.array(Place),
        former: t.optional(Place),
      },
    }),
  );
  const summaryOf = (fields: typeof root.fields): unknown =>
    fields.map(({ name, optional, nullable, node }) => [
      name,
      [optional && 'optional', nullable && 'nullable'].filter(Boolean).join(' '),
      node.kind === 'object' ? summaryOf(node.fields) : node.kind,
    ]);
  const place = [
    ['city', '', 'leaf'],
    ['zip', 'optional', 'leaf'],
  ];

  it('are fields as those of t are, with what may be absent', () => {
    expect(summaryOf(root.fields)).toEqual([
      ['id', '', 'leaf'],
      ['name', '', 'leaf'],
      ['employees', 'optional', 'leaf'],
      ['note', 'nullable', 'leaf'],
      ['place', '', place],
      ['places', '', 'array'],
      ['former', 'optional', place],
    ]);
  });

  it('take the policy of a field beside their own keywords', () => {
    expect(root.byName.get('name')?.policy).toEqual({ filter: ['eq'] });
  });
});

describe('an optional field', () => {
  it('is still optional when its schema is spread', () => {
    const { root } = compileModel(
      defineModel('Note', { collection: 'notes', fields: { text: { ...t.optional(t.string()), title: 'Text' } } }),
    );
    expect(root.byName.get('text')?.optional).toBe(true);
  });

  it('shows no trace of the library in its JSON', () => {
    expect(JSON.stringify(t.optional(t.string()))).toBe('{"type":"string"}');
  });
});
