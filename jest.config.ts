/** @jest-config-loader esbuild-register */
import { availableParallelism } from 'node:os';
import type { Config } from 'jest';

const common = {
  runner: '<rootDir>/test/support/jest/runner.ts',
  transform: {}, // tsx does it
  modulePathIgnorePatterns: ['<rootDir>/\\.tmp/'],
  extensionsToTreatAsEsm: ['.ts'],
  setupFilesAfterEnv: ['<rootDir>/test/support/jest/setup.ts'],
  globalSetup: '<rootDir>/test/support/database/start-database.ts',
  globalTeardown: '<rootDir>/test/support/jest/after-run.ts',
};

/** A file called `.slow.test.ts` takes longer than three seconds. */
const slow = '\\.slow\\.test\\.ts$';

/** They need a browser, take minutes, or install projects. */
const apart = '<rootDir>/test/(?:browser|faults|package|clients)/';

/**
 * `npm test`. Tests that need no database share its project with the others: the workers of a second one would load
 * every module again.
 */
const usual = [{ displayName: 'test', testMatch: ['<rootDir>/test/**/*.test.ts'], testPathIgnorePatterns: [slow, apart] }];

const others = [
  // They wait for timeouts, start processes or play many random cases. Apart, so that `npm test` ends soon.
  { displayName: 'slow', testMatch: ['<rootDir>/test/**/*.slow.test.ts'] },
  // What becomes of writes, places and connections when databases, networks, clients and servers fail. They start and
  // kill servers of their own; `ROUNDS=20 npm run test:faults` plays longer.
  {
    displayName: 'faults',
    testMatch: ['<rootDir>/test/faults/**/*.test.ts'],
    globalSetup: '<rootDir>/test/support/database/choose-mongod.ts',
    setupFilesAfterEnv: [...common.setupFilesAfterEnv, '<rootDir>/test/faults/parts/limit-tests.ts'],
  },
  // The feature tests, without slow ones and false clocks, on the oldest versions of Koa and of the MongoDB driver that
  // the peer ranges allow. The newest are those that `npm test` runs on.
  {
    displayName: 'oldest',
    testMatch: ['<rootDir>/test/feature/**/*.test.ts'],
    testPathIgnorePatterns: [slow, '\\.clock\\.test\\.ts$'],
    setupFiles: ['<rootDir>/test/support/jest/oldest-versions.ts'],
  },
  // The package as it is published, in projects of its own that install it from the tarball. They download compilers
  // and versions of Node.
  {
    displayName: 'package',
    testMatch: ['<rootDir>/test/package/**/*.test.ts'],
    globalSetup: '<rootDir>/test/package/start.ts',
    setupFilesAfterEnv: [...common.setupFilesAfterEnv, '<rootDir>/test/package/limit-tests.ts'],
  },
  // With a real browser: `npm test` must run where there is none.
  { displayName: 'browser', testMatch: ['<rootDir>/test/browser/**/*.test.ts'], globalSetup: '<rootDir>/test/browser/start-all.ts' },
  // The example of an admin interface: `npm test` there, which has installed what it needs.
  { displayName: 'admin', testMatch: ['<rootDir>/examples/admin/*.test.ts'], globalSetup: '<rootDir>/test/browser/start-all.ts' },
  // The clients that generators make of the documents of all examples, and the programs of docs/clients that use them.
  // They install the generators.
  { displayName: 'clients', testMatch: ['<rootDir>/test/clients/**/*.test.ts'], globalSetup: '<rootDir>/test/clients/start.ts' },
  // What Stryker runs for each change that it makes: the tests that need no database.
  {
    displayName: 'mutation',
    testMatch: ['<rootDir>/test/{hints,{http,filter,model,mongo}/**/*}.test.ts'],
    globalSetup: undefined,
  },
];

export default async (): Promise<Config> => {
  await import('tsx');
  process.execArgv.push('--import', 'tsx'); // for the workers
  const asked = process.argv.includes('--selectProjects');
  return {
    // Most tests wait for mongod or for a child process: as many workers as cores would leave some of them idle.
    maxWorkers: availableParallelism() + 2,
    projects: [...usual, ...(asked ? others : [])].map((suite) => ({ ...common, ...suite })),
  };
};
