import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { operations } from '../../../src/resource/define/standard-operations.ts';

const src = join(import.meta.dirname, '../../../src');

/**
 * The files that spell names of standard operations, beside the table itself, and why they may. Whatever holds for
 * every row, or for each operation of a group, reads the table or `standardOperations` instead: a file is taken out
 * of this list, and none is put into it without a reason.
 */
const maySpell: Readonly<Record<string, string>> = {
  'features/links/facet.ts': 'a link is a patch, with its guards and hooks',
  'features/live/schemas.ts': 'events of a list and of a record are different schemas',
  'openapi/operations/describe-standard.ts': 'words for each operation',
  'openapi/relations/describe-nested.ts': 'words for each operation below a record',
  'openapi/schemas/record-schemas.ts': 'each kind of body is a schema of its own',
  'openapi/schemas/to-json-schema.ts': 'an option of the package, by kinds of bodies',
  'resource/compile-resource.ts': 'who may patch a record may use what plug-ins have for its fields',
  'resource/define/relation-endpoints.ts': 'which operation of the other resource stands at the path of a relation',
  'resource/define/resource-options.ts': 'types of what hooks get',
  'resource/relations/link-resources.ts': 'what a cascade does to a record has hooks of one operation',
};

/**
 * Rooms below the resources, and words of the same spelling: forms of a value, kinds of a state, calls of a store, ways
 * in which mongoose writes.
 */
const elsewhere = /^(?:model|mongo|store|features\/live\/work|middleware|http|products\/mongoose)\/|^openapi\/schemas\/named-schema\.ts$/;

const spelled = new RegExp(`'(?:${operations.join('|')})'`);

/** The code of a file, without its comments and templates. */
function codeOf(file: string): string {
  return readFileSync(join(src, file), 'utf8')
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\/\/.*$/gm, '')
    .replace(/`[^`]*`/g, '');
}

const files = readdirSync(src, { recursive: true, withFileTypes: true })
  .filter((one) => one.isFile() && one.name.endsWith('.ts'))
  .map((one) => relative(src, join(one.parentPath, one.name)).replaceAll('\\', '/'))
  .filter((file) => !elsewhere.test(file) && spelled.test(codeOf(file)));

describe('names of standard operations', () => {
  it('are spelt in the table, in the rows of plug-ins and in these files only, each for a reason', () => {
    const outside = files.filter((file) => !/^(?:resource\/table\/|features\/[\w-]+\/rows\.ts$)/.test(file));
    expect(outside.sort()).toEqual(Object.keys(maySpell).sort());
    expect(outside.length).toBeLessThanOrEqual(10);
  });
});
