import { Problem } from '../errors.ts';
import { answerBody } from '../middleware/parts/answer-body.ts';
import type { Context } from '../middleware/parts/context.ts';
import { toProblem } from '../middleware/problems.ts';

/** Writes the answer of one operation as JSON. Throws if it is an error: then nothing of the batch is written. */
export function writeAnswer(ctx: Context): string {
  const { status } = ctx;
  if (status >= 400) throw new Problem({ status });
  const body = answerBody(ctx);
  const json = body === undefined ? '' : `,"body":${asJson(body, ctx)}`;
  return `{"status":${status}${header(ctx, 'ETag')}${header(ctx, 'Location')}${json}}`;
}

/** Writes the answer of an operation that was done, and of which a hook of `after` has failed. */
export function writeFailure(error: unknown): string {
  const problem = toProblem(error).toDocument();
  return `{"status":${problem.status},"body":${JSON.stringify(problem)}}`;
}

function header({ response }: Context, name: string): string {
  const value: string | undefined = response.get(name);
  return value ? `,${JSON.stringify(name.toLowerCase())}:${JSON.stringify(value)}` : '';
}

/** A text that is not JSON becomes a string. */
function asJson(body: Buffer, { response, result }: Context): string {
  const isOurs = result === undefined || result.value !== undefined;
  const text = body.toString();
  const isJson = response.is('json', '+json') !== false && (isOurs || parses(text));
  return isJson ? text : JSON.stringify(text);
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
