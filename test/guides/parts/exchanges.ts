import { blocksOf } from '../../support/docs/pages.ts';
import { type Answer, send } from '../../support/http/serve.ts';

/** A request that a page shows in an `http` block, with the answer that it shows below. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly status: number;
  /** Those that the page shows: an answer may have more. */
  readonly answerHeaders: readonly (readonly [name: string, value: string])[];
  readonly answerBody: string;
}

/** The exchanges of a page, in their order. */
export function exchangesOf(page: string): Exchange[] {
  return blocksOf(page)
    .filter(({ language }) => language === 'http')
    .map(({ code }) => readExchange(code));
}

function readExchange(code: string): Exchange {
  const [, request = '', status = '', answer = ''] = /^([\s\S]*?)^HTTP\/1\.1 (\d+) [^\n]+\n([\s\S]*)$/m.exec(code) ?? [];
  const [line = '', ...lines] = headOf(request);
  const [method = '', path = ''] = line.split(' ');
  const body = bodyOf(request);
  return {
    method,
    path,
    headers: Object.fromEntries(lines.map(readHeader)),
    ...(body && { body }),
    status: Number(status),
    answerHeaders: headOf(answer).map(readHeader),
    answerBody: bodyOf(answer),
  };
}

// The lines up to the first empty one, which may be the very first.
const headEnd = (text: string) => (text.startsWith('\n') ? 0 : text.includes('\n\n') ? text.indexOf('\n\n') + 1 : text.length);
const headOf = (text: string) => text.slice(0, headEnd(text)).split('\n').filter(Boolean);
const bodyOf = (text: string) => text.slice(headEnd(text)).trim();

function readHeader(line: string): readonly [string, string] {
  const colon = line.indexOf(': ');
  return [line.slice(0, colon), line.slice(colon + 2)];
}

/**
 * What a page writes for a value that differs in each run: an id, a time, a word that ends with `…`, or only `…`. An id
 * or a word is learnt from the first answer with it, and stands for the same value in everything that follows.
 */
const placeholders = /[0-9a-f]{24}|\d{4}-\d\d-\d\dT[\d:.]+Z|[\w.+/=-]*…/g;
const patternOf = (shown: string) => (/^[0-9a-f]{24}$/.test(shown) ? '[0-9a-f]{24}' : shown.endsWith('Z') ? '\\d{4}-[\\dT:.-]+Z' : '.*?');
const isForgotten = (shown: string) => shown === '…' || shown.endsWith('Z');
const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Plays exchanges of a page, and expects the answers that it shows. */
export class Player {
  /** What stands for what: from the page to this run. Tests add the words in `<…>` of a page. */
  readonly known: Map<string, string>;
  readonly #port: number;

  constructor(port: number, known: Readonly<Record<string, string>> = {}) {
    this.#port = port;
    this.known = new Map(Object.entries(known));
  }

  async playAll(exchanges: readonly Exchange[]): Promise<Answer[]> {
    const answers: Answer[] = [];
    for (const exchange of exchanges) answers.push(await this.play(exchange));
    return answers;
  }

  async play(exchange: Exchange): Promise<Answer> {
    const { method, path, headers, body, status, answerHeaders, answerBody } = exchange;
    const sentHeaders = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, this.#fill(value)]));
    const answer = await send(this.#port, method, this.#fill(path), { headers: sentHeaders, ...(body && { body: this.#fill(body) }) });
    const about = `${method} ${path}`;
    expect([about, answer.status, answer.status === status ? '' : answer.text]).toEqual([about, status, '']);
    for (const [name, value] of answerHeaders) {
      const received = answer.headers[name.toLowerCase()];
      this.#expectText(`${about}: ${name}`, value, Array.isArray(received) ? (received[0] ?? '') : String(received));
    }
    this.#expectText(about, oneLine(answerBody), answer.text);
    return answer;
  }

  #fill(text: string): string {
    let filled = text;
    for (const [shown, real] of this.known) filled = filled.replaceAll(shown, real);
    return filled;
  }

  #expectText(about: string, shown: string, received: string): void {
    const learnt: string[] = [];
    let pattern = '';
    let end = 0;
    for (const { 0: word, index } of shown.matchAll(placeholders)) {
      pattern += escaped(shown.slice(end, index));
      end = index + word.length;
      const known = isForgotten(word) ? undefined : this.known.get(word);
      const isNew = known === undefined && !learnt.includes(word);
      pattern += isNew ? `(${patternOf(word)})` : known === undefined ? `\\${learnt.indexOf(word) + 1}` : escaped(known);
      if (isNew) learnt.push(isForgotten(word) ? `…${learnt.length}` : word);
    }
    const match = new RegExp(`^${pattern}${escaped(shown.slice(end))}$`, 's').exec(received);
    if (!match) expect(`${about}\n${received}`).toBe(`${about}\n${this.#fill(shown)}`);
    for (const [index, word] of learnt.entries()) this.known.set(word, match?.[index + 1] ?? '');
  }
}

/** The JSON of an answer, which a page may break into lines. */
function oneLine(text: string): string {
  return text.replaceAll(/\n */g, '');
}
