import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { exchangeTimes } from '../../src/api/outer-middlewares.ts';
import { limitsOfApi } from '../../src/api/read-options.ts';
import { defineModel, service, t } from '../../src/index.ts';
import { limitsOfLists } from '../../src/middleware/exchange/further-parameters.ts';
import { filterLimits } from '../../src/middleware/list-query.ts';
import { throughLimits } from '../../src/middleware/relations/compile-through.ts';
import { aMaxAffected } from '../../src/mongo/collection/write-many.ts';
import { referenceLimits } from '../../src/mongo/relations/limits.ts';
import { defaultOf, type WithDefault } from '../../src/options.ts';
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

const maxAffected = aMaxAffected;
const defaultsOfApi = { ...limitsOfApi, ...exchangeTimes, ...filterLimits, ...throughLimits, ...limitsOfLists, ...referenceLimits };

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

  it.each([
    ['A resource', { maxAffected }],
    ['An api', defaultsOfApi],
  ] as [string, Readonly<Record<string, WithDefault>>][])('has the default of each number: %s', (heading, table) => {
    const section = page.slice(page.indexOf(`## ${heading}\n`)).split('\n## ')[0] ?? '';
    const shown = new Map(section.split('\n').flatMap(defaultsIn));
    expect(Object.fromEntries(Object.keys(table).map((name) => [name, shown.get(name)]))).toEqual(
      Object.fromEntries(Object.entries(table).map(([name, option]) => [name, spell(defaultOf(option))])),
    );
  });
});

describe('the comments on options', () => {
  it('say the defaults that they have', () => {
    const table: Readonly<Record<string, WithDefault>> = { maxAffected, ...defaultsOfApi };
    const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
    const said = files.flatMap((file) => {
      const comments = readFileSync(join(root, 'src', file), 'utf8').matchAll(
        /@default (\d[\d,_]*(?: MiB)?)[^@;]*\*\/\s+readonly (\w+)\?:/g,
      );
      return Array.from(comments, ([, value = '', name = '']) => ({ file, name, value: value.replaceAll('_', ',') }));
    });
    const known = said.flatMap((one) => (table[one.name] ? [{ ...one, is: spell(defaultOf(table[one.name] as WithDefault)) }] : []));
    expect(known.length).toBeGreaterThan(30);
    expect(known.filter(({ value, is }) => value !== is)).toEqual([]);
  });
});

/** The names of a row with their defaults: in the same order, if there are several. */
function defaultsIn(line: string): [string, string | undefined][] {
  const [names = '', defaults = ''] = line.startsWith('| ') ? line.slice(2).split(' | ') : [];
  const shown = defaults.split(', ');
  return names.split(', ').map((name, index) => [name.replaceAll('`', ''), shown[index]]);
}

function spell(value: unknown): string {
  if (typeof value !== 'number') return `\`${value}\``;
  return value % 2 ** 20 === 0 ? `${value / 2 ** 20} MiB` : value.toLocaleString('en-US');
}
