import type { Tool as ToolDefinition } from '@modelcontextprotocol/server';
import type { Api } from '../../api/api.ts';
import { compilePaths, segmentsOf } from '../../api/dispatch.ts';
import { openapiDocument } from '../../api/openapi-document.ts';
import { ConfigurationError } from '../../errors.ts';
import { didYouMean, listNames } from '../../hints.ts';
import { refuse } from '../../mistakes.ts';
import type { OpenapiDocument, Part } from '../../openapi/document.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import type { ServedResource } from '../../resource/serve-resource.ts';
import type { ServedOperation } from '../../resource/served-operations.ts';
import { compileInputs } from './compile-inputs.ts';
import { safeNames } from './safe-names.ts';
import type { Tool } from './tool.ts';

/** Clients put the name of the server in front of a tool's, and some of them allow 60 characters for both. */
const maxToolName = 40;

/** Which operations become tools. */
interface Choice {
  readonly operations?: readonly string[];
  readonly write?: boolean;
}

interface Candidate {
  /** The operation, such as `orders.list`. */
  readonly key: string;
  readonly resource: ServedResource;
  readonly place: ServedOperation;
}

/**
 * Makes a tool of each chosen operation, by the tool's name, as callers see the api for whom these rules hold. Without
 * `held`, all of them hold. Throws a {@link ConfigurationError} for an operation that cannot be a tool.
 */
export function compileTools(api: Api, choice: Choice, held?: ReadonlySet<string>): ReadonlyMap<string, Tool> {
  const all = candidatesOf(api.description);
  const names = safeNames(
    all.map(({ key }) => ({ wanted: key, subject: key })),
    { maxLength: maxToolName },
  );
  const description = held ? api.description.seenBy(held) : api.description;
  const served = held ? new Map(candidatesOf(description).map((candidate) => [candidate.key, candidate])) : undefined;
  const chosen = choose(all, choice).flatMap((candidate) => (served ? (served.get(candidate.key) ?? []) : candidate));
  const document = openapiDocument({ ...api, description });
  return new Map(
    chosen.map((candidate) => {
      const name = names.get(candidate.key) as string;
      const siblings = chosen
        .filter(({ resource }) => resource === candidate.resource)
        .map(({ place, key }) => [place.name, names.get(key) as string] as const);
      return [name, compileTool(name, candidate, new Map(siblings), { prefix: description.prefix, document })];
    }),
  );
}

function candidatesOf({ resources }: Api['description']): Candidate[] {
  return resources.flatMap((resource) =>
    resource.served.filter(({ twinOf }) => !twinOf).map((place) => ({ key: `${resource.path}.${place.name}`, resource, place })),
  );
}

function choose(all: readonly Candidate[], { operations, write = false }: Choice): Candidate[] {
  const isAllowed = ({ place }: Candidate) => write || place.method === 'GET';
  if (operations === undefined) {
    const allowed = all.filter(isAllowed);
    if (allowed.length === 0) throw new ConfigurationError('No operation of the api reads: set `write: true`.');
    return allowed;
  }
  const known = new Map(all.map((candidate) => [candidate.key, candidate]));
  refuse(operations.flatMap((key) => findMistake(key, known, isAllowed)));
  return all.filter(({ key }) => operations.includes(key));
}

function findMistake(key: string, known: ReadonlyMap<string, Candidate>, isAllowed: (candidate: Candidate) => boolean): string[] {
  const candidate = known.get(key);
  if (!candidate) {
    const hint = didYouMean(key, known.keys(), `. There are ${listNames(known.keys())}.`);
    return [`\`operations\` of an MCP server names \`${key}\`, which the api does not serve${hint}`];
  }
  return isAllowed(candidate) ? [] : [`\`${key}\` of \`operations\` of an MCP server writes: set \`write: true\` to allow it.`];
}

function compileTool(
  name: string,
  { key, resource, place }: Candidate,
  siblings: ReadonlyMap<string, string>,
  { prefix, document }: { readonly prefix: string; readonly document: OpenapiDocument },
): Tool {
  const below = place.path === '/' ? '' : place.path.replaceAll(/:(\w+)/g, '{$1}');
  const root = `${prefix}/${resource.path}`;
  const path = `${root}${below}`;
  const ofMethod = resource.served.filter(({ method }) => method === place.method);
  const find = compilePaths(new Map(ofMethod.map((one) => [one.path, one.path])));
  const item = document.paths[path] as Part;
  const operation = item[place.method.toLowerCase()] as Part;
  const hasOwnQuery = resource.operations.some((own) => own.name === place.name && own.query);
  const hasRevision = resource.model.revision !== undefined;
  const inputs = compileInputs({ item, operation, method: place.method, document, hasRevision, hasOwnQuery });
  const required = [...inputs].filter(([, input]) => input.required).map(([argument]) => argument);
  const inputSchema = {
    type: 'object',
    properties: Object.fromEntries([...inputs].map(([argument, { schema }]) => [argument, schema])),
    ...(required.length > 0 ? { required } : {}),
  };
  const definition: ToolDefinition = {
    name,
    description: describe(operation, place, resource),
    inputSchema: inputSchema as ToolDefinition['inputSchema'],
    annotations: annotationsOf(place),
  };
  const isOwnPath = (sent: string) => find(segmentsOf(sent.slice(root.length)))?.target === place.path;
  return { operation: key, definition, method: place.method, path, isOwnPath, inputs, siblings };
}

/** The list of a resource also tells what the resource is. */
function describe({ summary, description }: Part, { name }: ServedOperation, resource: CompiledResource): string {
  const own = description === summary ? `${summary}.` : `${summary}. ${description}`;
  return name === 'list' ? `${own} ${resource.description}` : own;
}

/** Operations that add something, and change nothing that is there. */
const additive = /^(?:create|restore|.*\.(?:create|add))$/;

/** Operations that change nothing more if they are done twice. */
const idempotent = /^(?:put|delete|restore|.*\.(?:add|remove))$/;

function annotationsOf({ method, name }: ServedOperation): NonNullable<ToolDefinition['annotations']> {
  if (method === 'GET') return { readOnlyHint: true };
  return { readOnlyHint: false, destructiveHint: !additive.test(name), ...(idempotent.test(name) ? { idempotentHint: true } : {}) };
}
