import { delimiter } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type BrowserMachine, findChromium } from '../../dev/find-chromium.ts';

/** A machine with these files, on which an installation adds the next ones. */
function machine(env: NodeJS.ProcessEnv, files: string[], installs: string[] | Error | false = false): BrowserMachine {
  const present = new Set(files);
  return {
    env,
    isExecutable: async (path) => present.has(path),
    mayInstall: installs !== false,
    async install() {
      if (installs instanceof Error) throw installs;
      for (const file of installs || []) present.add(file);
    },
  };
}

const silently = () => {};
const PATH = `/usr/local/bin${delimiter}/usr/bin`;

describe('findChromium', () => {
  it.each([
    ['CHROMIUM_PATH before the PATH', { CHROMIUM_PATH: '/opt/chrome', PATH }, ['/opt/chrome', '/usr/bin/chromium'], '/opt/chrome'],
    ['Chromium on the PATH', { PATH }, ['/usr/bin/chromium'], '/usr/bin/chromium'],
    ['Chrome as well', { PATH }, ['/usr/bin/google-chrome'], '/usr/bin/google-chrome'],
    ['the first folder of the PATH', { PATH }, ['/usr/bin/chromium', '/usr/local/bin/google-chrome'], '/usr/local/bin/google-chrome'],
  ])('takes %s', async (_name, env, files, expected) => {
    expect(await findChromium(silently, machine(env, files, new Error('not asked')))).toBe(expected);
  });

  it('installs it where it may, and says so', async () => {
    const said: string[] = [];
    expect(await findChromium((line) => said.push(line), machine({ PATH }, [], ['/usr/bin/chromium']))).toBe('/usr/bin/chromium');
    expect(said).toEqual(['chromium: installing it by apt-get']);
  });

  it.each([
    [
      'a CHROMIUM_PATH that is none',
      { CHROMIUM_PATH: '/nowhere', PATH },
      ['/usr/bin/chromium'],
      false as const,
      "CHROMIUM_PATH is '/nowhere', which is not an executable file. Correct or unset it.",
    ],
    [
      'no Chromium where it may not install',
      { PATH },
      [],
      false as const,
      'No Chromium is on the PATH (chromium, chromium-browser, google-chrome, google-chrome-stable). Install it, or set CHROMIUM_PATH.',
    ],
    [
      'an installation that fails',
      { PATH },
      [],
      new Error('`apt-get` is not installed'),
      'Chromium could not be installed: `apt-get` is not installed. Install it, or set CHROMIUM_PATH.',
    ],
    [
      'an installation that brings none',
      {},
      [],
      [],
      'apt-get has installed the package chromium, and there is none on the PATH. Set CHROMIUM_PATH.',
    ],
  ])('rejects %s', async (_name, env, files, installs, message) => {
    await expect(findChromium(silently, machine(env, files, installs))).rejects.toThrow(new Error(message));
  });
});
