import { t } from '../../../src/model/define/t.ts';
import { modelOf, patch, put, refusals } from '../subject.ts';

const Inner = t.object(
  'Inner',
  { low: t.int(), high: t.int({ default: 9 }) },
  { check: ({ low, high }) => (low > high ? 'must rise' : undefined) },
);
const Span = t.object(
  'Span',
  { from: t.int({ default: 0 }), to: t.int(), inner: t.nullable(Inner) },
  { check: ({ from, to }) => (from > to ? 'must not end before it begins' : undefined) },
);
const Capped = t.object(
  'Capped',
  { high: t.int(), cap: t.int({ default: 5, policy: { insert: false, update: false } }) },
  { check: ({ high, cap }) => (high > cap ? [{ field: 'high', message: `must be at most ${cap}` }] : undefined) },
);
const model = modelOf({ span: t.nullable(Span), capped: t.nullable(Capped) });
const ends = 'must not end before it begins';

describe('a merge into an object with a check', () => {
  it('counts at once where the body says all that the object will hold', () => {
    expect(refusals(() => patch(model, { span: { from: 5, to: 1, inner: null } }))).toEqual([`span ${ends}`]);
    expect(refusals(() => patch(model, { span: { from: 1, to: 5, inner: { low: 5, high: 1 } } }))).toEqual(['span.inner must rise']);
  });

  it.each<[string, object]>([
    ['a key is left out', { span: { from: 5, to: 1 } }],
    ['a key of an object within is left out', { span: { from: 5, to: 1, inner: { low: 1 } } }],
    ['there is a closed one', { capped: { high: 9 } }],
  ])('counts where the object must be created only, as what is stored has a say: %s', (_name, body) => {
    const { embedded } = patch(model, body);
    expect(embedded[0]).toMatchObject({ whole: undefined, refused: [{ rule: 'check' }] });
  });

  it('creates the object where nothing is said against it', () => {
    const [span] = patch(model, { span: { to: 1 } }).embedded;
    expect(span).toEqual({ path: 'span', whole: { from: 0, to: 1 }, refused: [] });
  });

  it('waits until the fields are acceptable one by one', () => {
    expect(refusals(() => patch(model, { span: { from: 5, to: 'x', inner: null } }))).toEqual(['span.to must be an integer']);
    expect(refusals(() => patch(model, { span: [] }))).toEqual(['span must be an object']);
    expect(refusals(() => patch(model, { span: { from: 5, to: 1, inner: [] } }))).toEqual(['span.inner must be an object']);
  });
});

describe('a put of a record with checks', () => {
  it('replaces an object without closed values, by its check', () => {
    expect(refusals(() => put(model, { span: { from: 5, to: 1 } }))).toEqual([`span ${ends}`]);
  });

  it('leaves the check of an object around closed values to what is stored', () => {
    const changes = put(model, { capped: { high: 9 } });
    expect(changes.embedded).toEqual([{ path: 'capped', whole: { high: 9, cap: 5 }, refused: [] }]);
    expect([changes.storedCheck?.dependsOn, [...(changes.storedCheck?.checks.keys() ?? [])]]).toEqual([['capped'], ['capped']]);
  });
});
