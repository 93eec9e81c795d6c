import { type FilterBounds, type FilterCalls, parseFilter } from '../../filter/parse-filter.ts';
import { type FieldName, type FilterSyntax, FilterSyntaxError } from '../../filter/syntax.ts';
import { nearest } from '../../hints.ts';
import type { ErrorSink } from '../../http/query-errors.ts';
import type { QueryField, QueryFields } from '../../model/compile/query-fields.ts';
import { operatorDef, operators } from '../../model/operators/operators.ts';
import { type FieldError, Invalid } from '../../rules.ts';
import { anItem, aRelated, compare, joined, not } from '../predicate/predicate.ts';
import type { Expression } from '../through/expression.ts';
import { countRelated, simplify } from '../through/simplify.ts';
import { isThrough, type ThroughField, type ThroughRelation, type ThroughStep } from '../through/through-field.ts';
import { type ConditionSyntax, castOperandOf, isOfOneValue, operatorIn } from './cast-literal.ts';
import { countIs, hasItems, refuseCount } from './count-items.ts';
import { type ConditionLimits, filterableNames, refuseOperator } from './parse-conditions.ts';

/** The parameter whose value is a filter. */
export const filterName = 'filter';

/** The bounds of a filter in a URL. */
export const inUrl: FilterBounds = { maxBytes: 4096, maxComparisons: 32, maxDepth: 8, maxBranches: 10 };

/** The bounds of a filter in a body. */
export const inBody: FilterBounds = { ...inUrl, maxBytes: 65_536, maxComparisons: 400 };

/** The bounds of a filter in a definition, where `…` stands for any value. */
export const inDefinition: FilterBounds = { ...inUrl, hasBlanks: true };

/** What a filter may name. */
export interface FilterRules extends ConditionLimits {
  readonly fields: QueryFields;
  /** The relations that it may name, and how often. @default none */
  readonly through?: FilterThrough;
  /** The end of "is not a field of …". @default 'this list' */
  readonly subject?: string;
  /** The parameter that has the filter. @default 'filter' */
  readonly parameter?: string;
  /** The functions that it may call. @default the operators that are called */
  readonly calls?: FilterCalls;
}

/** The relations of the option `through`, by their names, and the most conditions on their records. */
export interface FilterThrough {
  readonly relations: ReadonlyMap<string, ThroughRelation>;
  readonly maxConditions: number;
}

/** What names mean at a place of a filter: in a record of the list, in a related record, or in an item of an array. */
interface Surroundings {
  readonly fields: QueryFields;
  readonly relations: ReadonlyMap<string, ThroughRelation>;
  /** The stored path of the array whose item it is, in its record. */
  readonly array: string | undefined;
  /** The end of "is not a field of …". */
  readonly subject: string;
}

/** A number of items or related records, as it is written. */
type CountSyntax = Extract<FilterSyntax, { readonly kind: 'count' }>;

/** The functions of a filter that are operators. */
const operatorCalls: FilterCalls = new Map(
  operators
    .filter((operator) => operatorDef(operator).isCall)
    .map((operator) => [operator, { takesText: operatorDef(operator).text !== undefined }] as const),
);

/**
 * Compiles a filter. Fields and operators come from tables of the model, as those of parameters do; the type of the
 * field casts the value. Undefined if there are errors, which are reported by `errors`, or by `outOfRange` for integers
 * of more than 64 bits.
 */
export function compileFilter(
  text: string,
  rules: FilterRules,
  bounds: FilterBounds,
  errors: ErrorSink,
  outOfRange: FieldError[],
): Expression | undefined {
  const { fields, through, subject = 'this list' } = rules;
  let isSound = true;

  /** Reports what is wrong with the part of a filter that begins at a position. */
  function refuse({ name, position }: FieldName, { rule, message, params }: Invalid): undefined {
    isSound = false;
    const error = {
      field: rules.parameter ?? filterName,
      message: `\`${name}\` at character ${position} ${message}`,
      rule,
      params: { ...params, position },
    };
    (rule === 'out_of_range' ? outOfRange : errors).push(error);
  }

  function compile(syntax: FilterSyntax, within: Surroundings): Expression | undefined {
    switch (syntax.kind) {
      case 'and':
      case 'or':
        return joined(
          syntax.kind,
          syntax.of.flatMap((part) => compile(part, within) ?? []),
        );
      case 'not':
        return wrap(compile(syntax.of, within), (of) => not(of));
      case 'any':
        return compileAny(syntax.field, syntax.of, within);
      case 'none':
        return wrap(compileAny(syntax.field, syntax.of, within), (of) => not(of));
      case 'count':
        return compileAny(syntax.field, syntax.of, within, syntax);
      default:
        return compileCondition(syntax, within);
    }
  }

  function compileCondition(syntax: ConditionSyntax, within: Surroundings): Expression | undefined {
    const field = within.fields.get(syntax.field.name);
    if (!field) return refuse(syntax.field, unknown(syntax.field.name, within));
    const operator = operatorIn(syntax);
    if (!field.operators.has(operator)) return refuse(syntax.field, refuseOperator(field, operator, within.fields));
    const steps = stepsOf(field);
    const many = steps.find(({ via }) => via);
    if (many) return refuse(syntax.field, behindMany(many));
    const value = castOperandOf(syntax, field, rules);
    if (value instanceof Invalid) return refuse(syntax.field, value);
    const named = steps.length > 0 ? { ...field, name: (field as ThroughField).ownName } : field;
    return behind(steps, compare({ field: named, operator, value }));
  }

  /** What at least one item of an array, or related record, must fulfil, or how many of them. */
  function compileAny(
    name: FieldName,
    syntax: FilterSyntax | undefined,
    within: Surroundings,
    count?: CountSyntax,
  ): Expression | undefined {
    const relation = within.relations.get(name.name);
    if (relation) {
      const inner = syntax && compile(syntax, inRelated(name.name, within));
      if (syntax && !inner) return undefined;
      const before = relation.steps.slice(0, -1);
      const last = relation.steps.at(-1) as ThroughStep;
      const many = count && before.find(({ via }) => via);
      if (many) return refuse(name, behindMany(many));
      if (count && !last.via) return refuse(name, notCounted);
      return compareNumber(before, (least) => aRelated(last, inner, least));
    }
    const field = within.fields.get(name.name);
    if (!field) return refuse(name, unknown(name.name, within));
    const { array } = field;
    if (!array) return refuse(name, notMany);
    const steps = stepsOf(field);
    const many = steps.find(({ via }) => via);
    if (many) return refuse(name, behindMany(many));
    if (count && syntax) return refuse(name, notCounted);
    const named = { name: isThrough(field) ? field.ownName : field.name, path: field.path };
    if (!syntax) {
      const refusal = refuseCount(field, within.array);
      return refusal ? refuse(name, refusal) : compareNumber(steps, (least) => hasItems(field, named, least));
    }
    if (array.items === 'objects') return wrap(compile(syntax, inItem(field, within)), (of) => behind(steps, anItem(named, of)));
    if (array.items === 'others') return refuse(name, notMany);
    if (!isOfOneValue(syntax)) return refuse(name, notOfOneValue);
    return wrap(compile(syntax, asItem(field)), (of) => behind(steps, anItem(named, of, true)));

    /** Compares the number with that of the count, behind these steps. Without a count, there must be one. */
    function compareNumber(before: readonly ThroughStep[], least: (n: number) => Expression): Expression | undefined {
      const found = count ? countIs(count.operator, count.number ?? 1, least) : least(1); // a blank stands for any number
      return found ? behind(before, found) : refuse(name, alwaysOrNever);
    }
  }

  const syntax = parse(text, rules, bounds, errors);
  const relations = through?.relations ?? new Map<string, ThroughRelation>();
  const all = new Map(fields);
  for (const relation of relations.values()) for (const field of relation.fields) if (!all.has(field.name)) all.set(field.name, field);
  const compiled = syntax && compile(syntax, { fields: all, relations, array: undefined, subject });
  if (!compiled || !isSound) return undefined;
  const simple = simplify(compiled);
  const asked = through ? countRelated(simple) : 0;
  if (!through || asked <= through.maxConditions) return simple;
  errors.push(tooManyRelated(asked, through.maxConditions));
  return undefined;
}

function tooManyRelated(asked: number, limit: number): FieldError {
  const message = `has ${asked} conditions on related records: at most ${limit} are allowed`;
  return { field: filterName, message, rule: 'too_complex', params: { limit } };
}

function parse(text: string, rules: FilterRules, bounds: FilterBounds, errors: ErrorSink): FilterSyntax | undefined {
  try {
    return parseFilter(text, rules.calls ?? operatorCalls, bounds);
  } catch (error) {
    if (!(error instanceof FilterSyntaxError)) throw error;
    const { rule, message, params } = error;
    errors.push({ field: rules.parameter ?? filterName, message, rule, params });
    return undefined;
  }
}

function wrap(of: Expression | undefined, around: (of: Expression) => Expression): Expression | undefined {
  return of && around(of);
}

/** What a record fulfils if a record behind these steps fulfils the expression. */
function behind(steps: readonly ThroughStep[], expression: Expression): Expression {
  return steps.reduceRight<Expression>((of, step) => aRelated(step, of), expression);
}

/** Names in a related record: those that begin with its relation. */
function inRelated(name: string, { fields, relations }: Surroundings): Surroundings {
  const depth = relations.get(name)?.steps.length ?? 0;
  const own = below(name, fields).flatMap(([own, field]) => {
    if (!isThrough(field)) return [];
    const [first, ...others] = field.steps.slice(depth);
    return [[own, first ? { ...field, name: own, steps: [first, ...others] as const } : { ...withoutSteps(field), name: own }] as const];
  });
  const further = below(name, relations).map(([own, { steps, fields: some }]) => {
    return [own, { steps: steps.slice(depth), fields: some } as unknown as ThroughRelation] as const;
  });
  return { fields: new Map(own), relations: new Map(further), array: undefined, subject: `\`${name}\`` };
}

function stepsOf(field: QueryField): readonly ThroughStep[] {
  return isThrough(field) ? field.steps : [];
}

function withoutSteps(field: QueryField): QueryField {
  const { steps, ownName, ...own } = field as ThroughField;
  return own;
}

/** Names in an item of an array of objects: those of the same record. */
function inItem(array: QueryField, { fields, array: around }: Surroundings): Surroundings {
  const { name, path } = array;
  const inside = (one: string) => one.slice(path.length + 1);
  const own = below(name, fields).flatMap(([own, field]) => {
    if (stepsOf(field).length !== stepsOf(array).length) return [];
    const { caseless } = field;
    const paths = { path: inside(field.path), ...(caseless && { caseless: { ...caseless, exactPath: inside(caseless.exactPath) } }) };
    return [[own, { ...withoutSteps(field), name: own, ...paths }] as const];
  });
  return {
    fields: new Map(own),
    relations: new Map(),
    array: around === undefined ? path : `${around}.${path}`,
    subject: `an item of \`${name}\``,
  };
}

/** The name of an item, where a filter asks for one of an array of values. */
const itemName = 'item';

/** The name in an item that is a value. */
function asItem(array: QueryField): Surroundings {
  const { caseless } = array;
  const own = {
    ...withoutSteps(array),
    name: itemName,
    path: '',
    array: undefined,
    ...(caseless && { caseless: { ...caseless, exactPath: '' } }),
  };
  return { fields: new Map([[itemName, own]]), relations: new Map(), array: undefined, subject: `an item of \`${array.name}\`` };
}

/** The entries whose names begin with this one and a dot, by the rest of their names. */
function below<Value>(name: string, entries: ReadonlyMap<string, Value>): [rest: string, Value][] {
  const prefix = `${name}.`;
  return [...entries].flatMap(([key, value]): [string, Value][] => (key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : []));
}

function unknown(name: string, { fields, relations, subject }: Surroundings): Invalid {
  const suggestion = nearest(name, [...filterableNames(fields), ...relations.keys()]);
  const hint = suggestion === undefined ? '' : `; did you mean \`${suggestion}\`?`;
  return new Invalid('unknown_parameter', `is not a field of ${subject}${hint}`, { suggestion });
}

const notMany = new Invalid('not_comparable', 'is neither an array of objects or of values nor a relation that a filter may name');
const notCounted = new Invalid(
  'not_comparable',
  'cannot be counted so: count(…) takes an array without a condition, or a relation by `t.hasMany`',
);
const alwaysOrNever = new Invalid(
  'not_comparable',
  'has a count that is always so, or never: compare it with at least 1, or by =, !=, > or <=',
);
const notOfOneValue = new Invalid(
  'not_comparable',
  `is an array of values: any(…) of it takes comparisons of \`${itemName}\` that AND joins, each operator once`,
);

function behindMany({ name }: ThroughStep): Invalid {
  return new Invalid('not_comparable', `lies in one of many records: write any(${name}, …), what one of them must fulfil`);
}
