import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const src = join(import.meta.dirname, '../../src');

/** Of whose documents a file of `src/` opens a collection. */
const opens: Readonly<Record<string, readonly string[]>> = {
  'the records of a model': [
    'mongo/changes/change-feed.ts',
    'mongo/collection/collection.ts',
    'mongo/collection/read-by-id.ts',
    'mongo/collection/reads.ts',
    'mongo/collection/write-values.ts',
    'mongo/driver/sessions.ts',
    'mongo/relations/check/shared-creates.ts',
  ],
  'what is kept of records, as a `Keep` declares': [
    'features/history/mongo/entries.ts',
    'features/idempotency/keys.ts',
    'mongo/ledger/forget-actor.ts',
    'mongo/ledger/keeps-of-ledgers.ts',
    'mongo/ledger/ledger-rows.ts',
    'mongo/ledger/mentions.ts',
    'mongo/relations/check/latches/latches.ts',
    'mongo/removals/keeps-of-removals.ts',
    'mongo/removals/removal-rows.ts',
    'products/webhooks/delivery-rows.ts',
    'queues/letters.ts',
    'queues/queue-rows.ts',
    'queues/removal-queue.ts',
  ],
  'no documents: its indexes, or what the application asks for': [
    'mongo/driver/trace/trace-database.ts',
    'mongo/indexes/indexes.ts',
    'mongo/indexes/watch-scans.ts',
    'products/cli/draft/draft-model.ts',
    'products/cli/draft/indexed-keys.ts',
  ],
};

it('every file that opens a collection is known, so that a purge forgets none', () => {
  const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const opening = files.filter((file) => /^(?! *\*).*\.collection(<.*>)?\((?!\$\{)/m.test(readFileSync(join(src, file), 'utf8')));
  expect(opening.sort()).toEqual(Object.values(opens).flat().sort());
});
