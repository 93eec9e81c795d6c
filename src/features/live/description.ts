import { eventStreamType } from '../../http/media-type.ts';
import type { Components } from '../../openapi/components.ts';
import type { DocumentPart } from '../../openapi/document.ts';
import type { ResourceContext } from '../../openapi/operations/describe-operation.ts';
import type { DescribedReads, Variation } from '../../openapi/operations/describe-plugin.ts';
import { referProblem } from '../../openapi/operations/problem-responses.ts';

/** Streams of events are told of with the list and the record in whose place they are answered. */
export const eventsDescribed: DescribedReads = {
  variants: {
    'list.live': (context) => describeStream(context, 'list.live', 'the first page'),
    'get.live': (context) => describeStream(context, 'get.live', 'it'),
  },
};

/** The problem of the last event has the form of the library, also in an api that writes problems of its own. */
function describeStream({ schemas, components }: ResourceContext, row: string, what: string): Variation {
  referProblem(components);
  return {
    answer: ` With \`Accept: text/event-stream\`, a stream of events that keeps ${what} true.`,
    headers: [lastEventId(components)],
    content: { [eventStreamType]: { schema: schemas.reads?.[row] } },
  };
}

/** The state that a client of a stream of events has. */
function lastEventId(components: Components): DocumentPart {
  const description =
    'The `id` of the last event that the client has. If nothing has changed since, the first event is `same`. Only with `Accept: text/event-stream`.';
  return components.refer('parameters', 'LastEventId', { name: 'Last-Event-ID', in: 'header', description, schema: { type: 'string' } });
}
