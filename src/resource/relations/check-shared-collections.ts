import { ConfigurationError } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { FieldEntry } from '../../model/node.ts';
import { markPath } from '../../mongo/lifecycle/lifecycle.ts';

/** What models of one collection must agree in if one of them has a `history` or an `outbox`. */
interface Promised {
  /** What differs, in words. */
  readonly what: string;
  /** Two models agree if these are equal as JSON. */
  of(model: CompiledModel): unknown;
  /** What would happen if they did not. */
  readonly otherwise: string;
}

const missing = 'what the one writes would be missing there';

const promises: readonly Promised[] = [
  { what: '`history`', of: ({ ledger }) => ledger?.history !== undefined, otherwise: missing },
  { what: '`outbox`', of: ({ ledger }) => ledger?.outbox?.collection, otherwise: missing },
  {
    what: '`keep` of `history`',
    of: ({ ledger }) => ledger?.history?.keepSeconds,
    otherwise: 'the entries of both are in one collection, which has one index that removes them',
  },
  {
    what: '`scopeFields` of `history`',
    of: ({ ledger }) => ledger?.history?.scopeFields.map(({ path }) => path).sort(),
    otherwise: 'the entries of the one would lack what scopes of the other compare',
  },
  {
    what: '`t.revision()`',
    of: ({ revision }) => revision?.key,
    otherwise: 'the changes of a record would have no order',
  },
  {
    what: '`t.deletedAt()`',
    of: markPath,
    otherwise: 'the one would not know of what the other has deleted',
  },
  {
    what: 'the references with `nullify` or `pull`',
    of: ({ references }) =>
      references
        .filter(({ ref }) => isTakenAway(ref.onDelete))
        .map(({ path }) => path)
        .sort(),
    otherwise: 'a delete that takes them away is recorded by one of the models',
  },
];

/**
 * Refuses models of one collection of which one keeps a `history` or an `outbox` that the others would not keep as it
 * does: each describes the same records, so that a change is kept whichever of them has made it.
 */
export function checkSharedCollections(models: readonly CompiledModel[]): void {
  for (const [at, one] of models.entries())
    for (const other of models.slice(at + 1))
      if (one.collection === other.collection && one.name !== other.name && (one.ledger || other.ledger)) checkPair(one, other);
}

function checkPair(one: CompiledModel, other: CompiledModel): void {
  const differ = promises.find(({ of }) => JSON.stringify(of(one)) !== JSON.stringify(of(other)));
  if (differ) throw refused(one, other, differ.what, differ.otherwise);
  if (!one.ledger?.history) return;
  for (const entry of one.fieldTable.values()) {
    const twins = [...other.fieldTable.values()].filter(({ name, path }) => name === entry.name || path === entry.path);
    if (twins.some((twin) => !isAlike(entry, twin)))
      throw refused(one, other, `how \`${entry.name}\` is called or stored`, 'an entry has its change by one name');
  }
}

/** Whether the entries of a history have the same of two fields. */
function isAlike(one: FieldEntry, other: FieldEntry): boolean {
  const about = ({ name, path, field, value }: FieldEntry) => JSON.stringify([name, path, field.node.kind, value.kind]);
  return about(one) === about(other);
}

function isTakenAway(onDelete: string | undefined): boolean {
  return onDelete === 'nullify' || onDelete === 'pull';
}

function refused(one: CompiledModel, other: CompiledModel, what: string, otherwise: string): ConfigurationError {
  return new ConfigurationError(
    `${one.name} and ${other.name} describe the records of one collection, \`${one.collection}\`, and differ in ${what}: ${otherwise}. Give both the same, or make the one by \`extend\` of the other.`,
  );
}
