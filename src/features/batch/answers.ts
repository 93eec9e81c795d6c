import { Problem } from '../../errors.ts';
import { answerBody } from '../../middleware/exchange/answer-body.ts';
import type { Context } from '../../middleware/exchange/context.ts';
import { toProblem } from '../../middleware/problems.ts';

/** The JSON of one answer, in parts: the body is not copied. */
type Answer = readonly Buffer[];

const comma = Buffer.from(',');

/**
 * The answers of a batch, which together may have so many bytes. Whatever holds memory until the batch has ended
 * counts.
 */
export class Answers {
  readonly #max: number;
  readonly #answers: Answer[] = [];
  #bytes = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Forgets all answers: the transaction begins again. */
  clear(): void {
    this.#answers.length = 0;
    this.#bytes = 0;
  }

  /**
   * Adds the answer of the next operation. Throws if it is an error, and 413 if there is no more room: then nothing of
   * the batch is written. An answer without a body counts as its record, which is kept for the hooks of `after`.
   */
  add(ctx: Context): void {
    const { status, record } = ctx;
    const body = answerBody(ctx); // which refuses an answer that was taken over, whatever its status
    if (status >= 400) throw new Problem({ status });
    if (body && this.#bytes + body.length > this.#max) throw tooLarge(this.#max);
    const head = `{"status":${status}${header(ctx, 'ETag')}${header(ctx, 'Location')}`;
    const answer = body ? [Buffer.from(`${head},"body":`), asJson(body, ctx), Buffer.from('}')] : [Buffer.from(`${head}}`)];
    for (const part of answer) this.#bytes += part.length;
    if (!body && record) this.#bytes += record.size;
    if (this.#bytes > this.#max) throw tooLarge(this.#max);
    this.#answers.push(answer);
  }

  /** Replaces the answer of an operation that was done, and of which a hook of `after` has failed. */
  fail(index: number, error: unknown): void {
    const problem = toProblem(error).toDocument();
    this.#answers[index] = [Buffer.from(`{"status":${problem.status},"body":${JSON.stringify(problem)}}`)];
  }

  /** The JSON of all answers. */
  toJson(): Buffer {
    const items = this.#answers.flatMap((answer, index) => (index > 0 ? [comma, ...answer] : answer));
    return Buffer.concat([Buffer.from('{"data":['), ...items, Buffer.from(']}')]);
  }
}

function tooLarge(max: number): Problem {
  const detail = `The answer would have more than ${max} bytes, and nothing was written: send fewer operations in a batch.`;
  return new Problem({ code: 'body_too_large', detail });
}

function header({ response }: Context, name: string): string {
  const value: string | undefined = response.get(name);
  return value ? `,${JSON.stringify(name.toLowerCase())}:${JSON.stringify(value)}` : '';
}

/** A text that is not JSON becomes a string. */
function asJson(body: Buffer, { response, result }: Context): Buffer {
  const isOurs = result === undefined || result.value !== undefined;
  const isJson = response.is('json', '+json') !== false && (isOurs || parses(body.toString()));
  return isJson ? body : Buffer.from(JSON.stringify(body.toString()));
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
