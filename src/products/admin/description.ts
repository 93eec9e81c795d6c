import type { DataProviderOptions, Send } from './client.ts';
import { isObject } from './is-object.ts';
import { resolve, type Schema, type Schemas } from './schemas.ts';

/** The facts about a resource that the OpenAPI description has. */
export interface Description {
  /** The parameters of its list, with the schemas of their values. */
  readonly parameters: ReadonlyMap<string, Schema>;
  /** The body of a create and of a patch. */
  readonly create: Schema | undefined;
  readonly patch: Schema | undefined;
  /** The fields that its lists can be sorted by. */
  readonly sortable: ReadonlySet<unknown>;
  /** Whether records have a revision that `If-Match` can name. */
  readonly hasRevision: boolean;
  readonly schemas: Schemas;
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses?: Readonly<Record<string, Body & { readonly headers?: object }>>;
}

interface Body {
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>;
}

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly schema?: Schema;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Schemas };
}

/** Describes resources by the description of their api, which is read when the first of them is needed. */
export function createDescriber(url: string, { openapi, revision = 'revision' }: DataProviderOptions, send: Send) {
  const known = new Map<string, Description>();
  let document: Promise<Document> | undefined;

  /** A failure is not kept: the next request tries again. */
  function readDocument(): Promise<Document> {
    document ??=
      typeof openapi === 'object'
        ? Promise.resolve(openapi as Document)
        : send('GET', openapi ?? `${url}/openapi.json`, { isAnswer: isDocument });
    document.catch(() => {
      document = undefined;
    });
    return document;
  }

  return async function describe(resource: string): Promise<Description> {
    const description = known.get(resource) ?? describeResource(await readDocument(), pathOf(url), resource, revision);
    known.set(resource, description);
    return description;
  };
}

function describeResource({ paths, components }: Document, base: string, resource: string, revision: string): Description {
  const address = `${base}/${resource}`;
  const [path] = Object.keys(paths)
    .filter((path) => address.endsWith(path))
    .sort((a, b) => b.length - a.length);
  if (path === undefined)
    throw new Error(`The description of the api has no resource "${resource}". Its paths are ${Object.keys(paths).join(', ')}.`);
  const schemas = components?.schemas ?? {};
  const collection = paths[path] ?? {};
  const record = paths[`${path}/{id}`] ?? {};
  const parameters = new Map(collection.get?.parameters?.map(({ name = '', schema = {} }) => [name, schema]));
  const answer = (record.get ?? record.patch)?.responses?.[200];
  const hasRevision = 'ETag' in (answer?.headers ?? {});
  const read = resolve(schemaOf(answer), schemas).properties?.data;
  if (hasRevision && !resolve(read, schemas).properties?.[revision])
    throw new Error(`The records of "${resource}" have a revision that is not called "${revision}". Set the option \`revision\`.`);
  return {
    parameters,
    create: schemaOf(collection.post?.requestBody),
    patch: schemaOf(record.patch?.requestBody),
    sortable: new Set(parameters.get('sort')?.items?.enum),
    hasRevision,
    schemas,
  };
}

function isDocument(json: unknown): json is Document {
  return isObject(json) && isObject(json.paths);
}

function schemaOf(body: Body | undefined): Schema | undefined {
  return body?.content?.['application/json']?.schema;
}

/** The path that a URL has, without its host. */
function pathOf(url: string): string {
  return new URL(url, 'http://here').pathname.replace(/\/$/, '');
}
