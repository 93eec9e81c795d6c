import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { useDatabase } from '../../support/database/database.ts';
import { useTemporaryFolder } from '../../support/temporary-folder.ts';
import { connectClient } from '../mcp/connect.ts';
import { useCli } from './run-cli.ts';

const { library, main, runCli } = useCli();

const database = useDatabase();
const folder = useTemporaryFolder();
const root = join(import.meta.dirname, '../../..');

const module = `import { defineModel, service, t } from '${library}';
console.log('a log of the module');
const Note = defineModel('Note', { collection: 'notes', fields: { title: t.string(), owner: t.string({ policy: { insert: false } }) } });
const notebook = service({ authenticate: (ctx) => ctx.get('authorization') });
const owner = (ctx) => ({ owner: ctx.requirePrincipal() });
export default (db) => notebook.api({ db, resources: [notebook.resource({ model: Note, scope: owner, serverFields: owner })] });
`;

describe('mcp', () => {
  it('serves the api to an agent over stdio, whatever the module logs', async () => {
    const path = join(folder.path, 'api.mjs');
    await writeFile(path, module);
    const args = [main, 'mcp', path, '--write', '--operation', 'notes.list', '--operation', 'notes.create'];
    const env = { ...getDefaultEnvironment(), AUTHORIZATION: 'ann', MONGODB_URI: process.env.MONGODB_URI ?? '' };
    const command = { command: process.execPath, cwd: root, env, stderr: 'pipe' } as const;
    const transport = new StdioClientTransport({ ...command, args: [...args, '--db', database.db.databaseName] });
    const agent = await connectClient(transport);
    expect(await agent.names()).toEqual(['notes_list', 'notes_create']);
    expect((await agent.call('notes_create', { body: { title: 'a' } })).json.data).toMatchObject({ title: 'a', owner: 'ann' });
    await agent.client.close();
  });

  it('says which operation is not served, and ends with 2', async () => {
    const path = join(folder.path, 'api.mjs');
    await writeFile(path, module);
    const atDatabase = ['--uri', process.env.MONGODB_URI ?? '', '--db', database.db.databaseName];
    const { code, stdout, stderr } = await runCli(['mcp', path, '--operation', 'notes.lst', ...atDatabase]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('names `notes.lst`, which the api does not serve; did you mean `notes.list`?');
  });
});
