import type { ProblemDocument } from '../../../errors.ts';
import type { StoredRecord } from '../../../mongo/stored-record.ts';

/** The end of an export before its last record. */
interface Broken {
  /** How many records were sent. */
  readonly count: number;
  readonly problem: ProblemDocument;
  /** The cursor by which `after` continues. Null if the client has to begin again. */
  readonly cursor: string | null;
}

/** Writes the parts of an export. A part may be empty. */
export interface ExportFormat {
  readonly contentType: string;
  begin(): Buffer;
  writeRecords(records: readonly StoredRecord[]): Buffer;
  /** What follows the last record. */
  end(count: number): Buffer;
  /** What follows the last record that was sent, before the connection is cut. */
  breakOff(broken: Broken): Buffer;
}
