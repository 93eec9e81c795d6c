import { ConfigurationError } from '../../errors.ts';
import { modelParts } from '../../features/models.ts';
import { tryAll } from '../../mistakes.ts';
import type { KeptOptions } from '../define/define-model.ts';
import type { FieldEntry, FieldTable } from '../node.ts';
import type { DeclaredIndex } from './model-index.ts';

/**
 * Refuses whatever has the database look for a field that is stored by digits in the objects of an array: it reads
 * `list.1.y` also as the second item, and stores no record with such an index.
 */
export function checkPositions(table: FieldTable, indexes: readonly DeclaredIndex[], options: KeptOptions): void {
  const usesOf = ({ name, path, field: { policy, ref, node } }: FieldEntry): string[] => [
    ...(policy.filter ? ['`policy.filter`'] : []),
    ...(policy.sort ? ['`policy.sort`'] : []),
    ...(ref || (node.kind === 'array' && node.items.ref) ? ['a reference'] : []),
    ...(indexes.some(({ key }) => key.some(([indexed]) => indexed === path)) ? ['an index'] : []),
    ...modelParts.filter((part) => part.fields?.(options[part.option]).includes(name)).map(({ option }) => `\`${option}\``),
  ];
  tryAll(
    [...table.values()]
      .filter(({ mayBePosition }) => mayBePosition)
      .flatMap((entry) => usesOf(entry).map((use) => () => refuse(entry, use))),
  );
}

function refuse({ name, path }: FieldEntry, use: string): never {
  throw new ConfigurationError(
    `\`${name}\` cannot have ${use}: it is stored at \`${path}\`, which MongoDB also reads as a position in the array. Store it by a key that is not made of digits (\`stored: 'n1'\`), or leave that out.`,
  );
}
