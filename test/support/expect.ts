import { setTimeout as delay } from 'node:timers/promises';

/** `expect(value)`, where the value does not say which case has failed: the message does. */
export function expectWith<T>(value: T, message: string): jest.JestMatchers<T> {
  return judged(expect(value), message, (error) => {
    throw error;
  });
}

/** As {@link expectWith}, but the test goes on after a failure, and fails at its end with all of them. */
export function expectSoft<T>(value: T, message = ''): jest.JestMatchers<T> {
  return judged(expect(value), message, (error) => expect.getState().suppressedErrors.push(error));
}

/** Makes an assertion every 50 ms until it holds, for a second at most: then its failure is that of the test. */
export async function expectPoll(assertion: () => unknown): Promise<void> {
  for (const end = performance.now() + 1_000; ; await delay(50)) {
    try {
      await assertion();
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
    }
  }
}

/** The matchers, also behind `not`, `resolves` and `rejects`, whose failures begin with the message. */
function judged<T extends object>(matchers: T, message: string, failed: (error: Error) => unknown): T {
  const named = (error: Error) => failed(new Error(`${message}\n${error.message}`.trimStart(), { cause: error }));
  return new Proxy(matchers, {
    get(target, name) {
      const matcher = Reflect.get(target, name) as object | ((...given: unknown[]) => unknown);
      if (typeof matcher !== 'function') return judged(matcher, message, failed);
      return (...given: unknown[]) => {
        try {
          const result = matcher(...given);
          return result instanceof Promise ? result.catch(named) : result;
        } catch (error) {
          return named(error as Error);
        }
      };
    },
  });
}
