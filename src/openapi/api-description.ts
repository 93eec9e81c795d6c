import { ConfigurationError } from '../errors.ts';
import type { ResourceMiddleware } from '../middleware/parts/context.ts';
import { aText, checkValue, oneOf, orUndefined } from '../options.ts';
import type { ServedResource } from '../resource/chains.ts';
import type { Contact, Info, License, SecurityRequirement, SecurityScheme } from './document.ts';

/** What an api says of itself in its OpenAPI description. */
export interface DescriptionOptions {
  /** Title of the api. @default 'API' */
  readonly title?: string;
  /** Version of the api's contract, not of the software. @default '1.0.0' */
  readonly version?: string;
  /** What the api is for, in Markdown. @default none */
  readonly description?: string;
  /** Whom to ask about the api. @default none */
  readonly contact?: Contact;
  /** The licence of the api. @default none */
  readonly license?: License;
  /**
   * How clients authenticate, by a name for each way; `authenticate` is what does it. @default none
   *
   * @example
   * securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } }
   */
  readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>;
  /** Which schemes suffice: one entry of the list, with all schemes in it. @default each scheme by itself */
  readonly security?: readonly SecurityRequirement[];
}

/** The names of {@link DescriptionOptions}. */
export const descriptionOptionNames = ['title', 'version', 'description', 'contact', 'license', 'securitySchemes', 'security'] as const;

/** All that the description of an api is made from. */
export interface ApiDescription {
  readonly info: Info;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  readonly security: readonly SecurityRequirement[];
  readonly prefix: string;
  readonly resources: readonly ServedResource[];
  /** Whether requests have a principal: otherwise nobody can be asked for credentials. */
  readonly authenticates: boolean;
  /** Whether every request has an id. */
  readonly givesIds: boolean;
  /** Whether the application writes problems in a way of its own, which nobody can describe. */
  readonly writesProblems: boolean;
  /** What stands before the description; undefined where it is not served, and so no part of itself. */
  readonly beforeDocument: readonly ResourceMiddleware[] | undefined;
}

/** What of an {@link ApiDescription} the options decide; throws a {@link ConfigurationError} that names what is wrong. */
export function compileDescription(options: DescriptionOptions): Pick<ApiDescription, 'info' | 'securitySchemes' | 'security'> {
  const { title = 'API', version = '1.0.0', description, contact, license, securitySchemes = {}, security } = options;
  for (const [option, value] of Object.entries({ title, version, description })) {
    checkValue(`\`${option}\` of an api`, value, orUndefined(aText));
  }
  const schemes = Object.keys(securitySchemes);
  checkSchemes(securitySchemes);
  for (const name of (security ?? []).flatMap((requirement) => Object.keys(requirement))) {
    if (!schemes.includes(name)) {
      throw new ConfigurationError(
        `\`security\` of an api names \`${name}\`, which is none of its \`securitySchemes\`: ${schemes.join(', ') || 'there are none'}.`,
      );
    }
  }
  return {
    info: { title, version, ...defined({ description, contact, license }) },
    securitySchemes,
    security: security ?? schemes.map((name) => ({ [name]: [] })),
  };
}

const schemeType = oneOf('http', 'apiKey', 'oauth2', 'openIdConnect', 'mutualTLS');

function checkSchemes(schemes: Readonly<Record<string, SecurityScheme>>): void {
  for (const [name, scheme] of Object.entries(schemes)) {
    if (!/^[\w.-]+$/.test(name))
      throw new ConfigurationError(`\`securitySchemes\` of an api: \`${name}\` must be made of letters, digits, \`.\`, \`-\` and \`_\`.`);
    checkValue(`\`type\` of \`securitySchemes.${name}\``, scheme?.type, schemeType);
  }
}

function defined<T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as never;
}
