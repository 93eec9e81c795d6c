/**
 * `npm test`: react-admin in a real Chromium. The tests run with Jest and the browser of the repository.
 *
 * @jest-config-loader esbuild-register
 */
import type { Config } from 'jest';
import browser from '../../jest.browser.config.ts';

const config: Config = {
  ...browser,
  displayName: 'admin',
  rootDir: '../..',
  roots: ['<rootDir>/examples/admin'],
  testRegex: ['/examples/admin/.*\\.test\\.ts$'],
};

export default config;
