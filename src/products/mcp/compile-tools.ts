import type { Tool as ToolDefinition } from '@modelcontextprotocol/server';
import type { Api } from '../../api/api.ts';
import { openapiDocument } from '../../api/openapi-document.ts';
import { ConfigurationError } from '../../errors.ts';
import { didYouMean, listNames } from '../../hints.ts';
import { refuse } from '../../mistakes.ts';
import type { DocumentPart, OpenapiDocument } from '../../openapi/document.ts';
import type { CompiledResource } from '../../resource/define/compiled-resource.ts';
import { isList, showsRecords } from '../../resource/define/standard-operations.ts';
import type { ServedResource, ServedRow } from '../../resource/serve-resource.ts';
import { endpointsOf, templateOf, usualOf } from '../../resource/table/row.ts';
import { compileInputs } from './compile-inputs.ts';
import { safeNames } from './safe-names.ts';
import type { ReadingTools, Tool } from './tool.ts';

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
  readonly row: ServedRow;
}

/**
 * Makes a tool of each chosen operation, by the tool's name, as callers see the api for whom these rules hold. Without
 * `held`, all of them hold. Throws a {@link ConfigurationError} for an operation that cannot be a tool.
 */
export function compileTools(api: Api, choice: Choice, held?: ReadonlySet<string>): ReadonlyMap<string, Tool> {
  const all = candidatesOf(api.description);
  const description = held ? api.description.seenBy(held) : api.description;
  const served = new Map(candidatesOf(description).map((candidate) => [candidate.key, candidate]));
  // What the caller does not know takes no name from what it knows.
  const wanted = [...served.keys()].map((key) => ({ wanted: key, subject: key }));
  const names = safeNames(wanted, { maxLength: maxToolName });
  const chosen = choose(all, choice).flatMap(({ key }) => served.get(key) ?? []);
  const document = openapiDocument({ ...api, description });
  return new Map(
    chosen.map((candidate) => {
      const name = names.get(candidate.key) as string;
      const siblings = chosen.filter(({ resource }) => resource === candidate.resource);
      const nameWhere = (reads: (row: ServedRow) => boolean) => names.get(siblings.find(({ row }) => reads(row))?.key ?? '');
      const reading = { one: nameWhere(readsRecord), many: nameWhere(readsList) };
      return [name, compileTool(name, candidate, reading, api, document)];
    }),
  );
}

function candidatesOf({ resources }: Api['description']): Candidate[] {
  return resources.flatMap((resource) =>
    endpointsOf(resource.rows)
      .map(usualOf)
      .filter(({ twinOf }) => !twinOf)
      .map((row) => ({ key: `${resource.path}.${row.name}`, resource, row })),
  );
}

function choose(all: readonly Candidate[], { operations, write = false }: Choice): Candidate[] {
  const isAllowed = ({ row }: Candidate) => write || row.method === 'GET';
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

function compileTool(name: string, { key, resource, row }: Candidate, reading: ReadingTools, api: Api, document: OpenapiDocument): Tool {
  const path = templateOf(`${api.description.prefix}/${resource.path}`, row.path);
  const item = document.paths[path] as DocumentPart;
  const operation = item[row.method.toLowerCase()] as DocumentPart;
  const hasOwnQuery = resource.operations.some((own) => own.name === row.name && own.query);
  const hasRevision = resource.model.revision !== undefined;
  const inputs = compileInputs({ item, operation, method: row.method, document, hasRevision, hasOwnQuery });
  const required = [...inputs].filter(([, input]) => input.required).map(([argument]) => argument);
  const inputSchema = {
    type: 'object',
    properties: Object.fromEntries([...inputs].map(([argument, { schema }]) => [argument, schema])),
    ...(required.length > 0 ? { required } : {}),
  };
  const definition: ToolDefinition = {
    name,
    description: describe(operation, row, resource),
    inputSchema: inputSchema as ToolDefinition['inputSchema'],
    annotations: annotationsOf(row),
  };
  const isOwnPath = (sent: string) => api.operationAt(row.method, sent) === row.name;
  return { operation: key, definition, method: row.method, path, isOwnPath, inputs, reading };
}

/** The list of a resource also tells what the resource is. */
function describe({ summary, description }: DocumentPart, row: ServedRow, resource: CompiledResource): string {
  const own = description === summary ? `${summary}.` : `${summary}. ${description}`;
  return readsList(row) ? `${own} ${resource.description}` : own;
}

function readsRecord({ subject }: ServedRow): boolean {
  return subject.kind === 'standard' && showsRecords([subject.operation]);
}

function readsList({ subject }: ServedRow): boolean {
  return subject.kind === 'standard' && isList(subject.operation);
}

function annotationsOf({ method, isAdditive, isIdempotent }: ServedRow): NonNullable<ToolDefinition['annotations']> {
  if (method === 'GET') return { readOnlyHint: true };
  return { readOnlyHint: false, destructiveHint: !isAdditive, ...(isIdempotent ? { idempotentHint: true } : {}) };
}
