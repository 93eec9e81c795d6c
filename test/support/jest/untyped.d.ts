declare module 'jest-light-runner' {
  import type { CallbackTestRunner, OnTestSuccess, Test } from 'jest-runner';

  /** As far as runner.ts uses it. */
  class LightRunner extends CallbackTestRunner {
    _globalConfig: CallbackTestRunner['_globalConfig'];
    /** The processes for each project. */
    readonly _testRunners: ReadonlyMap<unknown, { readonly pool: { destroy(): Promise<void> } }>;
    runTests: CallbackTestRunner['runTests'];
    _runTest(test: Test): Promise<Parameters<OnTestSuccess>[1]>;
  }

  export function createRunner(options: { readonly runtime: 'child_process' }): typeof LightRunner;
}

declare module 'tsx';
