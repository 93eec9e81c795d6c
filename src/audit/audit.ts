import { ConfigurationError } from '../errors.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import { type AuditedMisfit, mostEntries, type UnknownKey } from './tally.ts';

/** What an audit has found so far. It is plain JSON, from which a later audit can go on. */
export interface Audit {
  readonly model: string;
  readonly collection: string;
  /** Whether all records were compared. */
  readonly isComplete: boolean;
  /** How many records were compared. */
  readonly records: number;
  /** About how many records the collection had when the audit began, or went on. */
  readonly estimate: number;
  /** How many of the records do not fit the model. */
  readonly misfitting: number;
  /** What does not fit, by path and rule, the most frequent first. At most 1,000. */
  readonly misfits: readonly AuditedMisfit[];
  /** Stored keys that are not fields, which the model ignores. At most 1,000. */
  readonly unknownKeys: readonly UnknownKey[];
  /** How many misfits and unknown keys were found beyond these limits. */
  readonly omitted: number;
  /** Where a later audit goes on. */
  readonly position?: string;
}

type Members = Readonly<Record<string, unknown>>;
type IsLegal = (value: unknown) => boolean;

const isText: IsLegal = (value) => typeof value === 'string';
const isCount: IsLegal = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isFlag: IsLegal = (value) => typeof value === 'boolean';
const areTexts: IsLegal = (value) => Array.isArray(value) && value.every(isText);

const ofKey = { path: isText, records: isCount, ids: areTexts };
const ofMisfit = { ...ofKey, rule: isText, message: isText };
const ofAudit: Readonly<Record<keyof Audit, IsLegal>> = {
  model: isText,
  collection: isText,
  isComplete: isFlag,
  records: isCount,
  estimate: isCount,
  misfitting: isCount,
  misfits: (value) => areEntries(value, ofMisfit),
  unknownKeys: (value) => areEntries(value, ofKey),
  omitted: isCount,
  position: (value) => value === undefined || isText(value),
};

/**
 * Returns what an earlier audit of a model has yielded. Throws a {@link ConfigurationError} for anything else: it may come from a file that
 * somebody has changed.
 */
export function readEarlier(from: Audit, { name, collection }: CompiledModel): Audit {
  if (!isOf(ofAudit, from)) throw new ConfigurationError('`from` of `auditCollection` must be what an earlier audit has yielded.');
  if (from.model !== name || from.collection !== collection)
    throw new ConfigurationError(
      `\`from\` of \`auditCollection\` is an audit of ${from.model} (${from.collection}), and not of ${name} (${collection}).`,
    );
  return from;
}

function areEntries(value: unknown, legal: Readonly<Record<string, IsLegal>>): boolean {
  return Array.isArray(value) && value.length <= mostEntries && value.every((one) => isOf(legal, one));
}

/** Whether a value is an object with these members, and no others. */
function isOf(legal: Readonly<Record<string, IsLegal>>, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const hasOthers = Object.keys(value).some((name) => !Object.hasOwn(legal, name));
  return !hasOthers && Object.entries(legal).every(([name, isLegal]) => isLegal((value as Members)[name]));
}
