import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { transformSync } from 'esbuild';

const source = readFileSync(join(import.meta.dirname, '../../src/openapi/follow-events.ts'), 'utf8');

/** What the globals are that browsers have, and the script uses. */
const page = { addEventListener() {} };

describe('followEvents', () => {
  // The text of the function goes to the page: a helper of the bundler that it would use stays behind.
  it.each([{ keepNames: true }, { keepNames: true, minify: true }, { target: 'es2020', keepNames: true, minify: true }])(
    'stands alone when it was bundled with %o',
    (options) => {
      const { code } = transformSync(source, { loader: 'ts', format: 'cjs', ...options });
      const module = { exports: {} as Record<string, unknown> };
      new Script(`(module) => {${code}}`).runInThisContext()(module);
      const text = String(module.exports.followEvents);
      const { statePlugins } = new Script(`(${text})`).runInThisContext()(page);
      const { executeRequest, setResponse, clearResponse } = statePlugins.spec.wrapActions;
      const done: unknown[] = [];
      const note = (...given: unknown[]) => done.push(given);
      executeRequest(note)({ pathName: '/orders', method: 'get' });
      setResponse(note)('/orders', 'get', { text: '{}' });
      clearResponse(note)('/orders', 'get');
      expect(done).toEqual([
        [{ pathName: '/orders', method: 'get', userFetch: expect.any(Function) }],
        ['/orders', 'get', { text: '{}' }],
        ['/orders', 'get'],
      ]);
      expect(text).not.toContain('__name');
    },
  );
});
