import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readDocsFiles } from '../../src/api/docs-routes.ts';
import { ConfigurationError, defineModel, service, t } from '../../src/index.ts';
import { docsFiles } from '../../src/openapi/docs-page.ts';
import { db } from '../openapi/fixtures.ts';
import { useTemporaryFolder } from '../support/temporary-folder.ts';

const folder = useTemporaryFolder();

/** A module beside which a package is looked for. */
const neighbour = () => join(folder.path, 'index.js');

async function install(version: string, ...files: string[]): Promise<void> {
  const installed = join(folder.path, 'node_modules', 'swagger-ui-dist');
  await mkdir(installed, { recursive: true });
  await writeFile(join(installed, 'package.json'), JSON.stringify({ name: 'swagger-ui-dist', version }));
  for (const file of files) await writeFile(join(installed, file), file);
}

function failure(): unknown {
  try {
    return readDocsFiles(docsFiles, neighbour());
  } catch (error) {
    return error;
  }
}

describe('readDocsFiles', () => {
  it('reads the files of the installed package', async () => {
    await install('5.99.0', ...docsFiles);
    expect([...readDocsFiles(['swagger-ui.css'], neighbour())]).toEqual([['swagger-ui.css', Buffer.from('swagger-ui.css')]]);
  });

  it('says which package is missing', () => {
    expect(failure()).toEqual(
      new ConfigurationError('`docs` needs the package `swagger-ui-dist`: install it with `npm install swagger-ui-dist`.'),
    );
  });

  it('says that the package is of another major version, which cannot show OpenAPI 3.1', async () => {
    await install('4.19.1', ...docsFiles);
    expect(failure()).toEqual(new ConfigurationError('`docs` needs version 5 of the package `swagger-ui-dist`, not 4.19.1.'));
  });

  it('says which file the package does not have', async () => {
    await install('5.0.0', 'swagger-ui.css');
    expect(failure()).toEqual(
      new ConfigurationError('`docs` needs `swagger-ui-bundle.js`, which swagger-ui-dist 5.0.0 does not have: update it.'),
    );
  });
});

describe('the option `docs`', () => {
  const shop = service();
  const note = (path: string) => shop.resource({ model: defineModel('Note', { collection: 'notes', fields: { text: t.string() } }), path });
  const create = (options: object, path = 'notes') => shop.api({ db, resources: [note(path)], ...options });

  it('is true or false', () => {
    expect(() => create({ docs: 'swagger' })).toThrow(new ConfigurationError('`docs` must be true or false.'));
  });

  it('needs the description', () => {
    expect(() => create({ docs: true, openapi: false })).toThrow(
      new ConfigurationError('`docs` shows the description: it needs `openapi`.'),
    );
  });

  it('takes the path `docs` from resources, and only where it is on', () => {
    expect(() => create({ docs: true }, 'docs')).toThrow(
      new ConfigurationError('A resource cannot have the path `docs`: the api serves its docs page there, unless `docs` is false.'),
    );
    expect(() => create({}, 'docs')).not.toThrow();
  });
});
