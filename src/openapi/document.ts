/** A JSON Schema (2020-12) of the document. Bounds of 64-bit integers are bigint. */
export type Schema = Readonly<Record<string, unknown>>;

/** A part of the document that the library builds and that no code reads by type. */
export type DocumentPart = Readonly<Record<string, unknown>>;

/**
 * An OpenAPI 3.1.0 document. Its 64-bit bounds are bigint, which `JSON.stringify` refuses: `openapiText` writes it
 * exactly.
 */
export interface OpenapiDocument {
  readonly openapi: '3.1.0';
  readonly info: Info;
  readonly servers: readonly { readonly url: string }[];
  readonly security?: readonly SecurityRequirement[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  /** The operations by path, with the api's prefix, then by method in lower case. */
  readonly paths: Readonly<Record<string, DocumentPart>>;
  readonly components: { readonly [kind: string]: Readonly<Record<string, DocumentPart>> };
}

/** The document's `info`. */
export interface Info {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
  readonly contact?: Contact;
  readonly license?: License;
}

/** Whom to ask about the api. */
export interface Contact {
  readonly name?: string;
  readonly url?: string;
  readonly email?: string;
}

/** The licence of the api: an SPDX identifier, or a URL. */
export interface License {
  readonly name: string;
  readonly identifier?: string;
  readonly url?: string;
}

/** A way to authenticate, as OpenAPI describes it. */
export type SecurityScheme = { readonly description?: string } & (
  | { readonly type: 'http'; readonly scheme: string; readonly bearerFormat?: string }
  | { readonly type: 'apiKey'; readonly in: 'header' | 'query' | 'cookie'; readonly name: string }
  | { readonly type: 'oauth2'; readonly flows: Readonly<Record<string, OauthFlow>> }
  | { readonly type: 'openIdConnect'; readonly openIdConnectUrl: string }
  | { readonly type: 'mutualTLS' }
);

/** A flow of OAuth 2.0 (RFC 6749). */
export interface OauthFlow {
  readonly authorizationUrl?: string;
  readonly tokenUrl?: string;
  readonly refreshUrl?: string;
  readonly scopes: Readonly<Record<string, string>>;
}

/** Schemes that are needed together, by name, with the OAuth scopes of each. */
export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;
