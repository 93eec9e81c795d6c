import { inspect } from 'node:util';
import type { Circus } from '@jest/types';
import fc from 'fast-check';
import { addEventHandler } from 'jest-circus';
import { cases } from '../fuzzing/fuzz.ts';
import { expectNothingOpen } from './left-open.ts';
import { withinLimit } from './limits.ts';
import './timers.ts';

// For the random tests that say nothing else. `npm run test:power` asks for the first failure, not the smallest one.
fc.configureGlobal({ ...cases(100), endOnFailure: process.env.END_ON_FAILURE === 'true' });

// Each worker runs this once. jest-light-runner calls the functions of hooks and tests one after the other, and nothing
// else: it knows no time limit, runs a test though its hooks have failed, and takes one that asserts nothing as passed.

type Hook = Circus.Hook;

/** Why the tests of a block cannot run: a hook before all of them has failed. */
const failedBlocks = new WeakMap<Circus.DescribeBlock, Error>();

/** Why the next test cannot run: a hook before it has failed. */
let failedHook: Error | undefined;

let root: Circus.DescribeBlock | undefined;

addEventHandler((event: Circus.AsyncEvent | Circus.SyncEvent, { rootDescribeBlock, currentDescribeBlock: block }: Circus.State) => {
  if (event.name === 'add_test') wrapTest(block.children.at(-1) as Circus.TestEntry, block);
  if (event.name === 'add_hook') wrapHook(block.hooks.pop() as Hook, block);
  if (root !== rootDescribeBlock) {
    root = rootDescribeBlock;
    root.hooks.push({ type: 'afterAll', fn: expectNothingOpen } as unknown as Hook); // the last of all
  }
});

function wrapTest(test: Circus.TestEntry, block: Circus.DescribeBlock): void {
  const { fn, timeout } = test;
  if (!fn) return;
  test.fn = () =>
    failWithError(async () => {
      const failure = failureOf(block) ?? failedHook;
      failedHook = undefined;
      if (failure) throw failure;
      expect.setState({ assertionCalls: 0 });
      await withinLimit(() => call(fn), 'The test', timeout ?? undefined);
      if (expect.getState().assertionCalls === 0) throw new Error('The test asserts nothing.');
    });
}

/** What is opened last is closed first: hooks that run afterwards run in the reverse order. */
function wrapHook(hook: Hook, block: Circus.DescribeBlock): void {
  const { fn, timeout, type } = hook;
  if (type.startsWith('after')) block.hooks.unshift(hook);
  else block.hooks.push(hook);
  const run = () => failWithError(() => withinLimit(() => call(fn), `A hook (${type})`, timeout ?? undefined));
  hook.fn = {
    beforeAll: async () => {
      if (!failureOf(block)) await run().catch((error) => failedBlocks.set(block, error));
    },
    beforeEach: async () => {
      if (!failureOf(block) && !failedHook)
        await run().catch((error) => {
          failedHook = error;
        });
    },
    afterEach: async () => {
      if (!failureOf(block)) await run();
    },
    afterAll: run,
  }[type];
}

function failureOf(block: Circus.DescribeBlock | undefined): Error | undefined {
  return block && (failedBlocks.get(block) ?? failureOf(block.parent));
}

/** Without the callback that Jest would pass for a parameter which a row of `it.each` does not have. */
function call(fn: Circus.TestFn | Circus.HookFn): unknown {
  return (fn as () => unknown)();
}

/** The runner prints the stack of an error, and cannot print anything else that was thrown. */
async function failWithError(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (thrown) {
    throw withoutOurs(thrown instanceof Error ? thrown : new Error(inspect(thrown)));
  } finally {
    expect.getState().suppressedErrors.forEach(withoutOurs);
  }
}

/** Nobody looks for a mistake in what runs the tests. */
function withoutOurs(error: Error): Error {
  error.stack = error.stack?.replace(/\n.*\/(?:test\/support\/(?:jest\/|expect\.ts)|node_modules\/tinypool\/).*/g, '') ?? error.message;
  return error;
}

// A worker does not outlive a run that is stopped in the midst of a file.
process.once('disconnect', () => process.exit());
