import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { useDatabase } from '../support/database/database.ts';

useDatabase();

it('the recipe for OpenTelemetry describes the span of the HTTP instrumentation before that ends it', async () => {
  const program = join(import.meta.dirname, 'parts/traced-server.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, ['--import', 'tsx', program]);
  const spans: { name: string; attributes: Record<string, unknown> }[] = JSON.parse(stdout);
  const [described, other] = spans.filter(({ attributes }) => attributes['http.target'] !== undefined);
  expect(described).toMatchObject({
    name: 'GET /api/notes/:id',
    attributes: { 'http.route': '/api/notes/:id', 'app.database_commands': 1, 'app.request_id': 'abc', 'http.status_code': 404 },
  });
  expect([other?.name, other?.attributes['http.route']]).toEqual(['GET', undefined]);
});
