import { chooseMongod } from '../support/database/choose-mongod.ts';

const install = async () => '/cache/mongod-7';
const otherThan = 'TEST_MONGODB asks for another MongoDB than MONGODB_URI or MONGOMS_SYSTEM_BINARY names. Unset one of them.';

describe('chooseMongod', () => {
  it('leaves the search alone without TEST_MONGODB', async () => {
    const env = { TEST_MONGODB: '', MONGODB_URI: 'mongodb://db.test' };
    await chooseMongod(env, () => Promise.reject(new Error('not asked')));
    expect(env).toEqual({ TEST_MONGODB: '', MONGODB_URI: 'mongodb://db.test' });
  });

  it('names the mongod that is asked for, also once it runs', async () => {
    const env: NodeJS.ProcessEnv = { TEST_MONGODB: '7' };
    await chooseMongod(env, install);
    expect(env).toEqual({ TEST_MONGODB: '7', MONGOMS_SYSTEM_BINARY: '/cache/mongod-7' });
    const running = { ...env, MONGODB_URI: 'mongodb://127.0.0.1:1' };
    await chooseMongod(running, install);
    expect(running.MONGODB_URI).toBe('mongodb://127.0.0.1:1');
  });

  it.each([
    ['another version', { TEST_MONGODB: '5' }, "TEST_MONGODB is '5'. It may be 7, for MongoDB 7.0 on Wine."],
    ['a MongoDB that runs', { TEST_MONGODB: '7', MONGODB_URI: 'mongodb://db.test' }, otherThan],
    ['another mongod', { TEST_MONGODB: '7', MONGOMS_SYSTEM_BINARY: '/usr/bin/mongod' }, otherThan],
  ])('refuses %s', async (_name, env, message) => {
    await expect(chooseMongod(env, install)).rejects.toThrow(new Error(message));
  });
});
