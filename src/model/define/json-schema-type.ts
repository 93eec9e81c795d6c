/**
 * Which type of a JSON Schema is meant: the one of a request body that was read, of a document, of what a client reads
 * or creates; or, with `untyped`, of a value inside of alternatives, whose schema is checked but not read field by
 * field.
 */
type Form = 'body' | 'document' | 'read' | 'create' | 'untyped';

/**
 * The type of a value that a JSON Schema describes. What cannot be known is `unknown`: a schema whose literal types are
 * lost, and a reference that is followed for the seventh time or leads back to where it came from. The type is never
 * narrower than what the schema accepts.
 */
export type TypeOfSchema<S, As extends Form, Root = S, Way extends readonly unknown[] = []> = S extends false
  ? never
  : S extends { readonly $ref: infer Ref }
    ? TypeOfSchema<Find<Root, Ref, Way>, As, Root, [...Way, Ref]> | NullOf<S, As>
    :
        | (ByType<S, As, Root, Way> &
            ByValues<S> &
            ByAlternatives<S, 'anyOf', As, Root, Way> &
            ByAlternatives<S, 'oneOf', As, Root, Way> &
            (S extends { readonly allOf: infer All } ? AllOf<All, Root, Way> : unknown))
        | NullOf<S, As>;

/** The schema that a reference leads to, or one that allows everything. */
type Find<Root, Ref, Way extends readonly unknown[]> = Ref extends Way[number]
  ? unknown
  : Way['length'] extends 6
    ? unknown
    : Ref extends `${string}${'~' | '%'}${string}` // an escaped name
      ? unknown
      : Ref extends `#/${infer Path}`
        ? AtPath<Root, Path>
        : unknown;

type AtPath<S, Path extends string> = Path extends `${infer Step}/${infer Rest}` ? AtPath<Member<S, Step>, Rest> : Member<S, Path>;
type Member<S, Name extends string> = Name extends keyof S ? S[Name] : unknown;

/**
 * Null, where the library reads a field that may be null (see `unwrapNull`): an alternative of its own, a type or a
 * member of an enum.
 */
type NullOf<S, As> = As extends 'untyped'
  ? never
  :
      | (S extends { readonly anyOf: readonly (infer Branch)[] } ? NullBranch<Branch> : never)
      | (S extends { readonly oneOf: readonly (infer Branch)[] } ? NullBranch<Branch> : never)
      | (S extends { readonly type: readonly (infer Name)[] } ? (Name extends 'null' ? null : never) : never)
      | (S extends { readonly enum: readonly (infer Value)[] } ? (Value extends null ? null : never) : never);
type NullBranch<Branch> = Branch extends { readonly type: 'null' } ? (keyof Branch extends 'type' ? null : never) : never;

/** The values of a `type`. What is stored by `bsonType`, only the builders of `t` have types for. */
type ByType<S, As extends Form, Root, Way extends readonly unknown[]> = S extends { readonly bsonType: unknown }
  ? unknown
  : S extends { readonly type: infer Name }
    ? Name extends readonly ['null', infer Only] | readonly [infer Only, 'null']
      ? OfType<Only, S, As, Root, Way> | null
      : Name extends readonly (infer One)[]
        ? OfType<One, S, 'untyped', Root, Way>
        : OfType<Name, S, As, Root, Way>
    : unknown;

type OfType<Name, S, As extends Form, Root, Way extends readonly unknown[]> = Name extends 'string'
  ? string
  : Name extends 'boolean'
    ? boolean
    : Name extends 'null'
      ? null
      : Name extends 'integer' | 'number'
        ? As extends 'untyped'
          ? number | bigint
          : S extends { readonly format: 'int64' }
            ? number | bigint
            : keyof S & ('enum' | 'const') extends never
              ? number
              : number | bigint
        : Name extends 'array'
          ? OfArray<S, keyof S & ('prefixItems' | 'contains') extends never ? As : 'untyped', Root, Way>
          : Name extends 'object'
            ? OfObject<S, keyof S & 'patternProperties' extends never ? As : 'untyped', Root, Way>
            : unknown;

/** The types of constants. In an untyped value, a whole number beyond 32 bits is a bigint. */
type ByValues<S> = (S extends { readonly const: infer Value } ? Constant<Value> : unknown) &
  (S extends { readonly enum: readonly (infer Value)[] } ? Constant<Value> : unknown);
type Constant<Value> = Value extends number
  ? number extends Value
    ? number | bigint
    : `${Value}` extends `${infer _1}${infer _2}${infer _3}${infer _4}${infer _5}${infer _6}${infer _7}${infer _8}${infer _9}${infer _10}`
      ? Value | bigint // it has nine characters or more
      : Value
  : Value extends object
    ? { readonly [Key in keyof Value]: Constant<Value[Key]> }
    : Value;

/** The values of `anyOf` or `oneOf`. The library reads an alternative field by field only beside null. */
type ByAlternatives<S, Keyword extends 'anyOf' | 'oneOf', As extends Form, Root, Way extends readonly unknown[]> = S extends {
  readonly [K in Keyword]: infer Branches extends readonly unknown[];
}
  ? Branches extends readonly [infer One, infer Other]
    ? [NullBranch<One> | NullBranch<Other>] extends [never]
      ? TypeOfSchema<One | Other, 'untyped', Root, Way>
      : TypeOfSchema<One | Other, As, Root, Way>
    : TypeOfSchema<Branches[number], 'untyped', Root, Way>
  : unknown;

type AllOf<All, Root, Way extends readonly unknown[]> = All extends readonly [infer First, ...infer Rest]
  ? TypeOfSchema<First, 'untyped', Root, Way> & AllOf<Rest, Root, Way>
  : unknown;

type OfArray<S, As extends Form, Root, Way extends readonly unknown[]> = S extends {
  readonly prefixItems: infer First extends readonly unknown[];
}
  ? number extends First['length']
    ? unknown[]
    : OfTuple<First, S extends { readonly minItems: infer Least extends number } ? Least : 0, OfRest<S, First, Root, Way>, Root, Way>
  : S extends { readonly items: infer Item }
    ? As extends 'create'
      ? readonly TypeOfSchema<Item, As, Root, Way>[]
      : TypeOfSchema<Item, As, Root, Way>[]
    : unknown[];

/** The items of a tuple that `minItems` does not count may be absent. */
type OfTuple<
  Items extends readonly unknown[],
  Least,
  Others extends unknown[],
  Root,
  Way extends readonly unknown[],
  Done extends unknown[] = [],
> = Done['length'] extends Least
  ? [...Done, ...Partial<OfEach<Items, Root, Way>>, ...Others]
  : Items extends readonly [infer First, ...infer Rest]
    ? OfTuple<Rest, Least, Others, Root, Way, [...Done, TypeOfSchema<First, 'untyped', Root, Way>]>
    : [...Done, ...Others];
type OfEach<Items extends readonly unknown[], Root, Way extends readonly unknown[]> = {
  -readonly [Index in keyof Items]: TypeOfSchema<Items[Index], 'untyped', Root, Way>;
};
type OfRest<S, First extends readonly unknown[], Root, Way extends readonly unknown[]> = S extends
  | { readonly items: false }
  | { readonly maxItems: First['length'] }
  ? []
  : S extends { readonly items: infer Item }
    ? TypeOfSchema<Item, 'untyped', Root, Way>[]
    : unknown[];

type OfObject<S, As extends Form, Root, Way extends readonly unknown[]> = S extends { readonly properties: infer Properties }
  ? string extends keyof Properties
    ? Record<string, unknown>
    : Simplify<OfMembers<Properties, RequiredOf<S>, As, Root, Way> & OfOthers<S, keyof Properties, As>>
  : 'properties' extends keyof S
    ? Record<string, unknown>
    : S extends { readonly additionalProperties: infer Values }
      ? Simplify<
          Record<string, keyof S & 'patternProperties' extends never ? TypeOfSchema<Values, As, Root, Way> : unknown> &
            OfOthers<S, never, As>
        >
      : Simplify<Record<string, unknown> & OfOthers<S, never, As>>;

type Simplify<T> = { [K in keyof T]: T[K] } & {};

/** The names that are certainly required. */
type RequiredOf<S> = S extends { readonly required: infer Names extends readonly string[] }
  ? number extends Names['length']
    ? never
    : Names[number]
  : never;

type OfMembers<P, Required, As extends Form, Root, Way extends readonly unknown[]> = {
  -readonly [K in keyof P as Presence<P[K], K, Required, As, Root, Way> extends 'present' ? K : never]: TypeOfSchema<P[K], As, Root, Way>;
} & {
  -readonly [K in keyof P as Presence<P[K], K, Required, As, Root, Way> extends 'optional' ? K : never]?: TypeOfSchema<P[K], As, Root, Way>;
};

/**
 * The schema that decides whether a member is there. One with `~` is of `t` or TypeBox, and may be optional by itself.
 */
type Facts<S> =
  | (S extends { readonly policy: { readonly private: true } | { readonly read: false } } ? 'private' : never)
  | (S extends unknown ? keyof S & ('default' | 'policy' | 'storeNone' | `~${string}`) : never)
  | (NullOf<S, 'body'> extends never ? never : 'null');

/** Whether a member is there. A nullable field is null until it is set, and a body has its defaults. */
type Presence<S, Key, Required, As extends Form, Root, Way extends readonly unknown[], Known = Facts<Chain<S, Root>>> = [
  'private',
  As,
] extends [Known, 'read']
  ? 'hidden'
  : Known & Unsure[As] extends never
    ? (Key extends string | number ? `${Key}` : never) extends Required
      ? 'present'
      : Known & Sure[As] extends never
        ? 'optional'
        : 'storeNone' extends Known
          ? 'optional'
          : Exclude<TypeOfSchema<S, As, Root, Way>, null> extends never // nothing but null is a value like any other
            ? 'optional'
            : 'present'
    : 'optional';
type Unsure = Readonly<Record<'body' | 'document' | 'read' | 'untyped', `~${string}`>> & {
  readonly create: `~${string}` | 'null' | 'default' | 'policy';
};
type Sure = Readonly<Record<'create' | 'untyped', never>> & {
  readonly body: 'null' | 'default';
  readonly document: 'null';
  readonly read: 'null';
};

/** A schema, the schemas that its reference leads to, and the alternative beside null. */
type Chain<S, Root, Way extends readonly unknown[] = []> = S extends { readonly $ref: infer Ref }
  ? S | Chain<Find<Root, Ref, Way>, Root, [...Way, Ref]>
  : S extends { readonly anyOf: readonly [infer One, infer Other] } | { readonly oneOf: readonly [infer One, infer Other] }
    ? S | ([NullBranch<One> | NullBranch<Other>] extends [never] ? never : Chain<One | Other, Root, Way>)
    : S;

/** The members that an object may have beside its `properties`: only one that is read field by field has none. */
type OfOthers<S, Names, As extends Form> = As extends 'untyped'
  ? (S extends { readonly additionalProperties: false }
      ? keyof S & 'patternProperties' extends never
        ? unknown
        : Record<string, unknown>
      : Record<string, unknown>) & { [K in Exclude<RequiredOf<S>, Names>]: unknown }
  : unknown;
