import { problemCodes } from '../../../src/errors.ts';
import { type Api, openapiDocument } from '../../../src/index.ts';
import type { Any } from '../any.ts';
import type { Answer } from './serve.ts';

/** Throws where an operation answers with a problem of the library's that its description does not have. */
export type RequireDescribed = (method: string, path: string, answer: Answer) => void;

/** Looks at the problems of an api; `others` are codes that a test's own functions throw. */
export function compileRequireDescribed(api: Api<never>, others: readonly string[] = []): RequireDescribed {
  const { paths, components } = openapiDocument(api);
  // A literal segment goes before a parameter.
  const templates = Object.keys(paths).sort((a, b) => a.split('{').length - b.split('{').length);
  const patterns = templates.map((template) => [new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`), paths[template]] as const);
  return function requireDescribed(method, path, { status, body }) {
    const code: unknown = body?.code;
    if (typeof code !== 'string' || !Object.hasOwn(problemCodes, code) || others.includes(code)) return;
    const [address = ''] = path.split('?', 1);
    const item: Any = patterns.find(([pattern]) => pattern.test(address))?.[1];
    const operation = item?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
    if (!operation) return; // 404 or 405 of the dispatch
    const response: Any = components.responses?.[operation.responses[status]?.$ref.split('/').at(-1)];
    if (!response?.content?.['application/problem+json'].examples[code])
      throw new Error(`${method} ${path} answered ${code}, which the description of ${operation.operationId} does not have.`);
  };
}
