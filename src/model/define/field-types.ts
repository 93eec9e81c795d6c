import type { ChangesOf, CreateOf, DocumentOf, HasFields, PatchOf, ReadOf, RulesOf } from './infer.ts';
import type { RelationNames } from './relation-names.ts';
import type { Field, Fields } from './schema.ts';
import type { LeafTypes } from './value-types.ts';

/** The types of a field that is wrapped. */
export type TypesIn<F> = F extends Field<infer Types, infer _> ? Types : LeafTypes<unknown, unknown>;
/** The options of a field that is wrapped. */
export type OptionsIn<F> = F extends { readonly '~options': infer Options } ? Options : F;

/**
 * The options of a wrapped field. The wrapper's options override the inner ones; the two policies are merged, option by
 * option.
 */
export type Overlaid<Inner, Outer> = keyof Outer extends never ? Inner : Overlay<Inner, Outer>;
type Overlay<Inner, Outer> = Omit<Inner, keyof Outer> &
  Omit<Outer, 'policy'> &
  (Outer extends { readonly policy: infer P }
    ? { readonly policy: Inner extends { readonly policy: infer Q } ? Omit<Q, keyof P> & P : P }
    : Inner extends { readonly policy: infer Q }
      ? { readonly policy: Q }
      : unknown);

/** Refuses the schema of a value that may be undefined: `t.optional` says that a field may be absent. */
export type NotOptional<Value> = unknown extends Value ? unknown : undefined extends Value ? never : unknown;

/** An embedded object, as `t.object` returns it. */
export interface ObjectField<F extends Fields, Options = unknown>
  extends Field<
      {
        document: DocumentOf<F>;
        read: ReadOf<F>;
        create: CreateOf<F>;
        patch: PatchOf<F>;
        changes: ChangesOf<F>;
        rules: RulesOf<F>;
        relations: RelationNames<F>['references'];
      },
      Options
    >,
    HasFields<F> {}
