import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as orders from '../../examples/orders/model.ts';
import { defineModel, diagram, t } from '../../src/index.ts';
import * as books from '../support/models/books.ts';
import { Item } from '../support/models/item.ts';
import { Member, Project, Task } from '../support/models/related-tasks.ts';

// The grammar of Mermaid's `erDiagram`, as far as it is used: every line is one of these. Its types and names of fields
// begin with a letter or `_`.
const name = String.raw`"[^"%\\\r\n\0]+"`;
const word = String.raw`[A-Za-z_\u00c0-\uffff][\w[\]()\u00c0-\uffff-]*`;
const key = '(?:PK|FK|UK)';
const grammar = [
  /^erDiagram$/,
  new RegExp(`^ {4}${name} \\{$`),
  new RegExp(`^ {8}${word} ${word}(?: ${key}(?:, ${key})*)?(?: ${name})?$`),
  /^ {4}\}$/,
  new RegExp(String.raw`^ {4}${name} (?:\|\||\|o|\}o)(?:--|\.\.)(?:\|\||o\||o\{) ${name} : ${name}$`),
];

function draw(...models: Parameters<typeof diagram>[0]): string[] {
  const text = diagram(models);
  expect(text.endsWith('\n')).toBe(true);
  const lines = text.slice(0, -1).split('\n');
  expect(lines[0]).toBe('erDiagram');
  expect(lines.filter((line) => !grammar.some((rule) => rule.test(line)))).toEqual([]);
  return lines.map((line) => line.trim());
}

const id = t.string();

describe('diagram()', () => {
  it('draws a box for each model, with types, keys and what may be missing, and without private fields', () => {
    const Doc = defineModel('Doc', {
      collection: 'docs',
      fields: {
        email: t.string({ unique: true }),
        count: t.nullable(t.int64()),
        names: t.optional(t.array(t.array(t.string()))),
        more: t.map(t.decimal()),
        kind: t.enum(['a', 'b']),
        secret: t.string({ policy: { private: true } }),
        hidden: t.optional(t.object('Hidden', { by: t.ref('Other') }, { policy: { private: true } })),
        revision: t.revision(),
      },
    });
    expect(draw(Doc)).toEqual([
      'erDiagram',
      '"Doc" {',
      'objectId id PK',
      'string email UK',
      'int64 count "nullable"',
      'string[][] names "optional"',
      'map(decimal) more',
      'enum kind',
      'int revision',
      '}',
    ]);
  });

  it('draws an edge for each relation, with its name and how many records may be at either end', () => {
    const From = defineModel('From', {
      collection: 'from',
      fields: {
        a: t.ref('To', { id }),
        bId: t.nullable(t.ref('To', { id, as: 'b' })),
        c: t.optional(t.ref('To', { id })),
        ds: t.array(t.ref('To', { id })),
        e: t.ref('To', { id, unique: true }),
        self: t.nullable(t.ref('From')),
        secret: t.optional(t.ref('To', { id, policy: { private: true } })),
      },
    });
    expect(draw(From).filter((line) => line.includes('--'))).toEqual([
      '"From" }o--|| "To" : "a"',
      '"From" }o--o| "To" : "b"',
      '"From" }o--o| "To" : "c"',
      '"From" }o--o{ "To" : "ds"',
      '"From" |o--|| "To" : "e"',
      '"From" }o--o| "From" : "self"',
    ]);
    expect(draw(From)).toContain('string e FK, UK');
  });

  it('draws a box for each embedded object, by its path, and the relations in it', () => {
    const Part = t.object('Part', { madeBy: t.ref('Maker', { id }), size: t.int() });
    const Car = defineModel('Car', {
      collection: 'cars',
      fields: { engine: Part, spare: t.nullable(Part), parts: t.array(Part), named: t.optional(t.map(Part)) },
    });
    const lines = draw(Car);
    expect(lines.filter((line) => line.endsWith('{'))).toEqual([
      '"Car" {',
      '"Car.engine" {',
      '"Car.spare" {',
      '"Car.parts" {',
      '"Car.named" {',
    ]);
    expect(lines.filter((line) => line.startsWith('"Car" '))).toEqual([
      '"Car" {',
      '"Car" ||..|| "Car.engine" : "engine"',
      '"Car" ||..o| "Car.spare" : "spare"',
      '"Car" ||..o{ "Car.parts" : "parts"',
      '"Car" ||..o{ "Car.named" : "named"',
    ]);
    expect(lines).toEqual(
      expect.arrayContaining(['Part engine', 'Part[] parts', 'map(Part) named "optional"', '"Car.parts" }o--|| "Maker" : "madeBy"']),
    );
  });

  it('writes only names that Mermaid can read, whatever the models are called', () => {
    const Odd = defineModel('one.or-more', {
      collection: 'odd',
      fields: {
        'a b': t.string(),
        '1': t.string(),
        größe: t.int(),
        名前: t.int(),
        '"': t.int(),
        '%%{init}': t.ref('To', { as: 'x"\\ny' }),
        'o"\nb': t.object('Em', { '`': t.int() }),
      },
    });
    expect(draw(Odd)).toEqual(
      expect.arrayContaining([
        '"one.or-more" {',
        'string a_b',
        'string _1',
        'int größe',
        'int 名前',
        'int _',
        'objectId ___init_ FK',
        '"one.or-more" }o--|| "To" : "x__ny"',
        '"one.or-more.o__b" {',
      ]),
    );
  });

  it('draws the models of other tests, and nothing for no models', () => {
    draw(books.Book, books.Person, books.Company, Item, Member, Project, Task);
    expect(draw()).toEqual(['erDiagram']);
  });

  it('is what docs/reference/relations.md shows of the example of the orders: `npm run diagram` writes it there', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/reference/relations.md'), 'utf8');
    expect(page).toContain(`\`\`\`mermaid\n${diagram(Object.values(orders))}\`\`\`\n`);
  });
});
