/**
 * `npm run test:browser`: the tests with a real browser, apart because `npm test` must run where there is none.
 *
 * @jest-config-loader esbuild-register
 */
import type { Config } from 'jest';
import { shared } from './jest.config.ts';

const config: Config = {
  ...shared,
  displayName: 'browser',
  testTimeout: 120_000,
  testRegex: ['/test/browser/.*\\.test\\.ts$'],
  globalSetup: '<rootDir>/test/browser/start-all.ts',
  globalTeardown: '<rootDir>/test/support/database/stop-database.ts',
};

export default config;
