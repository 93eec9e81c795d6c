import type { CompiledField } from '../../model/node.ts';
import { expressionOf } from '../predicate/expression-of.ts';
import { all, bringing, type Comparison, type Filter, fulfilling, type Predicate } from '../predicate/predicate.ts';
import { beforeAllTimes, type Deletable, isLive, type Visible } from './lifecycle.ts';

/**
 * The records that an operation of a collection reaches: those of a scope, and of a model with `t.deletedAt()` the
 * living ones, the deleted ones or both. No operation takes a scope without it, and nothing but {@link Within.of} makes
 * a filter of it. So no operation can forget which records do not exist for it.
 */
class Within {
  readonly #predicate: Predicate | undefined;
  readonly #rest: Within | Visible;

  constructor(predicate: Predicate | undefined, rest: Within | Visible) {
    this.#predicate = predicate;
    this.#rest = rest;
  }

  /** What these records fulfil in the collection of a model. Undefined if all of them do. */
  of(model: Deletable): Predicate | undefined {
    const rest = this.#rest;
    const others = typeof rest === 'string' ? visibleOf(model, rest) : rest.of(model);
    return others ? all(this.#predicate, others) : this.#predicate;
  }

  /** Those of these records that also fulfil a predicate, which stands first in a filter. */
  and(predicate: Predicate): Within {
    return new Within(predicate, this);
  }

  /** The records of the same scope that another operation sees. */
  seeing(visible: Visible): Within {
    return new Within(this.#predicate, typeof this.#rest === 'string' ? visible : this.#rest.seeing(visible));
  }
}

export type { Within };

/** The living records of a scope. A record of a model without `t.deletedAt()` is always one. */
export function living(scope: Predicate | undefined): Within {
  return new Within(scope, 'live');
}

/** The records of a scope: the living ones, the deleted ones, or both. */
export function seeing(visible: Visible, scope: Predicate | undefined): Within {
  return new Within(scope, visible);
}

type ByVisible = Readonly<Record<Visible, Predicate | undefined>>;

const compiled = new WeakMap<CompiledField, ByVisible>();

function visibleOf({ deletedAt }: Deletable, visible: Visible): Predicate | undefined {
  if (!deletedAt) return undefined;
  const known = compiled.get(deletedAt);
  if (known) return known[visible];
  compiled.set(deletedAt, compileVisible(deletedAt));
  return visibleOf({ deletedAt }, visible);
}

function compileVisible(deletedAt: CompiledField): ByVisible {
  const field = { name: deletedAt.name, path: deletedAt.key };
  const isNull: Comparison = { field, operator: 'eq', value: null };
  const isWithout = fulfilling([isNull]);
  return {
    // A comparison would be spelt otherwise than in the filters of the indexes of living records.
    live: bringing({
      filter: isLive({ deletedAt }) as Filter,
      comparisons: [isNull],
      hidesDeleted: true,
      expression: (variable) => expressionOf(isWithout, variable),
    }),
    only: fulfilling([{ field, operator: 'gte', value: beforeAllTimes }]),
    with: undefined,
  };
}
