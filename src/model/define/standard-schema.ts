import { ConfigurationError, isConfigurationError } from '../../errors.ts';
import type { GivenSchema } from './raw-schema.ts';

/**
 * A schema of another library that can tell its JSON Schema and its types: https://standardschema.dev/json-schema.
 * Schemas of Zod (from 4.2) and ArkType (from 2.1.28) are such schemas, and those of Valibot if `toStandardJsonSchema`
 * of `@valibot/to-json-schema` has wrapped them.
 */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly jsonSchema: {
      readonly input: (options: StandardOptions) => Record<string, unknown>;
      readonly output: (options: StandardOptions) => Record<string, unknown>;
    };
  };
}

interface StandardOptions {
  readonly target: 'draft-2020-12';
  readonly libraryOptions?: Record<string, unknown> | undefined;
}

/** The type of a value that a schema has validated. */
export type OutputOf<S> = S extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly output: infer Output }
    ? Output
    : unknown
  : unknown;

/** The type of a value that a schema validates. */
export type InputOf<S> = S extends { readonly '~standard': { readonly types?: infer Types } }
  ? NonNullable<Types> extends { readonly input: infer Input }
    ? Input
    : unknown
  : unknown;

/** Asks a schema of another library for the JSON Schemas of its input and its output. Errors name `path`. */
export function askForSchemas(schema: StandardSchema, path: string): { readonly input: GivenSchema; readonly output: GivenSchema } {
  const { vendor, jsonSchema } = schema['~standard'];
  if (typeof jsonSchema?.input !== 'function' || typeof jsonSchema.output !== 'function') {
    throw new ConfigurationError(
      `The schema of \`${path}\` (of ${vendor}) cannot tell its JSON Schema: use Zod 4.2, ArkType 2.1.28 or a later version, or \`toStandardJsonSchema\` of @valibot/to-json-schema.`,
    );
  }
  const libraryOptions = strictness[vendor]?.(path);
  const ask = (direction: 'input' | 'output'): GivenSchema => {
    try {
      return jsonSchema[direction]({ target: 'draft-2020-12', ...(libraryOptions ? { libraryOptions } : {}) });
    } catch (error) {
      if (isConfigurationError(error)) throw error;
      throw notKept(path, (error as Error).message);
    }
  };
  return { input: ask('input'), output: ask('output') };
}

function notKept(path: string, why: string): ConfigurationError {
  return new ConfigurationError(
    `The schema of \`${path}\` has a rule that JSON Schema does not have: ${why.replace(/[.]?$/, '.')} Check such a rule in a \`check\` or in the handler, and use \`t\` for types that JSON does not have.`,
  );
}

/** The options of each vendor, by which it reports rules that its JSON Schema would otherwise lack silently. */
const strictness: Readonly<Record<string, (path: string) => Record<string, unknown>>> = {
  zod: (path) => ({ unrepresentable: 'any', override: (place: ZodPlace) => refuseZod(place, path) }),
  arktype: (path) => ({
    fallback({ code, base, predicate }: ArkTypePlace): object {
      if (predicate?.name === 'isParsableUrl') return base; // `string.url`, which is also `format: 'uri'`
      throw notKept(path, `\`${code}\` of ArkType.`);
    },
  }),
};

/** What ArkType reports about a rule that JSON Schema does not have. */
interface ArkTypePlace {
  readonly code: string;
  readonly base: object;
  readonly predicate?: { readonly name: string };
}

/** What Zod reports about each schema inside a schema. */
interface ZodPlace {
  readonly zodSchema: { readonly _zod: { readonly def: ZodDefinition } };
  readonly jsonSchema: { readOnly?: boolean };
  readonly path: readonly (string | number)[];
}

interface ZodDefinition {
  readonly type: string;
  readonly coerce?: boolean;
  readonly check?: string;
  readonly pattern?: RegExp;
  readonly format?: string;
  readonly protocol?: RegExp;
  readonly hostname?: RegExp;
  readonly normalize?: boolean;
  readonly checks?: readonly {
    readonly _zod: { readonly def: Pick<ZodDefinition, 'check' | 'pattern' | 'format' | 'protocol' | 'hostname' | 'normalize'> };
  }[];
  readonly values?: readonly unknown[];
  readonly in?: ZodPlace['zodSchema'];
}

/** Types of Zod that have no JSON, or that change values. */
const withoutJson: ReadonlySet<string> = new Set(
  'bigint symbol undefined void date map set transform nan custom function file promise catch success'.split(' '),
);

/** Checks of Zod that its JSON Schema does not show. */
const hiddenChecks: ReadonlySet<string> = new Set(['custom', 'overwrite', 'property', 'mime_type', 'size_equals', 'max_size', 'min_size']);

/**
 * Refuses what a JSON Schema of Zod would not show: refinements, changes of values, and types that JSON does not have.
 */
function refuseZod({ zodSchema, jsonSchema, path }: ZodPlace, root: string): void {
  const { def } = zodSchema._zod;
  const at = [root, ...path.filter((step, index) => step !== 'properties' || path[index - 1] === 'properties')].join('.');
  const checks = [def, ...(def.checks ?? []).map(({ _zod }) => _zod.def)];
  const hidden = checks.find(({ check, pattern }) => hiddenChecks.has(check ?? '') || /[imsvy]/.test(pattern?.flags ?? ''));
  const ofUrl = (['protocol', 'hostname', 'normalize'] as const).find((rule) => checks.some((one) => one.format === 'url' && one[rule]));
  if (ofUrl) throw notKept(at, `\`${ofUrl}\` of Zod.`);
  if (hidden) throw notKept(at, `\`${hidden.check}\` of Zod${hidden.pattern ? `, with the pattern ${hidden.pattern}` : ''}.`);
  const isPreprocess = def.type === 'pipe' && def.in?._zod.def.type === 'transform';
  if (withoutJson.has(def.type) || isPreprocess) throw notKept(at, `\`${isPreprocess ? 'preprocess' : def.type}\` of Zod.`);
  if (def.type === 'literal' && def.values?.some((value) => value === undefined || typeof value === 'bigint'))
    throw notKept(at, '`literal` of Zod, with a value that JSON does not have.');
  if (def.coerce) throw notKept(at, '`coerce` of Zod.');
  if (def.type === 'optional' && path.length === 0)
    throw new ConfigurationError(
      `\`${root}\` cannot be optional by itself: write \`t.optional(t.from(…))\` for a field that may be absent.`,
    );
  if (def.type === 'readonly') delete jsonSchema.readOnly; // it is about the object that Zod makes
}
