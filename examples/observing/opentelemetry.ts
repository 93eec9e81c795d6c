import { type Meter, type Tracer, trace } from '@opentelemetry/api';
import type { Observe } from 'koa-mongo-resource';

/** Names the span that the HTTP instrumentation has begun, and says what the request cost. */
export const describeSpan: Observe = ({ resource, operation, databaseTime, commandCount, requestId = '' }) => {
  const span = trace.getActiveSpan();
  if (operation !== undefined) span?.updateName(`${resource}.${operation}`);
  span?.setAttributes({ 'app.database_time_ms': databaseTime, 'app.database_commands': commandCount, 'app.request_id': requestId });
};

/** Makes a span of its own for every request. */
export function traceWith(tracer: Tracer): Observe {
  return ({ resource = 'none', operation = 'none', status, duration }, ctx) => {
    const end = Date.now();
    const attributes = { 'http.request.method': ctx.method, 'http.response.status_code': status };
    tracer.startSpan(`${resource}.${operation}`, { startTime: end - duration, attributes }).end(end);
  };
}

/** Measures every request, by the names of the semantic conventions. */
export function measureWith(meter: Meter): Observe {
  const histogram = meter.createHistogram('http.server.request.duration', { unit: 's' });
  return ({ resource, operation, status, duration }, ctx) => {
    const route = operation === undefined ? {} : { 'http.route': `${resource}.${operation}` };
    histogram.record(duration / 1000, { 'http.request.method': ctx.method, 'http.response.status_code': status, ...route });
  };
}
