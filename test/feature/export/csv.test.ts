import { Decimal128, Long, ObjectId } from 'mongodb';
import { compileCsv } from '../../../src/features/export/work/write-csv.ts';
import { defineModel, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';
import { getStream } from '../../support/http/read-stream.ts';

const Place = t.object('Place', {
  city: t.string(),
  point: t.optional(t.object('Point', { x: t.float(), y: t.float() })),
  code: t.string({ default: 'zq', policy: { private: true } }),
});
const Line = t.object('Line', { sku: t.string(), cost: t.string({ default: 'zq', policy: { private: true } }) });
const Item = defineModel('Item', {
  collection: 'items',
  fields: {
    id: t.string({ policy: { filter: true, sort: true } }),
    text: t.nullable(t.string()),
    amount: t.nullable(t.decimal()),
    big: t.nullable(t.int64()),
    ratio: t.nullable(t.float()),
    isOpen: t.boolean({ default: false }),
    at: t.optional(t.date()),
    place: t.nullable(Place),
    tags: t.array(t.string(), { default: [] }),
    lines: t.array(Line, { default: [] }),
    labels: t.optional(t.map(t.string())),
    any: t.optional(t.any()),
    secret: t.string({ default: 'zq', policy: { private: true } }),
  },
});

const database = useDatabase();
const api = useApi(database, (shop) => [
  shop.resource({ model: Item, fields: true, export: {} }),
  shop.resource({ model: Item, path: 'raw', fields: true, export: { disarm: false } }),
]);

const full = {
  _id: 'full',
  text: 'a "quoted", text\r\nof two lines',
  amount: Decimal128.fromString('-12.30'),
  big: Long.fromString('-9007199254740993'),
  ratio: -0.5,
  isOpen: true,
  at: new Date('2026-01-02T03:04:05.678Z'),
  place: { city: 'Zürich', point: { x: 1, y: -2 }, code: 'zq' },
  tags: ['=a', 'b'],
  lines: [{ sku: '=s', cost: 'zq' }],
  labels: { '=k': '+v' },
  any: { a: [1, '=x'] },
  secret: 'zq',
};

/** Texts as they are stored, and as they are disarmed. */
const disarmed: readonly (readonly [string, string])[] = [
  ...['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r1', '\n1', '\0=1', '＝1', '＋1', '－1', '＠SUM(A1)', '=a,"b"\n'].map(
    (text) => [text, `'${text}`] as const,
  ),
  ...["'=1", ' =1', '', 'a=1', '"=1"', 'a;b', 'a; =1'].map((text) => [text, text] as const),
  ['a;=1;-b;c', "a;'=1;'-b;c"], // where the comma is that of decimals, a semicolon begins a cell
  ['=a;＝b', "'=a;'＝b"],
  // There, the quotes of a cell that is not the first one are text, so that a line break begins a row.
  ['a\n=1\r\n＋1\n\nb\n\t=1', "a\n'=1\r\n'＋1\n\nb\n'\t=1"],
  ['\r=1', "'\r'=1"],
  ['\n=1', "'\n'=1"],
];
const armed = disarmed.map(([text]) => text);

beforeAll(async () => {
  const items = database.db.collection<{ _id: string }>('items');
  await items.insertMany([
    full,
    { _id: 'bare' },
    ...armed.map((text, index) => ({ _id: `armed${String(index).padStart(2, '0')}`, text })),
    { _id: '=id', text: 'x' },
  ]);
});

const get = (path: string) => getStream(api.port, `/api/${path}`, 'text/csv');
/** Reads what RFC 4180 says. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (cell.lastIndex < text.length) {
    const match = cell.exec(text);
    if (!match) throw new Error(`not a table at ${cell.lastIndex}`);
    rows.at(-1)?.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] !== ',') rows.push([]);
  }
  return rows.slice(0, -1);
}

describe('a list with `Accept: text/csv`', () => {
  it('has a row for each record below the names of its columns, and ends rows with CRLF', async () => {
    const { status, headers, text } = await get('items?id=full');
    expect([status, headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
    expect(headers['content-disposition']).toBe('attachment; filename="items.csv"');
    expect(text).toBe(
      'id,text,amount,big,ratio,isOpen,at,place.city,place.point.x,place.point.y,tags,lines,labels,any\r\n' +
        'full,"a ""quoted"", text\r\nof two lines",-12.30,-9007199254740993,-0.5,true,2026-01-02T03:04:05.678Z,Zürich,1,-2,' +
        '"[""=a"",""b""]","[{""sku"":""=s""}]","{""=k"":""+v""}","{""a"":[1,""=x""]}"\r\n',
    );
    expect(text).not.toContain('zq');
  });

  it('leaves the cell of a missing value empty, and shows defaults', async () => {
    const [, row] = parse((await get('items?id=bare')).text);
    expect(row).toEqual(['bare', '', '', '', '', 'false', '', '', '', '', '[]', '[]', '', '']);
  });

  it('tells an empty text from a missing one', async () => {
    expect((await get('items?id=armed15&fields=text')).text).toBe('id,text\r\narmed15,""\r\n');
    expect((await get('items?id=bare&fields=text')).text).toBe('id,text\r\nbare,\r\n');
  });

  it('has the chosen columns, in the order of the model', async () => {
    expect((await get('items?id=full&fields=place.point,amount,lines.sku')).text).toBe(
      'id,amount,place.point.x,place.point.y,lines\r\nfull,-12.30,1,-2,"[{""sku"":""=s""}]"\r\n',
    );
    expect((await get('items?id=full&fields=place')).text).toBe('id,place.city,place.point.x,place.point.y\r\nfull,Zürich,1,-2\r\n');
    expect((await get('items?fields=secret')).status).toBe(400);
  });

  it('has its header row if nothing matches', async () => {
    expect((await get('items?id=none&fields=text')).text).toBe('id,text\r\n');
  });

  it('disarms text that a spreadsheet would take for a formula, and no numbers', async () => {
    const rows = parse((await get('items?id[prefix]=armed&fields=text&sort=id')).text).slice(1);
    expect(rows.map(([, text]) => text)).toEqual(disarmed.map(([, text]) => text));
    expect(parse((await get('items?id==id&fields=text')).text)[1]).toEqual(["'=id", 'x']);
  });

  it('sends text as it is with `disarm: false`', async () => {
    const rows = parse((await get('raw?id[prefix]=armed&fields=text&sort=id')).text).slice(1);
    expect(rows.map(([, text]) => text)).toEqual(armed);
  });
});

describe('a stored value of another type than its field', () => {
  const { root } = compileModel(Item);
  const rowOf = (stored: object) => parse(compileCsv(root, undefined, true).writeRow({ _id: 'x', ...stored } as never))[0];

  it('is disarmed if it is text, and cannot break its row', () => {
    expect(rowOf({ amount: '=1', isOpen: '-x', big: '+1' })?.slice(0, 6)).toEqual(['x', '', "'=1", "'+1", '', "'-x"]);
    expect(rowOf({ text: { a: '=1;=2' } })?.[1]).toBe(`{"a":"=1;'=2"}`);
    expect(rowOf({ tags: ['-1;+2'], any: -5 })?.slice(-4)).toEqual([`["-1;'+2"]`, '[]', '', '-5']);
    expect(rowOf({ text: new ObjectId('0123456789abcdef01234567') })?.[1]).toBe('0123456789abcdef01234567');
  });

  it('has no place in the columns of an object', () => {
    expect(rowOf({ place: 'zq' })?.slice(7, 10)).toEqual(['', '', '']);
    expect(rowOf({ place: ['zq'], lines: 'zq' })).not.toContain('zq');
  });
});

describe('a column', () => {
  const Odd = defineModel('Odd', {
    collection: 'odds',
    fields: { id: t.string(), __proto: t.string({ default: '' }), constructor: t.optional(t.string()) },
  });

  it('is found by its own key', () => {
    expect(compileCsv(compileModel(Odd).root, undefined, true).writeRow({ _id: 'x', __proto: '-' })).toBe("x,'-,\r\n");
  });
});
