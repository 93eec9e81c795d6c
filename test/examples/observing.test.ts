import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type Koa from 'koa';
import pino from 'pino';
import { Registry } from 'prom-client';
import * as openTelemetry from '../../examples/observing/opentelemetry.ts';
import { logTo } from '../../examples/observing/pino.ts';
import { measureWith } from '../../examples/observing/prom-client.ts';
import { type Api, defineModel, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';

const Note = defineModel('Note', { collection: 'notes', fields: { id: t.string({ policy: { insert: true } }), text: t.string() } });
const database = useDatabase();

function makeApi(options: object): Api {
  const shop = service();
  const guard = (ctx: Koa.Context) => {
    if (ctx.get('x-fail')) throw new Error('a bug');
    return true;
  };
  return shop.api({ db: database.db, prefix: '/api', resources: [shop.resource({ model: Note, guards: [guard] })], ...options });
}

const get = (api: Api, path: string, headers: Record<string, string> = {}) =>
  api.fetch(new Request(`http://in-process/api${path}`, { headers: { 'x-request-id': 'abc', ...headers } }));

beforeAll(async () => {
  await database.db.collection<{ _id: string }>('notes').insertOne({ _id: 'a', text: 'x' } as never);
});

describe('the recipes of docs/reference/observing.md', () => {
  it.each(['pino.ts', 'prom-client.ts', 'opentelemetry.ts'])('show what examples/observing has: %s', (file) => {
    const docs = readFileSync(join(import.meta.dirname, '../../docs/reference/observing.md'), 'utf8');
    const code = readFileSync(join(import.meta.dirname, '../../examples/observing', file), 'utf8');
    expect(docs).toContain(`\`\`\`ts\n${code}\`\`\``);
  });
});

describe('pino', () => {
  it('has a line for every request, and one for the error that nobody expected', async () => {
    const lines: Record<string, unknown>[] = [];
    const api = makeApi(logTo(pino({}, { write: (line: string) => lines.push(JSON.parse(line)) })));
    await get(api, '/notes/a?secret=1');
    await get(api, '/notes/none');
    await get(api, '/notes', { 'x-fail': '1' });
    expect(lines.map(({ level, msg, status, operation, path, requestId }) => [level, msg, status, operation, path, requestId])).toEqual([
      [30, 'request', 200, 'get', '/api/notes/a', 'abc'],
      [40, 'request', 404, 'get', '/api/notes/none', 'abc'],
      [50, 'unexpected error', undefined, undefined, undefined, 'abc'],
      [50, 'request', 500, 'list', '/api/notes', 'abc'],
    ]);
    expect(lines[2]).toMatchObject({ err: { message: 'a bug' } });
    expect(JSON.stringify(lines)).not.toContain('secret');
  });
});

describe('prom-client', () => {
  it('counts and measures by resource, operation and status', async () => {
    const registry = new Registry();
    const api = makeApi({ observe: measureWith(registry) });
    await get(api, '/notes/a');
    await get(api, '/notes/a');
    await get(api, '/nothing');
    const text = await registry.metrics();
    expect(text).toContain('api_request_duration_seconds_count{resource="notes",operation="get",status="200"} 2');
    expect(text).toContain('api_database_seconds_count{resource="notes",operation="get",status="200"} 2');
    expect(text).toContain('api_database_commands_total{resource="notes",operation="get",status="200"} 2');
    expect(text).toContain('api_request_duration_seconds_count{resource="none",operation="none",status="404"} 1');
  });
});

describe('OpenTelemetry', () => {
  const spans = new InMemorySpanExporter();
  const tracer = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }).getTracer('test');
  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  });
  afterAll(() => {
    context.disable();
  });

  it('names the span that there is', async () => {
    spans.reset();
    const api = makeApi({ observe: openTelemetry.describeSpan });
    const span = tracer.startSpan('HTTP GET');
    await context.with(trace.setSpan(context.active(), span), () => get(api, '/notes/a'));
    span.setStatus({ code: SpanStatusCode.OK }).end();
    expect(spans.getFinishedSpans().map(({ name, attributes }) => [name, attributes])).toEqual([
      [
        'GET /api/notes/:id',
        { 'http.route': '/api/notes/:id', 'app.database_time_ms': expect.any(Number), 'app.database_commands': 1, 'app.request_id': 'abc' },
      ],
    ]);
  });

  it('makes one that began when the request did', async () => {
    spans.reset();
    await get(makeApi({ observe: openTelemetry.traceWith(tracer) }), '/notes/none');
    const [span] = spans.getFinishedSpans();
    expect([span?.name, span?.attributes]).toEqual([
      'GET /api/notes/:id',
      { 'http.request.method': 'GET', 'http.response.status_code': 404, 'http.route': '/api/notes/:id' },
    ]);
    expect((span?.duration[0] ?? 0) * 1e9 + (span?.duration[1] ?? 0)).toBeGreaterThan(0);
  });

  it('measures', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
    const meters = new MeterProvider({ readers: [reader] });
    await get(makeApi({ observe: openTelemetry.measureWith(meters.getMeter('test')) }), '/notes/a');
    await meters.forceFlush();
    const [metric] = exporter.getMetrics()[0]?.scopeMetrics[0]?.metrics ?? [];
    await meters.shutdown();
    expect(metric?.descriptor).toMatchObject({ name: 'http.server.request.duration', unit: 's' });
    expect(metric?.dataPoints[0]?.attributes).toEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'http.route': '/api/notes/:id',
    });
    expect(metric?.dataPoints[0]?.value).toMatchObject({ buckets: { boundaries: expect.arrayContaining([0.005, 10]) } });
  });
});
