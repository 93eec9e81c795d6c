import { ConfigurationError } from '../../errors.ts';
import type { CompiledField, ObjectNode } from '../node.ts';
import { deletionKey } from '../value/own-keys.ts';

/** Refuses a field that is stored where the id of a deletion is. */
export function checkDeletionKey({ fields }: ObjectNode): void {
  if (fields.some(({ key }) => key === deletionKey))
    throw new ConfigurationError(
      `A model with \`t.deletedAt()\` cannot have a field stored as \`${deletionKey}\`: the service stores the id of a deletion there.`,
    );
}

/**
 * Refuses markers that a time of deletion cannot have: the key is missing as long as the record lives, and only then.
 */
export function checkDeletedAt({ optional, nullable, unique }: CompiledField, path: string): void {
  if (nullable || !optional)
    throw new ConfigurationError(`\`${path}\` is absent as long as the record lives, and never null: use \`t.deletedAt()\` alone.`);
  if (unique) throw new ConfigurationError(`\`${path}\` cannot be unique: several records may be deleted at the same time.`);
}
