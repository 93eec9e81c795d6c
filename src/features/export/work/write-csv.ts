import type { CompiledModel } from '../../../model/compile/compile-model.ts';
import { compileExplain } from '../../../model/compile/explain-record.ts';
import { absent, type CompiledField, join, type ObjectNode } from '../../../model/node.ts';
import { changeFields, showNull } from '../../../model/read/change-fields.ts';
import { readableComputed } from '../../../model/read/computed-fields.ts';
import { readableFields } from '../../../model/read/private-fields.ts';
import { compileFieldWriter, type Selection, type WriteJson } from '../../../model/read/write-json.ts';
import { compileShownValue, type ShowValue } from '../../../model/shown-value.ts';
import { isStoredObject } from '../../../model/value/stored-shape.ts';
import type { ExportFormat } from './format.ts';

type StoredObject = Readonly<Record<string, unknown>>;

/** Writes a text as a cell. `pattern` is where it is disarmed. */
type WriteText = (text: string, pattern?: RegExp) => string;

/** A column of a table of records. */
interface Column {
  /** The dotted name of its field. */
  readonly name: string;
  /** The fields whose objects hold the field, from the record on. */
  readonly way: readonly ShowValue[];
  readonly show: ShowValue;
  readonly write: WriteJson;
  /** Whether its cells are single values. Those of arrays, maps and untyped values are JSON. */
  readonly isSingle: boolean;
  /** Whether they are decimals, which JSON has as texts. */
  readonly isDecimal: boolean;
}

/** Writes records as the rows of a table (RFC 4180). */
export interface CsvWriter {
  /** The first row: the names of the columns. */
  readonly header: string;
  /** The row of a stored record. */
  writeRow(stored: StoredObject): string;
}

/**
 * Compiles the writer of a table. Its columns are the readable fields in declared order, then those that are computed,
 * or those of `selection`. An object has a column for each of its fields, and the names of these columns have dots.
 *
 * With `disarm`, a `'` is put before what a spreadsheet would take for a formula.
 */
export function compileCsv(root: ObjectNode, selection: Selection | undefined, disarm: boolean): CsvWriter {
  const columns = columnsOf(root, selection);
  const cell: WriteText = disarm ? (text: string, pattern = arming) => quote(text.replaceAll(pattern, "'")) : quote;
  return {
    header: `${columns.map(({ name }) => cell(name)).join(',')}\r\n`,
    writeRow: (stored) => `${columns.map((column) => writeCell(column, stored, cell)).join(',')}\r\n`,
  };
}

function columnsOf(node: ObjectNode, selection: Selection | undefined, path = '', way: readonly ShowValue[] = []): Column[] {
  const stored = readableFields(node).map((field) => ({ field, show: compileShownValue(field) }));
  const computed = readableComputed(node).map(({ field, compute }) => ({ field: changeFields(field, showNull), show: compute }));
  return [...stored, ...computed].flatMap(({ field, show }) => {
    const choice = selection ? selection.get(field.name) : 'whole';
    if (choice === undefined || choice === 'fetched') return [];
    const within = choice === 'whole' ? undefined : choice;
    const name = join(path, field.name);
    if (field.node.kind === 'object') return columnsOf(field.node, within, name, [...way, show]);
    return columnOf(field, name, { way, show }, within);
  });
}

function columnOf(field: CompiledField, name: string, place: Pick<Column, 'way' | 'show'>, selection: Selection | undefined): Column {
  const writer = compileFieldWriter(field, name);
  const write = selection ? writer.select(selection) : writer.write;
  const { node } = field;
  const isSingle = node.kind === 'leaf' && node.leaf.bsonTypes.length > 0;
  const isDecimal = node.kind === 'leaf' && node.leaf.name === 'decimal';
  return { name, ...place, write, isSingle, isDecimal };
}

function writeCell({ way, show, write, isSingle, isDecimal }: Column, stored: StoredObject, cell: WriteText): string {
  let object: unknown = stored;
  for (const step of way) {
    object = step(object as StoredObject);
    if (!isStoredObject(object)) return '';
  }
  const shown = show(object as StoredObject);
  if (shown === absent || shown === null || shown === undefined) return '';
  const json = write(shown);
  if (json === 'null') return '';
  if (!isSingle || !json.startsWith('"')) return cell(json, armingJson);
  const text: string = json.includes('\\') ? JSON.parse(json) : json.slice(1, -1);
  return isDecimal && typeof shown !== 'string' ? quote(text) : cell(text);
}

/** An empty text is told from a missing value by its quotes. */
function quote(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Before a character with which spreadsheets begin a formula, or that they skip before one: at the beginning, and
 * behind a semicolon, which begins another cell where the comma is that of decimals. There, the quotes of a cell that
 * is not the first one are text, so that a line break begins another row.
 */
const arming = /(?<=^|;)(?=[=+\-@＝＋－＠\t\r\n\0])|(?<=[\r\n])(?=[=+\-@＝＋－＠\t\0])/g;
/** The same in JSON, which has semicolons in its texts only. */
const armingJson = /(?<=;)(?=[=+\-@＝＋－＠])/g;

const empty = Buffer.alloc(0);

/** Makes the format with a row for each record. A table has no place for how an export ended. */
export function csv({ name, root }: CompiledModel, selection: Selection | undefined, disarm: boolean): ExportFormat {
  const { header, ...table } = compileCsv(root, selection, disarm);
  const writeRow = compileExplain(name, root)(table.writeRow);
  return {
    contentType: 'text/csv; charset=utf-8; header=present',
    begin: () => Buffer.from(header),
    writeRecords: (records) => Buffer.from(records.map(({ stored }) => writeRow(stored)).join('')),
    end: () => empty,
    breakOff: () => empty,
  };
}
