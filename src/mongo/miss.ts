import { isStoredObject } from '../model/value/stored-shape.ts';
import type { Changes, EmbeddedMerge } from '../model/write/plan-changes.ts';
import { type FieldError, Invalid } from '../rules.ts';

/** The value at a dotted path of stored objects; undefined where the path ends early. */
export function valueAt(stored: Readonly<Record<string, unknown>>, path: string): unknown {
  let value: unknown = stored;
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

/** What is wrong with the embedded objects that a patch writes into, that the record lacks, and that the body does not suffice to create. */
export function missingKeys(changes: Changes, stored: Readonly<Record<string, unknown>>): FieldError[] {
  return changes.embedded.filter(({ path }) => !isStoredObject(valueAt(stored, path))).flatMap(whyNotCreated);
}

function whyNotCreated({ path, missing, serverOnly, refused }: EmbeddedMerge): readonly FieldError[] {
  if (serverOnly) return [onlyByServer.at(path)];
  const message = `does not exist yet; to create it, send also ${missing.join(', ')}`;
  if (missing.length > 0) return [new Invalid('incomplete', message, { missing }).at(path)];
  return refused;
}

// Which keys those are is not said: they may be private.
const onlyByServer = new Invalid(
  'server_only',
  'does not exist yet, and only the server can create it: it holds required values that clients may not send',
);
