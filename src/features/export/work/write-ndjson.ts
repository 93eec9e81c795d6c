import { JsonOutput } from '../../../model/value/json-output.ts';
import type { ExportFormat } from './format.ts';

const empty = Buffer.alloc(0);
const lineFeed = 0x0a;

/**
 * Makes the format with one JSON value for each line. The last line says whether the export is complete: it is the only
 * one without an id, because every record has one.
 */
export function ndjson(): ExportFormat {
  const output = new JsonOutput();
  return {
    contentType: 'application/x-ndjson; charset=utf-8',
    begin: () => empty,
    writeRecords(records) {
      output.clear();
      for (const record of records) {
        record.writeTo(output);
        output.byte(lineFeed);
      }
      return output.take();
    },
    end: (count) => line({ end: true, count }),
    breakOff: ({ count, problem, cursor }) => line({ end: false, count, problem, next_cursor: cursor }),
  };
}

function line(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}
