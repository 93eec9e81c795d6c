import fc from 'fast-check';
import { isProtected, isRequired, isWritable, type ModelSpec, mergesKeys, type Rules, type WriteOperation } from './field-oracle.ts';
import {
  cellAt,
  completeValue,
  type FieldSpec,
  finishFields,
  type Kind,
  leaves,
  mapKeys,
  type Plain,
  type PlainObject,
  rawFields,
  sampleOf,
} from './random-model.ts';

/** One request: what it sends follows from the fields' own cells at `salt`, see {@link bodyOf}. */
export interface Step {
  readonly resource: 0 | 1;
  readonly operation: WriteOperation | 'delete';
  /** Which of the records that are there, counted round; 15 is one that never was or is gone. */
  readonly target: number;
  readonly ifMatch: 'none' | 'current' | 'stale' | 'any' | 'weak' | 'list' | 'malformed';
  readonly salt: number;
  /** Makes the mistakes that the cells hold. */
  readonly isFaulty: boolean;
  readonly unknown: string | undefined;
  readonly isEmpty: boolean;
}

/** A record that stands in the database before the first request, as an older program may have left it. */
interface Planted {
  readonly salt: number;
  readonly revision: 'missing' | 'null' | 'some';
  readonly legacy: boolean;
}

export interface Scenario {
  readonly model: ModelSpec;
  readonly resources: readonly [Rules, Rules];
  readonly planted: readonly Planted[];
  readonly steps: readonly Step[];
}

const often = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 3 * others.length }, { arbitrary: fc.constantFrom(...others), weight: others.length });

const operation = fc.constantFrom('patch', 'put', 'create', 'patch', 'put', 'patch', 'put', 'patch', 'create', 'patch', 'put', 'delete');

const step: fc.Arbitrary<Step> = fc.record({
  resource: fc.constantFrom(0, 0, 1),
  operation: operation,
  target: fc.nat(15),
  ifMatch: fc.oneof(
    { arbitrary: fc.constant('none' as const), weight: 12 },
    { arbitrary: fc.constantFrom('current' as const, 'any' as const), weight: 6 },
    {
      arbitrary: fc.constantFrom(
        'current' as const,
        'stale' as const,
        'any' as const,
        'weak' as const,
        'list' as const,
        'malformed' as const,
      ),
      weight: 5,
    },
  ),
  salt: fc.nat(6),
  isFaulty: fc.boolean(),
  unknown: often<string | undefined>(
    undefined,
    undefined,
    undefined,
    'zzz',
    '$set',
    '__proto__',
    '_id',
    'id',
    'revision',
    'createdAt',
    'a.a',
  ),
  isEmpty: often(false, false, false, true),
}) as fc.Arbitrary<Step>;

const planted: fc.Arbitrary<Planted> = fc.record({
  salt: fc.nat(6),
  revision: fc.constantFrom('some', 'missing', 'null'),
  legacy: fc.boolean(),
}) as fc.Arbitrary<Planted>;

const rules = fc.record({ explicitWrites: fc.nat(3).map((chance) => chance === 3), mergePatch: fc.nat(2).map((chance) => chance < 2) });

/** What is done to the records of a model, one after the other. */
export const steps: fc.Arbitrary<Step[]> = fc.array(step, { minLength: 1, maxLength: 24, size: 'max' });

/** Two resources over one random model, what is stored at first, and what is sent. */
export const scenario: fc.Arbitrary<Scenario> = fc
  .record({
    fields: rawFields,
    revision: fc.nat(4).map((chance) => chance < 4),
    timestamps: fc.boolean(),
    resources: fc.tuple(rules, rules),
    /** Rarely nobody sets the required fields that a client cannot send. */
    isFlawed: fc.nat(7).map((chance) => chance === 7),
    planted: fc.array(planted, { minLength: 1, maxLength: 4, size: 'max' }),
    steps,
  })
  .map(({ fields: raw, revision, timestamps, resources: [first, second], isFlawed, ...rest }) => {
    const fields = finishFields(raw, first.explicitWrites || second.explicitWrites);
    const withServerFields = (own: Omit<Rules, 'serverFields'>): Rules => ({
      ...own,
      serverFields: isFlawed ? {} : serverFields(fields, own),
    });
    const model = { fields, revision, timestamps };
    const made: Scenario = { model, resources: [withServerFields(first), withServerFields(second)], ...rest };
    return Object.defineProperty(made, fc.toStringMethod, { value: () => describeScenario(made) });
  });

/** The model and the resources in few lines; the requests are in the message of the failure. */
export function describeScenario({ model, resources, planted: before, steps }: Scenario): string {
  return [
    `revision: ${model.revision}, timestamps: ${model.timestamps}, records at first: ${before.length}, requests: ${steps.length}`,
    ...resources.map((own, index) => `resource ${index}: ${fc.stringify(own)}`),
    describeFields(model.fields),
  ].join('\n');
}

function describeFields(fields: readonly FieldSpec[], indent = '  '): string {
  const lines = fields.map((field) => {
    const { storeNone, immutable, isOuter, isLazy, default: fallback } = field;
    const more = {
      ...field.policy,
      ...(storeNone && { storeNone }),
      ...(immutable && { immutable }),
      ...(fallback !== undefined && { default: fallback, isLazy }),
    };
    return `${indent}${field.name}: ${field.presence} ${describeKind(field.kind, indent)} ${fc.stringify({ ...more, isOuter })}`;
  });
  return lines.join('\n');
}

function describeKind(kind: Kind, indent: string): string {
  if (kind.type === 'leaf') return kind.leaf;
  if (kind.type === 'object') return `{\n${describeFields(kind.fields, `${indent}  `)}\n${indent}}`;
  return `${kind.type} of ${describeKind(kind.items, indent)}`;
}

/** Values for the closed fields that are required, and for some of the others. */
function serverFields(fields: readonly FieldSpec[], own: Omit<Rules, 'serverFields'>): PlainObject {
  const set = fields.filter((field) => {
    const isClosed = !isWritable(field, 'create', { ...own, serverFields: {} });
    return isClosed && (isRequired(field) || cellAt(field, 3).omit);
  });
  return Object.fromEntries(set.map((field) => [field.name, completeValue(field.kind, field, 3)]));
}

/**
 * A stored record as an older program may have left it: without what has a default, with embedded objects missing or
 * null.
 */
export function plantedFields(fields: readonly FieldSpec[], salt: number, hasLegacy: boolean): PlainObject {
  const entries = fields.flatMap((field): [string, Plain][] => {
    const { pick, omit, none } = cellAt(field, salt);
    const isLoose = field.presence !== 'required' || field.kind.type === 'object';
    if (isLoose && none) return pick % 4 < 2 || (field.presence === 'optional' && field.kind.type !== 'object') ? [] : [[field.name, null]];
    if (!isRequired(field) && omit) return [];
    const complete = (members: readonly FieldSpec[], at: number) => plantedFields(members, at, pick === 7);
    return [[field.name, completeValue(field.kind, field, salt, complete)]];
  });
  return Object.fromEntries(hasLegacy ? [...entries, ['legacy', 'kept?']] : entries);
}

interface Body {
  readonly operation: WriteOperation;
  readonly rules: Rules;
  readonly isFaulty: boolean;
  /** Objects may be partial here: in a merge, outside lists and maps. */
  readonly isMerge: boolean;
}

/** The body of a step: valid for what it does, but for the mistakes of a faulty one. */
export function bodyOf(model: ModelSpec, ownRules: Rules, step: Step): PlainObject {
  const operation = step.operation as WriteOperation;
  if (step.isEmpty) return {};
  const isMerge = operation === 'patch' && ownRules.mergePatch;
  const body = objectBody(model.fields, operation !== 'patch', step.salt, { operation, rules: ownRules, isFaulty: step.isFaulty, isMerge });
  return step.isFaulty && step.unknown !== undefined ? withKey(body, step.unknown) : body;
}

// Not by assignment: `__proto__` is to be a key.
const withKey = (body: PlainObject, key: string): PlainObject => Object.fromEntries([...Object.entries(body), [key, 's']]);

function objectBody(fields: readonly FieldSpec[], isWhole: boolean, salt: number, body: Body): PlainObject {
  return Object.fromEntries(
    fields.flatMap((field): [string, Plain][] => {
      const cell = cellAt(field, salt);
      const slip = body.isFaulty ? cell.slip : 'no';
      const isUpdate = body.operation !== 'create';
      const isGuarded = isUpdate && isProtected(field.kind, body.rules);
      const isByKey = field.kind.type === 'object' || (body.isMerge && mergesKeys(field.kind, body.rules));
      const canSend = isWritable(field, body.operation, body.rules) && !(isGuarded && !isByKey);
      if (!canSend && slip !== 'closed') return [];
      const mustSend = isWhole && isRequired(field) && slip !== 'drop';
      if (!mustSend && cell.omit && slip === 'no') return [];
      const isUntyped = field.kind.type === 'leaf' && field.kind.leaf === 'any';
      if (slip === 'null' && !(isUntyped && field.presence !== 'nullable')) return [[field.name, null]];
      if (slip === 'drop') return [];
      const mayBeNone = field.presence === 'nullable' || (field.presence === 'optional' && isUpdate && !isUntyped);
      const isNone = cell.none || (field.kind.type === 'object' && cell.pick % 4 === 3);
      if (isNone && mayBeNone && !isGuarded) return [[field.name, null]];
      return [[field.name, valueBody(field.kind, field, salt, body)]];
    }),
  );
}

function valueBody(kind: Kind, field: FieldSpec, salt: number, body: Body): Plain {
  const { pick, slip } = cellAt(field, salt);
  const isWrong = body.isFaulty && slip === 'wrong';
  const itemBody = (items: Kind, index: number) => valueBody(items, field, salt + index, { ...body, isMerge: false });
  switch (kind.type) {
    case 'leaf': {
      const wrong: readonly Plain[] = leaves[kind.leaf].wrong;
      return isWrong && wrong.length > 0 ? wrong[pick % wrong.length] : sampleOf(kind.leaf, pick + salt).sent;
    }
    case 'array':
      if (isWrong && pick < 6) return [{}, 's', 5n][pick % 3];
      return Array.from({ length: (pick % 3) + Number(isWrong) }, (_, index) => itemBody(kind.items, index));
    case 'map':
      if (isWrong && pick < 6) return [[], 's', 5n][pick % 3];
      return Object.fromEntries(
        mapKeys.slice(0, (pick % 3) + Number(isWrong)).map((key, index): [string, Plain] => {
          if (!(body.isMerge && mergesKeys(kind, body.rules))) return [key, itemBody(kind.items, index)];
          if ((pick + index) % 4 === 1 && (body.isFaulty || !isProtected(kind.items, body.rules))) return [key, null];
          return [key, valueBody(kind.items, field, salt + index, body)];
        }),
      );
    case 'object': {
      if (isWrong) return [[], 's', 5n, [{}]][pick % 4];
      const sent = objectBody(kind.fields, !(body.isMerge && pick % 2 === 0), salt, body);
      return body.isFaulty && slip === 'unknown' ? withKey(sent, ['zzz', '$set', '__proto__'][pick % 3] as string) : sent;
    }
  }
}
