/**
 * `npm run test:slow`: the tests that take longer than three seconds a file, because they wait for timeouts, start processes or play many
 * random cases. Apart, so that `npm test` ends soon.
 *
 * @jest-config-loader esbuild-register
 */
import type { Config } from 'jest';
import all, { shared } from './jest.config.ts';

const slow = '\\.slow\\.test\\.ts$';

const config: Config = {
  ...all,
  projects: [
    { ...shared, displayName: 'slow unit', testRegex: [`/test/(dev|model)/.*${slow}`] },
    {
      ...shared,
      displayName: 'slow database',
      testRegex: [`/test/(feature|store|cli|examples)/.*${slow}`],
      globalSetup: '<rootDir>/test/support/database/start-database.ts',
      globalTeardown: '<rootDir>/test/support/database/stop-database.ts',
    },
  ],
};

export default config;
