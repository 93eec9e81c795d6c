import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

type Options = NonNullable<TestProjectInlineConfiguration['test']>;

/**
 * A suite of tests, which `vitest run --mode <name>` runs. Tests that need no database share its project with the
 * others: the workers of a second one would load every module again.
 */
interface Suite {
  readonly projects: readonly Options[];
  /** Modules that are replaced. */
  readonly alias?: Readonly<Record<string, string>>;
  readonly maxWorkers?: number;
  /** A net for hung tests on slow machines; no test asserts a time. */
  readonly testTimeout?: number;
}

const cores = availableParallelism();
const database = 'test/support/database/start-database.ts';

/** They need a browser, take minutes, or install projects. */
const apart = ['test/{browser,faults,package,clients}/**'];

/** A file called `.slow.test.ts` takes longer than three seconds. */
const slow = '**/*.slow.test.ts';

/**
 * A file called `.clock.test.ts` replaces timers, and has a process of its own: the timer that all requests of a
 * process share would be one of those, and the requests of other files would wait for it forever.
 */
const clock = '**/*.clock.test.ts';

const suites: Readonly<Record<string, Suite>> = {
  // `npm test`.
  test: {
    projects: [
      { name: 'test', include: ['test/**/*.test.ts'], exclude: [slow, clock, ...apart], globalSetup: database },
      { name: 'clock', include: [`test/${clock}`], globalSetup: database, isolate: true },
    ],
  },
  // They wait for timeouts, start processes or play many random cases. Apart, so that `npm test` ends soon.
  slow: {
    maxWorkers: cores + 2, // many of them wait for processes and timeouts
    projects: [{ name: 'slow', include: [`test/${slow}`], globalSetup: database }],
  },
  // What becomes of writes, places and connections when databases, networks, clients and servers fail. They start and
  // kill servers of their own; `FAULT_ROUNDS=20 npm run test:faults` plays longer.
  faults: {
    projects: [{ name: 'faults', include: ['test/faults/**/*.test.ts'], globalSetup: 'test/support/database/choose-mongod.ts' }],
    maxWorkers: cores + 2, // most of their time they wait for timeouts and elections
    testTimeout: 600_000 * Number(process.env.FAULT_ROUNDS ?? 1),
  },
  // The feature tests, without slow ones and false clocks, on the oldest versions of Koa and of the MongoDB driver that
  // the peer ranges allow. The newest are those that `npm test` runs on.
  oldest: {
    projects: [{ name: 'oldest', include: ['test/feature/**/*.test.ts'], exclude: [slow, clock], globalSetup: database }],
    alias: { koa: 'koa-oldest', mongodb: 'mongodb-oldest' },
  },
  // The package as it is published, in projects of its own that install it from the tarball. They download compilers
  // and versions of Node.
  package: {
    projects: [{ name: 'package', include: ['test/package/**/*.test.ts'], globalSetup: 'test/package/start.ts' }],
    maxWorkers: 2,
    testTimeout: 300_000,
  },
  // With a real browser: `npm test` must run where there is none.
  browser: { projects: [{ name: 'browser', include: ['test/browser/**/*.test.ts'], globalSetup: 'test/browser/start-all.ts' }] },
  // The example of an admin interface: `npm test` there, which has installed what it needs.
  admin: { projects: [{ name: 'admin', include: ['examples/admin/*.test.ts'], globalSetup: 'test/browser/start-all.ts' }] },
  // The clients that generators make of the documents of all examples, and the programs of docs/clients that use them.
  // They install the generators.
  clients: { projects: [{ name: 'clients', include: ['test/clients/**/*.test.ts'], globalSetup: 'test/clients/start.ts' }] },
};

/** The package by its own name means the sources, as in tsconfig.json: a test run must not depend on a build. */
export const sources = [
  ['', 'src/index.ts'],
  ['/audit', 'src/products/audit/audit-collection.ts'],
  ['/client', 'src/products/client/live.ts'],
  ['/mcp', 'src/products/mcp/mcp.ts'],
  ['/(react-admin|refine)', 'src/products/admin/$1.ts'],
  ['/webhooks', 'src/products/webhooks/webhooks.ts'],
  ['/removals', 'src/mongo/removals/define-removals.ts'],
  ['/middleware/([^/]+)', 'src/middleware/$1.ts'],
].map(([entry, path = '']) => ({ find: new RegExp(`^koa-mongo-resource${entry}$`), replacement: resolve(import.meta.dirname, path) }));

export default defineConfig(({ mode }) => {
  const suite = suites[mode];
  if (!suite) throw new Error(`There is no suite \`${mode}\`: ${Object.keys(suites).join(', ')}.`);
  // Most tests wait for mongod or for a child process: as many workers as cores would leave some of them idle.
  const { projects, alias = {}, maxWorkers = cores + 2, testTimeout = 120_000 } = suite;
  const replaced = Object.entries(alias).map(([name, replacement]) => ({ find: new RegExp(`^${name}$`), replacement }));
  return {
    resolve: { alias: [...sources, ...replaced] },
    test: {
      maxWorkers,
      testTimeout,
      hookTimeout: testTimeout,
      maxConcurrency: 3,
      pool: 'forks',
      // The files of a worker share its modules: to load them for each file took as long as to run it.
      isolate: false,
      env: { NODE_ENV: 'test' }, // not the name of the suite
      expect: { requireAssertions: true },
      projects: projects.map((test) => ({ extends: true, test })),
    },
  };
});
