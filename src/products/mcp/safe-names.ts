import { createHash } from 'node:crypto';

/** The characters that every client accepts in names of tools and arguments. */
const unsafe = /[^a-zA-Z0-9_-]+/g;

/** A wanted name, and its subject: two subjects may want the same name. */
export interface WantedName {
  readonly wanted: string;
  readonly subject: string;
}

/**
 * Gives each subject a name of ASCII letters, digits, `_` and `-` with at most `maxLength` characters. A name that had
 * to be cut, and one that several subjects want, ends with a digest of its subject: it stays the same whatever else is
 * added. `taken` are names that are not free.
 *
 * @example
 * const names = safeNames([{ wanted: 'shipTo.city', subject: 'shipTo.city[eq]' }], { maxLength: 64 });
 * names.get('shipTo.city[eq]') // 'shipTo_city'
 */
export function safeNames(
  wanted: readonly WantedName[],
  { maxLength, taken = [] }: { readonly maxLength: number; readonly taken?: Iterable<string> },
): ReadonlyMap<string, string> {
  const plain = wanted.map((one) => ({ ...one, name: one.wanted.replaceAll(unsafe, '_') }));
  const uses = new Map([...taken].map((name) => [name, 1]));
  for (const { name } of plain) uses.set(name, (uses.get(name) ?? 0) + 1);
  return new Map(
    plain.map(({ name, subject }) => {
      const isFree = uses.get(name) === 1 && name.length <= maxLength && name !== '' && name !== '_';
      return [subject, isFree ? name : withDigest(name, subject, maxLength)];
    }),
  );
}

function withDigest(name: string, subject: string, maxLength: number): string {
  const digest = createHash('sha256').update(subject).digest('hex').slice(0, 8);
  return `${name.slice(0, maxLength - digest.length - 1)}_${digest}`;
}
