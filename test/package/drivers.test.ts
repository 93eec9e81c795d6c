import { randomBytes } from 'node:crypto';
import { Stranger } from './stranger.ts';

const model = `import { applyIndexes, defineModel, service, t } from 'koa-mongo-resource';
const Note = defineModel('Note', {
  collection: 'notes',
  fields: { title: t.string({ unique: true }), at: t.date(), price: t.decimal(), about: t.ref('Note'), any: t.any(), revision: t.revision() },
});
const notebook = service();
const notes = notebook.resource({ model: Note });
`;

const throughMongoose = `import mongoose from 'mongoose';
${model}
await mongoose.connect(process.env.URI ?? '', { dbName: process.env.DATABASE ?? '' });
const db = mongoose.connection.getClient().db(process.env.DATABASE);
const api = notebook.api({ db, resources: [notes] });
const answers: unknown[] = [];
async function send(method: string, path: string, body?: object): Promise<void> {
  const json = { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  const response = await api.fetch(new Request('http://in-process' + path, { method, ...(body && json) }));
  const { data, code, errors } = (await response.json()) as { data?: { id: string }; code?: string; errors?: object[] };
  answers.push([response.status, data ?? code, errors].filter(Boolean));
}
const note = { title: 'a', at: '2026-01-01T00:00:00.000Z', price: '1.10', about: '6b028f53ba2a85d9b9f3d268', any: { deep: [1.5] } };
answers.push((await applyIndexes(api)).flatMap(({ created }) => created.map(({ key }) => key)));
await send('POST', '/notes', note);
await send('POST', '/notes', note);
await send('GET', '/notes');
await db.dropDatabase();
await mongoose.disconnect();
await send('GET', '/notes');
console.log(JSON.stringify(answers));
`;

const ofAnotherMajor = `import { MongoClient } from 'mongodb-6';
${model}
const client = new MongoClient('mongodb://127.0.0.1:1');
try {
  notebook.api({ db: client.db('shop'), resources: [notes] });
} catch (error) {
  console.log(error.name + ': ' + error.message);
}
`;

let stranger: Stranger;
beforeAll(async () => {
  // Older than the driver of mongoose, so that there are two.
  const dependencies = {
    koa: '^3.3.0',
    mongodb: '7.0.0',
    mongoose: '9.12.1',
    'mongodb-6': 'npm:mongodb@6.20.0',
    '@types/node': '^20.19.0',
    typescript: '7.0.2',
  };
  stranger = await Stranger.install({ dependencies, files: { 'mongoose.ts': throughMongoose, 'major.mjs': ofAnotherMajor } });
});
afterAll(() => stranger.remove());

describe('a database of another copy of the driver', () => {
  it('keeps the contract through the connection of mongoose, in TypeScript too', async () => {
    const options = { strict: true, module: 'nodenext', target: 'es2023', types: ['node'], rootDir: '.', outDir: 'out' };
    await stranger.write('tsconfig.json', JSON.stringify({ compilerOptions: options, files: ['mongoose.ts'] }));
    expect(await stranger.run(process.execPath, ['node_modules/typescript/bin/tsc'])).toEqual({ code: 0, output: '' });
    const env = { URI: process.env.MONGODB_URI, DATABASE: `package_${randomBytes(4).toString('hex')}` };
    const { code, output } = await stranger.run(process.execPath, ['out/mongoose.js'], env);
    expect([code, output]).toEqual([0, expect.stringMatching(/^\[.*\]\n$/)]);
    const record = expect.objectContaining({
      title: 'a',
      at: '2026-01-01T00:00:00.000Z',
      price: '1.10',
      any: { deep: [1.5] },
      revision: 0,
    });
    expect(JSON.parse(output)).toEqual([
      [[['title', 1]]],
      [201, record],
      [409, 'duplicate_key', [expect.objectContaining({ field: 'title' })]],
      [200, [record]],
      [503, 'database_unavailable'],
    ]);
  });

  it('is refused when it could not store the values of this one', async () => {
    const { code, output } = await stranger.run(process.execPath, ['major.mjs']);
    expect([code, output]).toEqual([
      0,
      'ConfigurationError: `db` is from a MongoDB driver with version 6 of `bson`, but this library uses version 7: install the same major version of `mongodb` for both.\n',
    ]);
  });
});
