import type { Api } from '../../api/api.ts';
import { Problem } from '../../errors.ts';
import { parseProblem } from './explain-problem.ts';
import type { Caller } from './read-caller.ts';

/** Headers that belong to the answer of the api, and not to its reason. */
const ofAnswer = /^(?:content-.*|cache-control|connection|date|transfer-encoding|vary)$/;

/**
 * Lets the api authenticate a caller before the caller learns anything. `maxConcurrency` counts that like a request.
 * What `authenticate` throws, such as 401 for a bad token, is thrown as a {@link Problem} with its headers. An
 * anonymous caller is not refused: the api decides about each call. A given principal is known.
 */
export async function identify(api: Api<never>, { headers, ...rest }: Caller): Promise<void> {
  const { identify, description } = api;
  if (!identify || 'principal' in rest) return;
  const response = await identify(new Request(`http://in-process${description.prefix}/`, { headers }));
  const { status } = response;
  if (status < 400) return;
  const { detail } = parseProblem(await response.text());
  throw new Problem({
    status,
    ...(typeof detail === 'string' && { detail }),
    headers: Object.fromEntries([...response.headers].filter(([name]) => !ofAnswer.test(name))),
  });
}
