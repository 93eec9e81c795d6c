import type { Api } from '../../api/api.ts';
import { Problem } from '../../errors.ts';
import { parseProblem } from './explain-problem.ts';
import type { Caller } from './read-caller.ts';
import type { Tool } from './tool.ts';

/** Headers that belong to the answer of the api, and not to its reason. */
const ofAnswer = /^(?:content-.*|cache-control|connection|date|transfer-encoding|vary)$/;

/** The tools of an api, which may depend on the caller. */
export interface SeenTools {
  readonly api: Api<never>;
  /** The tools of callers for whom all rules hold. */
  readonly tools: ReadonlyMap<string, Tool>;
  /** The tools of callers for whom these rules hold, joined by spaces. Undefined if there are no rules. */
  readonly toolsFor: ((held: string) => ReadonlyMap<string, Tool>) | undefined;
}

/** The tools that a caller of an api with rules sees. */
export async function toolsOf({ api, tools, toolsFor }: SeenTools, caller: Caller): Promise<ReadonlyMap<string, Tool>> {
  if (!toolsFor) return tools;
  const response = await ask(api, caller);
  if (!response || response.status >= 400) return toolsFor('');
  return toolsFor(((await response.json()) as string[]).sort().join(' '));
}

/** Undefined if the api has nothing to ask. */
async function ask({ identify, description }: Api<never>, { headers, ...rest }: Caller): Promise<Response | undefined> {
  const request = new Request(`http://in-process${description.prefix}/`, { headers });
  return identify?.(request, 'principal' in rest ? { principal: rest.principal as never } : undefined);
}

/**
 * Lets the api authenticate a caller before the caller learns anything. `maxConcurrency` counts that like a request.
 * What `authenticate` throws, such as 401 for a bad token, is thrown as a {@link Problem} with its headers. An
 * anonymous caller is not refused: the api decides about each call. A given principal is known.
 */
export async function identify(api: Api<never>, caller: Caller): Promise<void> {
  const response = 'principal' in caller ? undefined : await ask(api, caller);
  if (!response || response.status < 400) return;
  const { status } = response;
  const { detail } = parseProblem(await response.text());
  throw new Problem({
    status,
    ...(typeof detail === 'string' && { detail }),
    headers: Object.fromEntries([...response.headers].filter(([name]) => !ofAnswer.test(name))),
  });
}
