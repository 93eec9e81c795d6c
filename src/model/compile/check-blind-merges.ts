import { ConfigurationError } from '../../errors.ts';
import { type CompiledField, join, type Node } from '../node.ts';
import { isBlindField, isMergingMap, needsServer, patchAccess, updateAccess, type WriteRules } from '../write/access.ts';
import type { CompiledModel } from './compile-model.ts';
import { describeView, namedRules, narrowFields, setsOf } from './field-rules.ts';

/**
 * Refuses what some caller may write on patch or put and not read, where the answer would depend on what is stored: a
 * merged map with a bound on its keys, and an object that may be missing and that this caller could not create.
 */
export function checkBlindMerges({ whole, held }: Pick<CompiledModel, 'whole' | 'held'>, rules: WriteRules): void {
  if (held !== undefined) return; // a view: its model has been checked
  const access = { ...updateAccess(rules), protects: patchAccess(rules).protects, mergesMaps: rules.mergePatch !== false };
  const merges = access.mergesMaps;

  function check(field: CompiledField, name: string, isBlind: boolean, by: ReadonlySet<string>): void {
    if (access.refusal(field) !== undefined) return;
    const isHidden = isBlind || isBlindField(field, access);
    const mayBeMissing = field.nullable || field.optional;
    checkValue(field.node, name, isHidden, mayBeMissing, by);
  }

  function checkValue(node: Node, name: string, isBlind: boolean, mayBeMissing: boolean, by: ReadonlySet<string>): void {
    if (node.kind === 'object') {
      if (isBlind && mayBeMissing && needsServer(node, access))
        throw refusal(
          name,
          by,
          'it may be missing and has a required key that they may not write: only the answer would say whether it is',
        );
      for (const field of node.fields) check(field, join(name, field.name), isBlind, by);
    } else if (node.kind === 'map' && merges && isMergingMap(node, access)) {
      if (isBlind && node.merge.size)
        throw refusal(name, by, '`minProperties` and `maxProperties` of a merged map would say how many keys it has');
      checkValue(node.values.node, name, isBlind, true, by);
    }
  }

  for (const by of setsOf(namedRules(whole.root)))
    for (const field of narrowFields(whole.root, by).fields) check(field, field.name, false, by);
}

function refusal(name: string, by: ReadonlySet<string>, why: string): ConfigurationError {
  return new ConfigurationError(`\`policy\` of \`${name}\`: ${describeView(by)} may write it and not read it, and ${why}.`);
}
