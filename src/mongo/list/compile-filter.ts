import { type FilterBounds, type FilterCalls, parseFilter } from '../../filter/parse-filter.ts';
import { type ComparisonSign, type FieldName, type FilterSyntax, FilterSyntaxError, type Literal } from '../../filter/syntax.ts';
import { nearest } from '../../hints.ts';
import type { ErrorSink } from '../../http/query-errors.ts';
import type { QueryField, QueryFields } from '../../model/compile/query-fields.ts';
import { type Operator, operatorDef, operators } from '../../model/operators/operators.ts';
import { type FieldError, Invalid } from '../../rules.ts';
import { anItem, aRelated, compare, joined, not } from '../predicate/predicate.ts';
import type { Expression } from '../through/expression.ts';
import { countRelated, simplify } from '../through/simplify.ts';
import { isThrough, type ThroughField, type ThroughRelation, type ThroughStep } from '../through/through-field.ts';
import {
  type ConditionLimits,
  castOne,
  castSoughtText,
  filterableNames,
  isOfOrder,
  notNull,
  refuseOperator,
  tooManyValues,
} from './parse-conditions.ts';

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
  /** The end of "is not a field of …". */
  readonly subject: string;
}

/** The functions of a filter that are operators. */
const calls: FilterCalls = new Map(
  operators
    .filter((operator) => operatorDef(operator).isCall)
    .map((operator) => [operator, { takesText: operatorDef(operator).text !== undefined }] as const),
);

/** A condition on one field. */
type ConditionSyntax = Extract<FilterSyntax, { readonly kind: 'compare' | 'in' | 'call' }>;

const operatorOf: Readonly<Record<ComparisonSign, Operator>> = { '=': 'eq', '!=': 'ne', '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' };

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
  let isSound = true;

  /** Reports what is wrong with the part of a filter that begins at a position. */
  function refuse({ name, position }: FieldName, { rule, message, params }: Invalid): undefined {
    isSound = false;
    const error = { field: filterName, message: `\`${name}\` at character ${position} ${message}`, rule, params: { ...params, position } };
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
    const value = castOf(syntax, field, rules);
    if (value instanceof Invalid) return refuse(syntax.field, value);
    const named = steps.length > 0 ? { ...field, name: (field as ThroughField).ownName } : field;
    return behind(steps, compare({ field: named, operator, value }));
  }

  /** What at least one item of an array, or one related record, must fulfil. */
  function compileAny(name: FieldName, syntax: FilterSyntax | undefined, within: Surroundings): Expression | undefined {
    const relation = within.relations.get(name.name);
    if (relation) {
      const inner = syntax && compile(syntax, inRelated(name.name, within));
      return syntax && !inner ? undefined : behind(relation.steps.slice(0, -1), aRelated(relation.steps.at(-1) as ThroughStep, inner));
    }
    const field = within.fields.get(name.name);
    if (!field) return refuse(name, unknown(name.name, within));
    if (!field.ofObjects) return refuse(name, notMany);
    if (!syntax) return refuse(name, withoutCondition);
    const steps = stepsOf(field);
    const many = steps.find(({ via }) => via);
    if (many) return refuse(name, behindMany(many));
    const named = { name: isThrough(field) ? field.ownName : field.name, path: field.path };
    return wrap(compile(syntax, inItem(field, within)), (of) => behind(steps, anItem(named, of)));
  }

  const syntax = parse(text, bounds, errors);
  const { fields, through, subject = 'this list' } = rules;
  const relations = through?.relations ?? new Map<string, ThroughRelation>();
  const all = new Map(fields);
  for (const relation of relations.values()) for (const field of relation.fields) if (!all.has(field.name)) all.set(field.name, field);
  const compiled = syntax && compile(syntax, { fields: all, relations, subject });
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

function parse(text: string, bounds: FilterBounds, errors: ErrorSink): FilterSyntax | undefined {
  try {
    return parseFilter(text, calls, bounds);
  } catch (error) {
    if (!(error instanceof FilterSyntaxError)) throw error;
    const { rule, message, params } = error;
    errors.push({ field: filterName, message, rule, params });
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
  return { fields: new Map(own), relations: new Map(further), subject: `\`${name}\`` };
}

function stepsOf(field: QueryField): readonly ThroughStep[] {
  return isThrough(field) ? field.steps : [];
}

function withoutSteps(field: QueryField): QueryField {
  const { steps, ownName, ...own } = field as ThroughField;
  return own;
}

/** Names in an item of an array of objects: those of the same record. */
function inItem(array: QueryField, { fields }: Surroundings): Surroundings {
  const { name, path } = array;
  const inside = (one: string) => one.slice(path.length + 1);
  const own = below(name, fields).flatMap(([own, field]) => {
    if (stepsOf(field).length !== stepsOf(array).length) return [];
    const { caseless } = field;
    const paths = { path: inside(field.path), ...(caseless && { caseless: { ...caseless, exactPath: inside(caseless.exactPath) } }) };
    return [[own, { ...withoutSteps(field), name: own, ...paths }] as const];
  });
  return { fields: new Map(own), relations: new Map(), subject: `an item of \`${name}\`` };
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

const notMany = new Invalid('not_comparable', 'is neither an array of objects nor a relation that a filter may name');
const withoutCondition = new Invalid('not_comparable', 'needs a condition: what an item must fulfil');

function behindMany({ name }: ThroughStep): Invalid {
  return new Invalid('not_comparable', `lies in one of many records: write any(${name}, …), what one of them must fulfil`);
}

/** Casts the literals of a condition as the values of a parameter are cast. */
function castOf(syntax: ConditionSyntax, field: QueryField, limits: ConditionLimits): unknown {
  switch (syntax.kind) {
    case 'compare':
      return castLiteral(syntax.value, field, operatorOf[syntax.operator]);
    case 'in':
      return syntax.values.length > limits.maxFilterValues ? tooManyValues(limits) : castAll(syntax.values, field);
    case 'call':
      return syntax.value ? castText(syntax.value, operatorIn(syntax), field, limits) : true; // the opposite is NOT
  }
}

function operatorIn(syntax: ConditionSyntax): Operator {
  if (syntax.kind === 'in') return 'in';
  return syntax.kind === 'compare' ? operatorOf[syntax.operator] : (syntax.name as Operator); // of `calls`
}

function castText({ text }: Literal, operator: Operator, field: QueryField, limits: ConditionLimits): unknown {
  return typeof text === 'string' ? castSoughtText(field, operator, text, limits) : ''; // for a blank
}

function castAll(literals: readonly Literal[], field: QueryField): unknown {
  const values = literals.map((literal) => castLiteral(literal, field, 'in'));
  return values.find((value) => value instanceof Invalid) ?? values;
}

function castLiteral({ text }: Literal, field: QueryField, operator: Operator): unknown {
  if (text === undefined) return undefined;
  if (text !== null) return castOne(field, text, operator);
  return field.nullable && !isOfOrder(operator) ? null : notNull;
}
