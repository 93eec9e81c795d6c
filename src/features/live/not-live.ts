import { invalidQuery } from '../../errors.ts';
import { hasParameter } from '../../http/query-string.ts';
import type { ResourceMiddleware } from '../../middleware/exchange/context.ts';
import { onlyFor, step } from '../../middleware/exchange/step.ts';
import { Invalid } from '../../rules.ts';

/** Refuses a parameter that a stream cannot have, for this reason. */
export function notLive(name: string, reason: string): ResourceMiddleware {
  const refusal = new Invalid('not_available', `is not available in a stream: ${reason}`);
  return step(
    { problems: ['invalid_query'] },
    onlyFor('query', function notLive({ querystring }) {
      if (hasParameter(querystring, name)) throw invalidQuery([refusal.at(name)]);
    }),
  );
}
