import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { defineModel, service, t } from '../../src/index.ts';
import { root } from '../support/docs/pages.ts';

const page = readFileSync(join(root, 'docs/reference/options.md'), 'utf8');
const Note = defineModel('Note', { collection: 'notes', fields: { title: t.string() } });
const db = new MongoClient('mongodb://127.0.0.1').db('notes'); // nobody connects to it

/** The options that the message for an unknown one lists. */
function legalOptions(make: () => unknown): string[] {
  try {
    make();
  } catch (error) {
    return /Allowed: (.*?)\./.exec((error as Error).message)?.[1]?.split(', ') ?? [];
  }
  throw new Error('It took an unknown option.');
}

const unknown = { notAnOption: true };
const ofResource = legalOptions(() => service().api({ db, resources: [service().resource({ model: Note, ...unknown })] }));
const ofApi = legalOptions(() => service().api({ db, resources: [], ...unknown }));

describe('docs/reference/options.md', () => {
  it.each([
    ['A resource', ofResource],
    ['An api', ofApi],
  ])('has a row for each option: %s', (heading, names) => {
    const section = page.slice(page.indexOf(`## ${heading}\n`)).split('\n## ')[0] ?? '';
    const cells = section.split('\n').flatMap((line) => (line.startsWith('| `') ? [line.slice(2, line.indexOf(' |', 2))] : []));
    const inTable = cells.flatMap((cell) => cell.split(', ')).map((name) => name.replaceAll('`', ''));
    expect(inTable.sort()).toEqual([...names].sort());
  });
});
