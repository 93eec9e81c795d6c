/**
 * `npm run test:slow`: the tests that take longer than three seconds a file, because they wait for timeouts, start
 * processes or play many random cases. Apart, so that `npm test` ends soon.
 *
 * @jest-config-loader esbuild-register
 */
import { availableParallelism } from 'node:os';
import type { Config } from 'jest';
import all, { shared } from './jest.config.ts';

const slow = '\\.slow\\.test\\.ts$';

/** The folders whose slow tests need no server. */
const withoutDatabase = '(dev|model|types)';

const config: Config = {
  ...all,
  maxWorkers: availableParallelism() + 2, // many of them wait for processes and timeouts
  projects: [
    { ...shared, displayName: 'slow unit', testRegex: [`/test/${withoutDatabase}/.*${slow}`] },
    {
      ...shared,
      displayName: 'slow database',
      testRegex: [`/test/(?!${withoutDatabase}/).*${slow}`],
      globalSetup: '<rootDir>/test/support/database/start-database.ts',
      globalTeardown: '<rootDir>/test/support/database/stop-database.ts',
    },
  ],
};

export default config;
