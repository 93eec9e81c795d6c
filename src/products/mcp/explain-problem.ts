import type { CallToolResult } from '@modelcontextprotocol/server';
import { isObject } from '../../model/value/plain-object.ts';
import type { Tool } from './tool.ts';

interface ProblemParts {
  readonly title?: unknown;
  readonly detail?: unknown;
  readonly code?: unknown;
  readonly errors?: unknown;
}

/** An error of one argument. */
interface ArgumentError {
  readonly argument: string;
  readonly message: string;
  readonly rule?: unknown;
}

/**
 * Turns a problem document into a tool error: what is wrong, in the names of the arguments, and how the model can mend
 * it. It has the first errors, as many as fit into about `maxAnswer` characters.
 */
export function explainProblem(tool: Tool, response: Response, text: string, maxAnswer: number): CallToolResult {
  const problem = parseProblem(text);
  const { status } = response;
  const code = typeof problem.code === 'string' ? problem.code : undefined;
  const title = typeof problem.title === 'string' ? problem.title : `HTTP ${status}`;
  const detail = typeof problem.detail === 'string' ? inArguments(tool, problem.detail.replace(/;? ?see "errors"\.$/, '.')) : undefined;
  const all = errorsOf(tool, problem.errors);
  const errors = firstOf(all, maxAnswer);
  const untold = all.length - errors.length;
  const hint = hintFor(tool, { status, code, retryAfter: response.headers.get('retry-after') });
  const own = Object.keys(problem).length === 0 && text !== '' ? text.slice(0, maxAnswer) : undefined; // the application writes its errors in another form
  const lines = [
    `${title} (${code ?? status})${detail ? `: ${detail}` : ''}`,
    ...errors.map(({ argument, message }) => `- ${argument}: ${message}`),
    ...(untold > 0 ? [`- and ${untold} more`] : []),
    ...[own, hint].filter((line) => line !== undefined),
  ];
  const structuredContent = { status, ...(code ? { code } : {}), ...(errors.length > 0 ? { errors } : {}), ...(hint ? { hint } : {}) };
  return { isError: true, content: [{ type: 'text', text: lines.join('\n') }], structuredContent };
}

/** The members of a problem document; none if the application writes its errors in another form. */
export function parseProblem(text: string): ProblemParts {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function errorsOf(tool: Tool, errors: unknown): ArgumentError[] {
  if (!Array.isArray(errors)) return [];
  return errors.filter(isObject).map(({ field, message, rule }) => ({
    argument: toArgument(tool, String(field ?? '')),
    message: inArguments(tool, String(message ?? '')),
    ...(rule === undefined ? {} : { rule }),
  }));
}

/** The first errors, and at least one. Each is given twice: in words, and as data. */
function firstOf(errors: readonly ArgumentError[], maxCharacters: number): readonly ArgumentError[] {
  let characters = 0;
  const end = errors.findIndex(({ argument, message }, index) => {
    characters += 2 * (argument.length + message.length);
    return characters > maxCharacters && index > 0;
  });
  return end === -1 ? errors : errors.slice(0, end);
}

/** A field is in the body, or is a parameter of the query. */
function toArgument({ inputs }: Tool, field: string): string {
  const [parameter] = [...inputs].find(([, { name }]) => name === field || name === `${field}[eq]`) ?? [];
  if (parameter !== undefined && parameter !== 'body') return parameter;
  if (inputs.has('body')) return field === '' ? 'body' : `body.${field}`;
  return field;
}

/** Renames headers and parameters in messages of the api to the names of the arguments. */
function inArguments({ inputs }: Tool, text: string): string {
  const named = [...inputs].filter(([name, input]) => name !== input.name);
  return named.reduce((all, [name, input]) => {
    const bare = input.in === 'header' ? input.name : `\`${input.name}\``;
    return all.replaceAll(bare, `\`${name}\``);
  }, text);
}

interface Failure {
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfter: string | null;
}

/** Advice for the model. */
function hintFor({ inputs, reading, method }: Tool, { status, code, retryAfter }: Failure): string | undefined {
  const { one, many } = reading;
  const takesRevision = inputs.has('if_match');
  if (code === 'write_outcome_unknown')
    return `It may have been carried out: ${one || many ? `look by \`${one ?? many}\`` : 'look'} before you repeat it.`;
  if (code === 'write_timeout')
    return `Nothing was written. Try again in ${retryAfter ?? 1} s. If it takes too long again, the call does too much at once.`;
  if (code === 'too_many_matches' && inputs.has('group')) return askForFewer(inputs);
  if (code === 'invalid_cursor')
    return 'Begin again without a cursor. For the next page, pass `page.next_cursor` with the same filters and sort.';
  if (code === 'precondition_failed' && takesRevision)
    return `Read the record again${one ? ` by \`${one}\`` : ''}, and decide with its new \`revision\` as \`if_match\`.`;
  if (code === 'precondition_required' && takesRevision)
    return `Pass \`if_match\`: the \`revision\` of the record${one ? `, as \`${one}\` shows it` : ''}.`;
  if (status === 401) return 'The credentials of this connection are missing or not valid. Other arguments do not help: tell the user.';
  if (status === 403) return 'The caller of this connection may not do this. Other arguments do not help: tell the user.';
  if (status === 404 && many) return `Find existing ids by \`${many}\`.`;
  if (status === 429 || status === 503 || (status === 504 && method === 'GET')) return `Try again in ${retryAfter ?? 1} s.`;
  if (status >= 500) return 'It is an error of the service, and not of the arguments.';
  return undefined;
}

/** How an aggregate is made smaller. The problem says whether it is about records or groups. */
function askForFewer(inputs: Tool['inputs']): string {
  const hasFilters = inputs.has('filter') || [...inputs.values()].some(({ name }) => name.endsWith(']'));
  const hasSpans = JSON.stringify(inputs.get('group')?.schema).includes('[year]');
  const spans = hasSpans ? ', or longer spans of dates,' : '';
  return `${hasFilters ? 'More filters match fewer records. ' : ''}Fewer fields in \`group\`${spans} make fewer groups. With \`limit\`, they come in pages.`;
}
