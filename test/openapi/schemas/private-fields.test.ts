import { defineModel, type Model, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { compileCreate, compilePut } from '../../../src/model/write/compile-writes.ts';
import { describeFields } from '../fixtures.ts';
import { compileNamed, isAccepted, schemaOf } from '../published.ts';

describe('a private field', () => {
  const opened = { private: true, insert: true, update: true };
  const hidden = t.optional(t.string({ policy: opened }));
  const fields = {
    name: t.string(),
    password: t.string({ minLength: 8, policy: opened }),
    pin: t.string({ policy: { private: true, insert: true } }),
    recovery: t.nullable(t.object('Recovery', { mail: t.string(), answer: t.string({ policy: opened }), hidden })),
    origin: t.string({ default: 'web', policy: opened }),
    hidden,
    hash: t.string({ default: '', policy: { private: true } }),
  };
  const document = describeFields(fields);

  it('is in the bodies that are refused without it, as write-only, and in nothing else', () => {
    expect(schemaOf(document, 'ThingCreate')).toMatchObject({
      properties: { password: { type: 'string', minLength: 8, writeOnly: true }, pin: { type: 'string', writeOnly: true } },
      required: ['name', 'password', 'pin'],
    });
    expect(schemaOf(document, 'ThingPut').required).toEqual(['name', 'password']);
    expect(schemaOf(document, 'RecoveryCreate')).toMatchObject({
      properties: { answer: { writeOnly: true } },
      required: ['mail', 'answer'],
    });
    const places = Object.entries(document.components.schemas ?? {}).flatMap(([name, { properties }]) =>
      Object.keys(properties as object).map((key) => `${name}.${key}`),
    );
    expect(places.filter((place) => /\.(?:password|pin|answer|origin|hidden|hash)$/.test(place))).toEqual([
      'RecoveryCreate.answer',
      'ThingCreate.password',
      'ThingCreate.pin',
      'ThingPut.password',
    ]);
  });

  it('lets its schema and the code agree', () => {
    const compiled = compileModel(defineModel('Thing', { collection: 'things', fields }) as unknown as Model);
    const whole = { name: 'Ann', password: 'long enough', pin: '1' };
    const recovery = { mail: 'a@x', answer: 'blue' };
    const bodies = [
      whole,
      { ...whole, password: 'short' },
      { ...whole, recovery },
      { ...whole, recovery: { mail: 'a@x' } },
      { name: 'Ann' },
    ];
    const create = compileCreate(compiled);
    const put = compilePut(compiled);
    const judged = bodies.map((body) => [isAccepted(create, body), compileNamed(document, 'ThingCreate')(body)]);
    expect(judged).toEqual([true, false, true, false, false].map((accepted) => [accepted, accepted]));
    expect(bodies.map((body) => compileNamed(document, 'ThingPut')(body))).toEqual(bodies.map((body) => isAccepted(put, body)));
  });
});
