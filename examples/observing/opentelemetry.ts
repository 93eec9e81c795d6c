import { type Attributes, type Meter, SpanKind, type Tracer, trace } from '@opentelemetry/api';
import type { Observe } from 'koa-mongo-resource';

/** Names the span that the HTTP instrumentation has begun, and says what the request cost. */
export const describeSpan: Observe = ({ route, databaseTime, commandCount, requestId = '' }, ctx) => {
  const span = trace.getActiveSpan();
  if (route !== undefined) span?.updateName(`${ctx.method} ${route}`).setAttribute('http.route', route);
  span?.setAttributes({ 'app.database_time_ms': databaseTime, 'app.database_commands': commandCount, 'app.request_id': requestId });
};

/** Makes a span of its own for every request. */
export function traceWith(tracer: Tracer): Observe {
  return ({ route, status, duration }, ctx) => {
    const end = Date.now();
    const name = route === undefined ? ctx.method : `${ctx.method} ${route}`;
    tracer
      .startSpan(name, { kind: SpanKind.SERVER, startTime: end - duration, attributes: attributesOf(ctx.method, status, route) })
      .end(end);
  };
}

/**
 * Measures every request. The boundaries are those of the semantic conventions, in seconds: the default ones are meant
 * for milliseconds.
 */
export function measureWith(meter: Meter): Observe {
  const histogram = meter.createHistogram('http.server.request.duration', {
    unit: 's',
    advice: { explicitBucketBoundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] },
  });
  return ({ route, status, duration }, ctx) => histogram.record(duration / 1000, attributesOf(ctx.method, status, route));
}

/**
 * By the semantic conventions for HTTP: `http.route` is a template, never a path, and missing where no route has
 * matched.
 */
function attributesOf(method: string, status: number, route: string | undefined): Attributes {
  return { 'http.request.method': method, 'http.response.status_code': status, ...(route !== undefined && { 'http.route': route }) };
}
