import { ConfigurationError, type ProblemCode } from '../errors.ts';
import type { ResourceMiddleware } from '../middleware/exchange/context.ts';
import { checkCodes } from '../middleware/exchange/problem-codes.ts';
import { tryAll } from '../mistakes.ts';
import { definedOf, isObject } from '../model/value/plain-object.ts';
import { anArrayOf, anObject, aString, checkValue, oneOf, orUndefined } from '../options.ts';
import type { ServedResource } from '../resource/serve-resource.ts';
import type { Components } from './components.ts';
import type { Contact, DocumentPart, Info, License, OpenapiDocument, SecurityRequirement, SecurityScheme } from './document.ts';

/** Options of an api for its OpenAPI description. */
export interface DescriptionOptions {
  /** Title of the api. @default 'API' */
  readonly title?: string;
  /** Version of the api's contract, not of the software. @default '1.0.0' */
  readonly version?: string;
  /** The purpose of the api, in Markdown. @default none */
  readonly description?: string;
  /** Whom to ask about the api. @default none */
  readonly contact?: Contact;
  /** The licence of the api. @default none */
  readonly license?: License;
  /**
   * The ways in which clients authenticate, by a name for each. `authenticate` implements them.
   * @default none
   *
   * @example
   * securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } }
   */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  /**
   * The combinations of schemes that suffice. Each entry of the array names all schemes that it needs.
   *
   * @default each scheme by itself
   */
  readonly security?: readonly SecurityRequirement[];
  /**
   * The codes of problems that your app answers every operation with before the api does, such as those of a rate
   * limit.
   *
   * @default none
   *
   * @example
   * problems: ['too_many_requests']
   */
  readonly problems?: readonly ProblemCode[];
}

/** The names of {@link DescriptionOptions}. */
export const descriptionOptionNames = [
  'title',
  'version',
  'description',
  'contact',
  'license',
  'securitySchemes',
  'security',
  'problems',
] as const;

/** Operations of an api beside those of its resources. */
export interface DescribesItself {
  describe(api: ApiDescription, components: Components): PartOfDocument;
}

/** What a document gets of such operations. */
export type PartOfDocument = Pick<OpenapiDocument, 'paths' | 'tags'>;

/** The inputs of the description of an api. */
export interface ApiDescription {
  readonly info: Info;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  readonly security: readonly SecurityRequirement[];
  /** The problems that the application answers every operation with. */
  readonly problems: readonly ProblemCode[];
  readonly prefix: string;
  readonly resources: readonly ServedResource[];
  /** Whether requests have a principal. Otherwise no credentials can be asked for. */
  readonly authenticates: boolean;
  /** Whether every request has an id. */
  readonly givesIds: boolean;
  /** Whether the application replaces how problems are written: their bodies cannot be described then. */
  readonly writesProblems: boolean;
  /** The middlewares before the description. Undefined if it is not served: it does not describe itself then. */
  readonly beforeDocument: readonly ResourceMiddleware[] | undefined;
  /** The path of the description, if guards decide who may read it. */
  readonly guardedDocument: string | undefined;
  /** The parameters that plug-ins give to what runs through a chain. */
  parametersOf(chain: readonly ResourceMiddleware[], components: Components): readonly DocumentPart[];
  /** The rules that its models name. */
  readonly rules: readonly string[];
  /** The description of what callers see for whom these rules hold. */
  seenBy(held: ReadonlySet<string>): ApiDescription;
  /** The operations of plug-ins that are about no resource. */
  readonly beside: readonly DescribesItself[];
}

/**
 * The parts of an {@link ApiDescription} that the options decide. Throws a {@link ConfigurationError} that names an
 * invalid option.
 */
export function compileDescription(
  options: DescriptionOptions,
): Pick<ApiDescription, 'info' | 'securitySchemes' | 'security' | 'problems'> {
  const { title = 'API', version = '1.0.0', description, contact, license, securitySchemes = {}, security, problems = [] } = options;
  checkValue('`securitySchemes` of an api', securitySchemes, anObject('an object with a scheme for each name'));
  const schemes = Object.keys(securitySchemes);
  tryAll([
    ...Object.entries({ title, version, description }).map(
      ([option, value]) =>
        () =>
          checkValue(`\`${option}\` of an api`, value, orUndefined(aString)),
    ),
    ...Object.entries(securitySchemes).map(
      ([name, scheme]) =>
        () =>
          checkScheme(name, scheme),
    ),
    () => checkSecurity(security, schemes),
    () => checkCodes(problems, 'an api'),
  ]);
  return {
    info: { title, version, ...definedOf({ description, contact, license }) },
    securitySchemes,
    security: security ?? schemes.map((name) => ({ [name]: [] })),
    problems,
  };
}

const schemeType = oneOf('http', 'apiKey', 'oauth2', 'openIdConnect', 'mutualTLS');

function checkScheme(name: string, scheme: SecurityScheme): void {
  if (!/^[\w.-]+$/.test(name))
    throw new ConfigurationError(`\`securitySchemes\` of an api: \`${name}\` must be made of letters, digits, \`.\`, \`-\` and \`_\`.`);
  checkValue(`\`type\` of \`securitySchemes.${name}\``, scheme?.type, schemeType);
}

const requirements = orUndefined(
  anArrayOf('objects, such as { bearer: [] }', (one) => isObject(one) && Object.values(one).every(Array.isArray)),
);

function checkSecurity(security: readonly SecurityRequirement[] | undefined, schemes: readonly string[]): void {
  checkValue('`security` of an api', security, requirements);
  if (!security) return;
  const unknown = security.flatMap((requirement) => Object.keys(requirement)).find((name) => !schemes.includes(name));
  if (unknown !== undefined)
    throw new ConfigurationError(
      `\`security\` of an api names \`${unknown}\`, which is not one of its \`securitySchemes\`: ${schemes.join(', ') || 'there are none'}.`,
    );
}
