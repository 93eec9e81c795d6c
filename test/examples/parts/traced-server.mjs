// Serves an api as an app with the HTTP instrumentation of OpenTelemetry does, sends it two requests, and prints the
// spans as JSON.
import { createRequire } from 'node:module';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

const spans = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
trace.setGlobalTracerProvider(provider);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const instrumentation = new HttpInstrumentation();
instrumentation.setTracerProvider(provider);
instrumentation.enable();
const http = createRequire(import.meta.url)('node:http'); // the instrumentation patches what is required, or imported with a loader hook

const [{ default: Koa }, { MongoClient }, library, { describeSpan }] = await Promise.all([
  import('koa'),
  import('mongodb'),
  import('../../../src/index.ts'),
  import('../../../examples/observing/opentelemetry.ts'),
]);
const { defineModel, service, t } = library;
const client = new MongoClient(process.env.MONGODB_URI);
const Note = defineModel('Note', { collection: 'notes', fields: { id: t.string(), text: t.string() } });
const notebook = service();
const resources = [notebook.resource({ model: Note })];
const api = notebook.api({ db: client.db('traced'), prefix: '/api', resources, observe: describeSpan });
const server = http.createServer(new Koa().use(api.routes()).callback()).listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
for (const path of ['/api/notes/a', '/elsewhere'])
  await fetch(`http://127.0.0.1:${server.address().port}${path}`, { headers: { 'x-request-id': 'abc' } }).then((answer) => answer.text());
await api.close({ server });
await client.close();
process.stdout.write(JSON.stringify(spans.getFinishedSpans().map(({ name, attributes }) => ({ name, attributes }))));
process.exit();
