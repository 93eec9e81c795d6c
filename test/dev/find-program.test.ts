import { delimiter } from 'node:path';
import { findProgram, type Program, type ProgramMachine } from '../../dev/find-program.ts';

/** A machine with these files, on which an installation adds the next ones. */
function machine(env: NodeJS.ProcessEnv, files: string[], installs: string[] | Error | false = false): ProgramMachine {
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
const chromium: Program = {
  name: 'Chromium',
  variable: 'CHROMIUM_PATH',
  names: ['chromium', 'google-chrome'],
  folders: ['/usr/lib/chromium'],
  packages: ['chromium', 'fonts-liberation'],
};
const PATH = `/usr/local/bin${delimiter}/usr/bin`;

describe('findProgram', () => {
  it.each([
    ['its variable before the PATH', { CHROMIUM_PATH: '/opt/chrome', PATH }, ['/opt/chrome', '/usr/bin/chromium'], '/opt/chrome'],
    ['a file on the PATH', { PATH }, ['/usr/bin/chromium'], '/usr/bin/chromium'],
    ['another name as well', { PATH }, ['/usr/bin/google-chrome'], '/usr/bin/google-chrome'],
    ['the first folder of the PATH', { PATH }, ['/usr/bin/chromium', '/usr/local/bin/google-chrome'], '/usr/local/bin/google-chrome'],
    ['the PATH before another folder', { PATH }, ['/usr/lib/chromium/chromium', '/usr/bin/google-chrome'], '/usr/bin/google-chrome'],
    ['another folder, without a PATH', {}, ['/usr/lib/chromium/chromium'], '/usr/lib/chromium/chromium'],
  ])('takes %s', async (_name, env, files, expected) => {
    expect(await findProgram(chromium, silently, machine(env, files, new Error('not asked')))).toBe(expected);
  });

  it('installs it where it may, and says so', async () => {
    const said: string[] = [];
    expect(await findProgram(chromium, (line) => said.push(line), machine({ PATH }, [], ['/usr/bin/chromium']))).toBe('/usr/bin/chromium');
    expect(said).toEqual(['chromium: installing it by apt-get']);
  });

  it.each([
    [
      'a variable that names no executable file',
      { CHROMIUM_PATH: '/nowhere', PATH },
      ['/usr/bin/chromium'],
      false as const,
      "CHROMIUM_PATH is '/nowhere', which is not an executable file. Correct or unset it.",
    ],
    [
      'no program where it may not install',
      { PATH },
      [],
      false as const,
      'No Chromium is on the PATH (chromium, google-chrome). Install it (Debian: apt-get install chromium fonts-liberation), or set CHROMIUM_PATH.',
    ],
    [
      'an installation that fails',
      { PATH },
      [],
      new Error('`apt-get` is not installed'),
      'Chromium could not be installed: `apt-get` is not installed. Install it (Debian: apt-get install chromium fonts-liberation), or set CHROMIUM_PATH.',
    ],
    [
      'an installation that brings none',
      {},
      [],
      [],
      'apt-get has installed the package chromium, and there is none on the PATH. Set CHROMIUM_PATH.',
    ],
  ])('rejects %s', async (_name, env, files, installs, message) => {
    await expect(findProgram(chromium, silently, machine(env, files, installs))).rejects.toThrow(new Error(message));
  });
});
