import { isBinary, isDecimal128, isDouble, isInt32, isLong, isObjectId, type isUuid } from './bson-type.ts';

/**
 * A form in which a collection may have the values of a type, although the library may store them in another. Audits,
 * readers of stored forms and the validators of collections are made from these.
 */
export interface AcceptedForm {
  /** The BSON types, by their `$type` names. */
  readonly bsonTypes: readonly string[];
  /** The least and the greatest number. Without them, any but NaN and Infinity. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** Whether a number must be without a fraction. */
  readonly isWhole?: true;
  /** What a text must match, in syntax that JavaScript and PCRE read alike. */
  readonly pattern?: RegExp;
  /** What a binary must be besides. The validator of a collection cannot know. */
  readonly isOf?: (bytes: Parameters<typeof isUuid>[0]) => boolean;
}

const { MIN_SAFE_INTEGER, MAX_SAFE_INTEGER } = Number;

/** A whole number as a double, which is exact. */
export const safeDouble: AcceptedForm = { bsonTypes: ['double'], isWhole: true, minimum: MIN_SAFE_INTEGER, maximum: MAX_SAFE_INTEGER };

/** Whether a decoded value has one of these forms. */
export function isAccepted(forms: readonly AcceptedForm[], stored: unknown): boolean {
  const type = typeOf(stored);
  return type !== undefined && forms.some((form) => form.bsonTypes.includes(type) && fits(form, stored));
}

function fits({ minimum = -Number.MAX_VALUE, maximum = Number.MAX_VALUE, isWhole, pattern, isOf }: AcceptedForm, stored: unknown): boolean {
  if (typeof stored === 'string') return pattern?.test(stored) ?? true;
  if (isBinary(stored)) return isOf?.(stored) ?? true;
  if (isDecimal128(stored)) return /^-?\d/.test(stored.toString());
  const value = numberOf(stored);
  return (
    value === undefined || (value >= minimum && value <= maximum && !(isWhole && typeof value === 'number' && !Number.isInteger(value)))
  );
}

/** A stored number of BSON's types but Decimal128. Undefined for any other value. */
export function numberOf(stored: unknown): number | bigint | undefined {
  if (typeof stored === 'number' || typeof stored === 'bigint') return stored;
  if (isLong(stored)) return stored.toBigInt();
  return isDouble(stored) || isInt32(stored) ? stored.value : undefined;
}

/** A decoded number may be an int or a double: what holds an int holds the double as well, within its bounds. */
function typeOf(stored: unknown): string | undefined {
  switch (typeof stored) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'long';
    case 'number':
      return 'double';
  }
  if (stored instanceof Date) return Number.isNaN(stored.getTime()) ? undefined : 'date';
  if (isObjectId(stored)) return 'objectId';
  if (isBinary(stored)) return 'binData';
  if (isDecimal128(stored)) return 'decimal';
  return isLong(stored) ? 'long' : numberOf(stored) === undefined ? undefined : 'double';
}
