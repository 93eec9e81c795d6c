/**
 * `npm run test:package`: the package as it is published, in projects of its own that install it from the tarball.
 * Apart, because it downloads compilers and versions of Node.
 *
 * @jest-config-loader esbuild-register
 */
import type { Config } from 'jest';
import { shared } from './jest.config.ts';

const config: Config = {
  ...shared,
  displayName: 'package',
  testTimeout: 300_000, // a net for hung downloads; no test asserts a time
  maxWorkers: 2,
  testRegex: ['/test/package/.*\\.test\\.ts$'],
  globalSetup: '<rootDir>/test/package/start.ts',
  globalTeardown: '<rootDir>/test/package/stop.ts',
};

export default config;
