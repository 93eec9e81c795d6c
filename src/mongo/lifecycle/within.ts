import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { CompiledField } from '../../model/node.ts';
import { expressionOf } from '../predicate/expression-of.ts';
import { all, bringing, type Comparison, type Filter, fulfilling, type Predicate } from '../predicate/predicate.ts';
import { beforeAllTimes, type Deletable, isLive, type Visible } from './lifecycle.ts';

/**
 * The records that an operation of a collection reaches, as its caller sees them: those of a scope, and of a model with
 * `t.deletedAt()` the living ones, the deleted ones or both. No operation takes a scope without it. So no operation can
 * forget which records do not exist for it, or which of their fields do not.
 */
class Within {
  /** The model as the caller sees it: whole, or a view. */
  readonly model: CompiledModel;
  readonly #predicate: Predicate | undefined;
  readonly #rest: Within | Visible;

  constructor(model: CompiledModel, predicate: Predicate | undefined, rest: Within | Visible) {
    this.model = model;
    this.#predicate = predicate;
    this.#rest = rest;
  }

  /** What these records fulfil. Undefined if all of the collection do. */
  get predicate(): Predicate | undefined {
    const rest = this.#rest;
    const others = typeof rest === 'string' ? visibleOf(this.model, rest) : rest.predicate;
    return others ? all(this.#predicate, others) : this.#predicate;
  }

  /** Those of these records that also fulfil a predicate, which stands first in a filter. */
  and(predicate: Predicate): Within {
    return new Within(this.model, predicate, this);
  }

  /** The records of the same scope that another operation sees. */
  seeing(visible: Visible): Within {
    return new Within(this.model, this.#predicate, typeof this.#rest === 'string' ? visible : this.#rest.seeing(visible));
  }
}

export type { Within };

/** The living records of a scope. A record of a model without `t.deletedAt()` is always one. */
export function living(model: CompiledModel, scope: Predicate | undefined): Within {
  return new Within(model, scope, 'live');
}

/** The records of a scope: the living ones, the deleted ones, or both. */
export function seeing(model: CompiledModel, visible: Visible, scope: Predicate | undefined): Within {
  return new Within(model, scope, visible);
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
