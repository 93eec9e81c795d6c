import { STATUS_CODES } from 'node:http';
import { blocksOf } from './pages.ts';

/** A line of a page that somebody types, and what the page says that it prints. */
export interface Shown {
  readonly command: string;
  readonly printed: string;
}

/** The commands of all `console` blocks of a page. A command is one line. */
export function commandsOf(page: string): Shown[] {
  return blocksOf(page)
    .filter(({ language }) => language === 'console')
    .flatMap(({ code }) => code.split(/^\$ /m).slice(1))
    .map((text) => ({ command: text.slice(0, text.indexOf('\n')), printed: text.slice(text.indexOf('\n') + 1).trim() }));
}

/**
 * Does what a curl line does, with `-i`, `-X`, `-H` and `-d`, and `| jq` with a path. Not every machine has these
 * programs.
 */
export async function curl(port: number, command: string): Promise<string> {
  const [request = '', filter] = command.split(' | ');
  const words = [...request.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const optionsOf = (flag: string) => words.flatMap((word, index) => (word === flag ? [words[index + 1] ?? ''] : []));
  const [body] = optionsOf('-d');
  const [method = body === undefined ? 'GET' : 'POST'] = optionsOf('-X');
  const headers = Object.fromEntries(optionsOf('-H').map((line) => line.split(': ') as [string, string]));
  const path = words.find((word) => word.startsWith('localhost:3000'))?.slice('localhost:3000'.length) ?? '/';
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  if (filter !== undefined) return jq(text, filter);
  return words.includes('-i') ? print(response, text) : text;
}

/** As curl prints it, without the headers that the pages leave out. */
function print({ status, headers }: Response, text: string): string {
  const shown = ['Location', 'ETag', 'Content-Type'].flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [`${name}: ${value}`];
  });
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...shown, '', text].join('\n').trim();
}

/** `jq`, or `jq` with a path such as `.data.lines` or `'.data[].name'`. */
function jq(text: string, filter: string): string {
  const path = filter.split(' ')[1]?.replaceAll("'", '').slice(1) ?? '';
  let values: unknown[] = [JSON.parse(text)];
  for (const name of path.split('.').filter(Boolean)) {
    values = values.map((value) => (value as Record<string, unknown>)[name.replace('[]', '')]);
    if (name.endsWith('[]')) values = values.flat();
  }
  return values.map((value) => JSON.stringify(value, undefined, 2)).join('\n');
}
