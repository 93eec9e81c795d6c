import fc from 'fast-check';
import type { CompiledModel } from '../../../src/model/compile/compile-model.ts';
import { viewOf } from '../../../src/model/compile/view-of.ts';
import { t } from '../../../src/model/define/t.ts';
import { compileCreate, compilePatch } from '../../../src/model/write/compile-writes.ts';
import { expectWith } from '../../support/expect.ts';
import { modelOf } from '../subject.ts';

/** A field, and whether a rule hides it. */
interface Spec {
  readonly isHidden: boolean;
  readonly kind: 'string' | 'int' | 'object' | 'array' | 'map' | 'strings';
  readonly presence: 'nullable' | 'optional' | 'default';
  readonly inner: readonly Spec[];
}

const names = ['city', 'cost', 'code', 'note', 'name'];
const kinds = ['string', 'int', 'object', 'array', 'map', 'strings'] as const;
const { specs } = fc.letrec<{ specs: Spec[] }>((tie) => ({
  specs: fc.array(
    fc.record({
      isHidden: fc.boolean(),
      kind: fc.constantFrom(...kinds),
      presence: fc.constantFrom('nullable', 'optional', 'default'),
      inner: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.constant([]), tie('specs')),
    }),
    { minLength: 1, maxLength: names.length },
  ),
}));

// biome-ignore lint/suspicious/noExplicitAny: fields of any type
type AnyField = any;

/** The fields of the model. Without `hasHidden`, those that a rule hides are not there. */
function fieldsOf(given: readonly Spec[], hasHidden: boolean, path = 'Part'): Record<string, AnyField> {
  const entries = given.flatMap((spec, index): [string, AnyField][] => {
    const name = names[index] as string;
    if (spec.isHidden && !hasHidden) return [];
    const policy = { filter: spec.kind === 'string', sort: spec.kind === 'string', ...(spec.isHidden ? { read: 'staff' } : {}) };
    const options =
      spec.kind === 'string' ? { policy: { ...policy, filter: true as const } } : spec.isHidden ? { policy: { read: 'staff' } } : {};
    return [[name, present(fieldOf(spec, hasHidden, `${path}_${name}`, options), spec)]];
  });
  return Object.fromEntries(entries);
}

function fieldOf({ kind, inner, presence }: Spec, hasHidden: boolean, path: string, options: object): AnyField {
  const object = () => t.object(path, { own: t.string({ default: 'x' }), ...fieldsOf(inner, hasHidden, path) });
  const given = presence === 'default' ? { ...options, default: defaults[kind] } : options;
  switch (kind) {
    case 'string':
      return t.string(given as never);
    case 'int':
      return t.int(given as never);
    case 'strings':
      return t.array(t.string(), given as never);
    case 'object':
      return t.optional(object(), options as never);
    case 'array':
      return t.array(object(), given as never);
    case 'map':
      return t.map(object(), given as never);
  }
}

const defaults = { string: 's', int: 1, strings: [], object: undefined, array: [], map: {} };

function present(field: AnyField, { presence, kind }: Spec): AnyField {
  if (kind === 'object' || presence === 'default') return field;
  return presence === 'nullable' ? t.nullable(field) : t.optional(field);
}

const value: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, fc.constantFrom('s', 1, null, true, '$x'), tie('array'), tie('object')),
  array: fc.array(tie('value'), { maxLength: 2 }),
  object: fc.dictionary(fc.constantFrom(...names, 'own', 'cots', 'k', '$set', '__proto__'), tie('value'), { maxKeys: 4 }),
})).value;
const body = fc.dictionary(fc.constantFrom(...names, 'cots', 'nmae'), value, { maxKeys: 5 });

/** What a write says: its errors, or what it stores. */
function outcomeOf(write: () => unknown): unknown {
  try {
    return write();
  } catch (error) {
    const { errors } = error as { readonly errors?: unknown };
    if (errors === undefined) throw error;
    return { errors };
  }
}

/** A stored value without what is hidden. */
function without(given: readonly Spec[], stored: unknown): unknown {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) return stored;
  const members = Object.entries(stored).filter(([name]) => !given[names.indexOf(name)]?.isHidden);
  return Object.fromEntries(
    members.map(([name, member]) => {
      const spec = given[names.indexOf(name)];
      if (!spec || !['object', 'array', 'map'].includes(spec.kind)) return [name, member];
      const inside = (one: unknown) => without(spec.inner, one);
      if (spec.kind === 'object') return [name, inside(member)];
      if (spec.kind === 'array') return [name, Array.isArray(member) ? member.map(inside) : member];
      const entries = member instanceof Map ? [...member] : Object.entries(member ?? {});
      return [name, new Map(entries.map(([key, one]) => [key, inside(one)]))];
    }),
  );
}

/** A value of another shape than declared is null where it could hold what is hidden. */
function isSameButNull(shown: unknown, expected: unknown): boolean {
  if (shown === null || Object.is(shown, expected)) return true;
  if (typeof shown !== 'object' || typeof expected !== 'object' || expected === null) return false;
  const [names, others] = [Object.keys(shown), Object.keys(expected)];
  if (names.join() !== others.join()) return false;
  return names.every((name) => isSameButNull((shown as Record<string, unknown>)[name], (expected as Record<string, unknown>)[name]));
}

function pairOf(given: readonly Spec[]): { readonly seen: CompiledModel; readonly plain: CompiledModel } {
  const seen = viewOf(modelOf({ shown: t.string({ default: 'x' }), ...fieldsOf(given, true) }), new Set());
  return { seen, plain: modelOf({ shown: t.string({ default: 'x' }), ...fieldsOf(given, false) }) };
}

describe('a view of callers for whom no rule holds is the model without the fields of rules', () => {
  it('in what a query and `fields` may name', () => {
    fc.assert(
      fc.property(specs, (given) => {
        const { seen, plain } = pairOf(given);
        expect([...seen.clientFields]).toEqual([...plain.clientFields]);
        expect([...seen.selector.names]).toEqual([...plain.selector.names]);
      }),
    );
  });

  it('in what is shown of any stored record', () => {
    fc.assert(
      fc.property(specs, fc.dictionary(fc.constantFrom(...names, 'shown'), value), (given, stored) => {
        const { seen, plain } = pairOf(given);
        const [shown, expected] = [seen, plain].map((model) => JSON.parse(model.writeJson({ _id: 'a', ...stored })) as unknown);
        expectWith(isSameButNull(shown, expected), JSON.stringify({ shown, expected })).toBe(true);
      }),
    );
  });

  it('in the errors and the record of any create', () => {
    fc.assert(
      fc.property(specs, body, (given, sent) => {
        const { seen, plain } = pairOf(given);
        const create = (model: CompiledModel) => outcomeOf(() => ({ ...compileCreate(model)(sent), _id: undefined }));
        const outcome = create(seen);
        expect('errors' in (outcome as object) ? outcome : without(given, outcome)).toEqual(create(plain));
      }),
    );
  });

  it('in the errors and the changes of any patch that names no object, array or map which holds a hidden field', () => {
    const holds = (spec: Spec): boolean => spec.inner.some((one) => one.isHidden || holds(one));
    fc.assert(
      fc.property(specs, body, (given, sent) => {
        const { seen, plain } = pairOf(given);
        const holding = new Set(
          given.flatMap((spec, index) => (['object', 'array', 'map'].includes(spec.kind) && holds(spec) ? [names[index]] : [])),
        );
        const named = Object.fromEntries(Object.entries(sent).filter(([name]) => !holding.has(name)));
        const patch = (model: CompiledModel) => outcomeOf(() => compilePatch(model)(named));
        expect(patch(seen)).toEqual(patch(plain));
      }),
    );
  });
});
