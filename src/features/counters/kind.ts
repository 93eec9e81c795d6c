import { ConfigurationError } from '../../errors.ts';
import { findBlindUpdaters } from '../../model/compile/field-rules.ts';
import type { CompiledField, FieldEntry, FieldKind } from '../../model/node.ts';
import { intLeaf } from '../../model/value/number-leaves.ts';
import { Invalid } from '../../rules.ts';

/** Fields that clients step. */
export const counterKind: FieldKind = {
  keyword: 'counter',
  refusal: new Invalid('not_writable', 'cannot be set on update: it is stepped', { operation: 'update' }),
  check: checkCounter,
  checkRules: checkCounterRules,
};

/** Refuses a counter that could not be stepped by one command of the database. */
function checkCounter({ isId, node, optional, nullable, immutable, maintained, ref, policy }: CompiledField, path: string): void {
  if (node.kind !== 'leaf' || node.leaf !== intLeaf || isId || maintained || ref)
    throw new ConfigurationError(`The counter \`${path}\` must be an integer of its own: use \`t.counter()\`.`);
  if (path.includes('.'))
    throw new ConfigurationError(`\`${path}\` cannot be a counter: only the record itself has these, not an embedded object.`);
  const others = Object.keys(node.keywords).filter((keyword) => keyword !== 'minimum' && keyword !== 'maximum');
  if (others.length > 0)
    throw new ConfigurationError(`\`${others[0]}\` of \`${path}\` is not possible: a counter has \`minimum\` and \`maximum\`.`);
  if (optional || nullable)
    throw new ConfigurationError(`\`${path}\` is a counter, which always has a value: it can be neither optional nor nullable.`);
  if (immutable) throw new ConfigurationError(`\`${path}\` is a counter, which changes: \`immutable\` contradicts it.`);
  if (policy.private && policy.update)
    throw new ConfigurationError(
      `\`policy.update\` of \`${path}\` cannot open a counter that is private: the 422 of a step beyond its bounds would tell its value.`,
    );
}

/**
 * Refuses a counter that some caller may step and not read: the 422 of a step beyond its bounds would tell its value.
 */
function checkCounterRules(entry: FieldEntry): void {
  const blind = findBlindUpdaters(entry);
  if (blind)
    throw new ConfigurationError(
      `\`policy\` of \`${entry.name}\`: ${blind} may step the counter and not read it, and the 422 of a step beyond its bounds would tell its value.`,
    );
}
