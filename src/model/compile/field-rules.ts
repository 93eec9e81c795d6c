import { ConfigurationError } from '../../errors.ts';
import { listNames } from '../../hints.ts';
import { narrowPolicy, type PolicyRules } from '../define/policy.ts';
import { type CompiledField, type FieldEntry, type FieldTable, membersOf, type Node, type ObjectNode } from '../node.ts';
import { chainOf, type FieldChain } from '../read/field-chains.ts';

/** A view is compiled for each set of rules that occurs: with eight rules there are 256. */
const mostRules = 8;

/** The names of all rules in the policies of a record, in alphabetical order. */
export function namedRules(node: Node): readonly string[] {
  return [...new Set(fieldsIn(node).flatMap(({ rules }) => namesIn(rules)))].sort();
}

function namesIn({ read = [], insert = [], update = [] }: PolicyRules = {}): readonly string[] {
  return [...read, ...insert, ...update];
}

/** The names of the rules by which callers read fields that others do not. */
export function readRules(node: Node): readonly string[] {
  return [...new Set(fieldsIn(node).flatMap(({ rules }) => rules?.read ?? []))].sort();
}

/** Whether some callers read a field of the record that others do not. */
export function hasReadRules(node: Node): boolean {
  return fieldsIn(node).some(({ rules }) => rules?.read !== undefined);
}

/** Every field at any depth, also those in arrays and maps. */
function fieldsIn(node: Node): CompiledField[] {
  switch (node.kind) {
    case 'leaf':
      return [];
    case 'array':
      return fieldsIn(node.items.node);
    case 'map':
      return fieldsIn(node.values.node);
    case 'object':
      return membersOf(node).flatMap((field) => [field, ...fieldsIn(field.node)]);
  }
}

/** Refuses rules where every caller needs the field, and more rules than views can be compiled for. */
export function checkRules(root: ObjectNode, rules: readonly string[]): void {
  const always = root.fields.find(({ rules: own, isId, maintained }) => own?.read && (isId || maintained === 'revision'));
  if (always)
    throw new ConfigurationError(
      `\`policy.read\` of \`${always.name}\` cannot name a rule: ${always.isId ? 'it is the path of the record' : 'every `ETag` shows it'}.`,
    );
  if (rules.length > mostRules)
    throw new ConfigurationError(`Its policies name ${rules.length} rules, and at most ${mostRules} are possible: ${rules.join(', ')}.`);
}

/** Which callers may write a field and not read it. Undefined if there are none. */
export function findBlindWriters(chain: FieldChain): string | undefined {
  const held = findView([chain], (one) => mayWrite(chain, one) && !mayRead(chain, one));
  return held && describeView(held);
}

/** Refuses rules that a field of a plug-in cannot have. */
export function checkRulesOfKinds(table: FieldTable): void {
  for (const entry of table.values()) entry.field.kind?.checkRules(entry);
}

/** Which callers `policy.update` names that do not read the field. Undefined if there are none. */
export function findBlindUpdaters(entry: FieldEntry): string | undefined {
  const chain = chainOf(entry);
  const held = findView([chain], (one) => policyIn(entry.field, one).update === true && !mayRead(chain, one));
  return held && describeView(held);
}

/**
 * The fields of a unique index of which one is hidden from a caller who may write another: a 409 would say which hidden
 * values exist. Undefined if there are none.
 */
export function findBlindPair(
  chains: readonly FieldChain[],
): { readonly written: string; readonly hidden: string; readonly by: string } | undefined {
  for (const written of chains)
    for (const hidden of chains) {
      const held = written === hidden ? undefined : findView([written, hidden], (one) => mayWrite(written, one) && !mayRead(hidden, one));
      if (held) return { written: nameOf(written), hidden: nameOf(hidden), by: describeView(held) };
    }
  return undefined;
}

/** The dotted name of a field. It has no steps for the items of arrays, nor for the keys of maps. */
export function nameOf(chain: FieldChain): string {
  return chain.map(({ name }) => name).join('.');
}

/** Callers of a view in words, for a mistake in a definition. */
export function describeView(held: ReadonlySet<string>): string {
  return held.size === 0 ? 'callers for whom no rule holds' : `callers for whom only ${listNames(held)} holds`;
}

type Holds = (held: ReadonlySet<string>) => boolean;

/** The smallest set of rules under which something is so; undefined if there is none. */
function findView(chains: readonly FieldChain[], isSo: Holds): ReadonlySet<string> | undefined {
  const names = [...new Set(chains.flat().flatMap(({ rules }) => namesIn(rules)))];
  return setsOf(names).find(isSo);
}

/** Every set of rules that may hold, the smallest first. */
export function setsOf(names: readonly string[]): readonly ReadonlySet<string>[] {
  const sets = Array.from({ length: 2 ** names.length }, (_, bits) => new Set(names.filter((_name, bit) => bits & (1 << bit))));
  return sets.sort((a, b) => a.size - b.size);
}

/** Whether callers for whom these rules hold read a field. */
export function mayRead(chain: FieldChain, held: ReadonlySet<string>): boolean {
  return chain.every((field) => !policyIn(field, held).private);
}

/** Whether they may set it on create or on update. */
function mayWrite(chain: FieldChain, held: ReadonlySet<string>): boolean {
  const isOpen = (key: 'insert' | 'update') =>
    chain.every((field) => {
      const policy = policyIn(field, held);
      if (field.maintained || (key === 'update' && field.immutable)) return false;
      return policy[key] ?? !(policy.private || field.isId);
    });
  return isOpen('insert') || isOpen('update');
}

/** What the policy of a field says to callers for whom these rules hold. */
function policyIn({ policy, rules }: CompiledField, held: ReadonlySet<string>): CompiledField['policy'] {
  return rules ? narrowPolicy(policy, rules, held) : policy;
}

/** The record as callers see it for whom only these rules hold. What names no rule is shared. */
export function narrowFields(node: ObjectNode, held: ReadonlySet<string>): ObjectNode {
  const fields = node.fields.map((field) => narrowField(field, held));
  const computed = node.computed?.map((one) => {
    const field = narrowField(one.field, held);
    return field === one.field ? one : { ...one, field };
  });
  const isSame = fields.every((field, index) => field === node.fields[index]);
  if (isSame && !computed?.some((one, index) => one !== node.computed?.[index])) return node;
  return { ...node, fields, byName: new Map(fields.map((field) => [field.name, field])), computed };
}

function narrowField(field: CompiledField, held: ReadonlySet<string>): CompiledField {
  const inner = narrow(field.node, held);
  if (inner === field.node && !field.rules) return field;
  const policy = policyIn(field, held);
  return { ...field, node: inner, policy, rules: policy.private ? field.rules : undefined };
}

function narrow(node: Node, held: ReadonlySet<string>): Node {
  switch (node.kind) {
    case 'leaf':
      return node;
    case 'object':
      return narrowFields(node, held);
    case 'array': {
      const items = narrow(node.items.node, held);
      return items === node.items.node ? node : { ...node, items: { ...node.items, node: items } };
    }
    case 'map': {
      const values = narrow(node.values.node, held);
      return values === node.values.node ? node : { ...node, values: { ...node.values, node: values } };
    }
  }
}
