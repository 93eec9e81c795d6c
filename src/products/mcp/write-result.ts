import type { CallToolResult } from '@modelcontextprotocol/server';
import { explainProblem } from './explain-problem.ts';
import type { Tool } from './tool.ts';

/** How many bytes of a problem are read. Those of the library are smaller. */
const maxProblem = 262_144;

/**
 * Turns the answer of the api into the result of a call. No more than `maxAnswer` bytes of it are read, and of a
 * problem as many are shown.
 */
export async function writeResult(tool: Tool, response: Response, maxAnswer: number): Promise<CallToolResult> {
  const isProblem = response.status >= 400;
  const text = await readText(response, isProblem ? maxProblem : maxAnswer);
  if (isProblem) return explainProblem(tool, response, text ?? '', maxAnswer);
  if (text === undefined) return tooLarge(tool, maxAnswer);
  return { content: [{ type: 'text', text: text === '' ? describeEmpty(response) : text }] };
}

function describeEmpty({ status, headers }: Response): string {
  const location = headers.get('location');
  return `Done (${status})${location === null ? '' : `: ${location}`}.`;
}

/** The text of an answer, undefined if it is larger. What is not text is only named. */
async function readText(response: Response, maxBytes: number): Promise<string | undefined> {
  const { body, headers } = response;
  if (body === null) return '';
  const type = headers.get('content-type') ?? '';
  const isText = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml)\b)/i.test(type);
  if (!isText || Number(headers.get('content-length')) > maxBytes) {
    await body.cancel();
    return isText ? undefined : `The answer is ${type || 'of an unknown type'}, which is not shown here.`;
  }
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) return undefined; // leaving the loop cancels the body
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** A write has been carried out: an error would make the model do it again. */
function tooLarge({ method, inputs, reading }: Tool, maxBytes: number): CallToolResult {
  const size = `more than ${maxBytes} bytes`;
  if (method !== 'GET') {
    const hint = reading.one ? ` Read it by \`${reading.one}\`.` : '';
    return { content: [{ type: 'text', text: `Done. The answer has ${size} and is not shown.${hint}` }] };
  }
  const less = ['limit', 'fields', 'include'].filter((name) => inputs.has(name)).map((name) => lessBy[name]);
  const hint = less.length > 0 ? ` Ask for less: ${less.join(', ')}.` : '';
  return { isError: true, content: [{ type: 'text', text: `The answer has ${size}.${hint}` }] };
}

const lessBy: Readonly<Record<string, string>> = {
  limit: 'a smaller `limit`',
  fields: 'only some `fields`',
  include: 'without `include`',
};
