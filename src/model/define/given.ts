import type { Binary, Decimal128, ObjectId, UUID } from 'mongodb';

/**
 * A value as the application's own code may give it. A decimal may also be a number or a text, and a 64-bit integer a
 * number. An object may lack members, unless it is `whole`.
 */
export type Given<Value, Objects extends 'partial' | 'whole' = 'partial'> = Value extends Decimal128
  ? Value | string | number | bigint
  : Value extends bigint
    ? Value | number
    : Value extends Date | ObjectId | Uint8Array | Binary
      ? Value
      : Value extends readonly (infer Item)[]
        ? readonly Given<Item, Objects>[]
        : Value extends object
          ? Objects extends 'whole'
            ? { readonly [Key in keyof Value]: Given<Value[Key], Objects> }
            : { readonly [Key in keyof Value]?: Given<Value[Key], Objects> | undefined }
          : Value;

/** A value that a field is compared with. An id may also be given as its text. */
export type ComparedWith<Name, Value> = Name extends 'id'
  ? Given<Value> | string
  : Value extends ObjectId | UUID
    ? Value | string
    : Given<Value>;
