/**
 * `npm run test:oldest`: the feature tests, without the slow ones, on the oldest versions of Koa and of the MongoDB
 * driver that the peer ranges allow. The newest are those that `npm test` runs on.
 *
 * @jest-config-loader esbuild-register
 */
import type { Config } from 'jest';
import { shared, workers } from './jest.config.ts';

const config: Config = {
  ...shared,
  ...workers,
  displayName: 'oldest',
  testTimeout: 120_000,
  testRegex: ['/test/feature/.*(?<!\\.slow)\\.test\\.ts$'],
  moduleNameMapper: {
    ...shared.moduleNameMapper,
    '^koa$': '<rootDir>/node_modules/koa-oldest/lib/application.js',
    '^mongodb$': '<rootDir>/node_modules/mongodb-oldest/lib/index.js',
  },
  globalSetup: '<rootDir>/test/support/database/start-database.ts',
  globalTeardown: '<rootDir>/test/support/database/stop-database.ts',
};

export default config;
