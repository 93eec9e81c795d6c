import { ConfigurationError } from '../../errors.ts';
import type { Through } from '../../middleware/relations/compile-through.ts';
import { tryAll } from '../../mistakes.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { operatorDef } from '../../model/operators/operators.ts';
import { compileFilter, inDefinition } from '../../mongo/list/compile-filter.ts';
import type { FilterLimits } from '../../mongo/list/parse-list-query.ts';
import type { Expression } from '../../mongo/through/expression.ts';
import type { FieldError } from '../../rules.ts';

/** The paths of an index that a filter needs: those that it compares with single values, and those with bounds. */
interface FilterShape {
  readonly equal: readonly string[];
  readonly ranged: readonly string[];
}

/** A filter that clients ask for often. */
export interface DeclaredFilter {
  readonly text: string;
  /** What the index of each of its alternatives is made of. */
  readonly shapes: readonly FilterShape[];
}

/** The most alternatives of one filter for which indexes are planned. */
const mostShapes = 32;

/**
 * Compiles the option `filters` of a resource. Throws a {@link ConfigurationError} for a filter that no client could
 * ask for.
 */
export function compileDeclaredFilters(
  texts: readonly string[],
  {
    model,
    through,
    filterLimits,
  }: { readonly model: CompiledModel; readonly through: Through | undefined; readonly filterLimits: FilterLimits },
  where: string,
): DeclaredFilter[] {
  const fields = through ? new Map([...model.clientFields, ...through.fields]) : model.clientFields;
  const rules = { fields, ...(through && { through }), ...filterLimits };
  return tryAll(
    texts.map((text) => () => {
      const errors: FieldError[] = [];
      const expression = compileFilter(text, rules, inDefinition, errors, errors);
      if (expression) return { text, shapes: shapesOf(expression).slice(0, mostShapes) };
      throw new ConfigurationError(`\`filters\` of ${where} has \`${text}\`, which ${errors.map(({ message }) => message).join('; ')}.`);
    }),
  );
}

/**
 * The alternatives of an expression, each as the conditions that an index serves. Negations narrow nothing, and related
 * records have indexes of their own.
 */
function shapesOf(expression: Expression, prefix = ''): FilterShape[] {
  switch (expression.kind) {
    case 'condition': {
      const { field, operator } = expression.condition;
      const path = field.path === '' ? prefix.slice(0, -1) : prefix + field.path; // of an item that is a value
      const { shape } = operatorDef(operator);
      return [{ equal: shape === 'equal' ? [path] : [], ranged: shape === 'range' ? [path] : [] }];
    }
    case 'item':
      return shapesOf(expression.of, `${prefix}${expression.path}.`);
    case 'or':
      return expression.of.flatMap((part) => shapesOf(part, prefix));
    case 'and':
      return expression.of.map((part) => shapesOf(part, prefix)).reduce(combine);
    default:
      return [{ equal: [], ranged: [] }];
  }
}

/** All pairs of alternatives. */
function combine(some: readonly FilterShape[], others: readonly FilterShape[]): FilterShape[] {
  const pairs = some.flatMap((one) => others.map((other) => [one, other] as const)).slice(0, mostShapes);
  return pairs.map(([one, other]) => ({
    equal: [...new Set([...one.equal, ...other.equal])],
    ranged: [...new Set([...one.ranged, ...other.ranged])],
  }));
}
