import type { Document } from 'mongodb';
import { writeValue } from './write-value.ts';

/** What the driver adds to each command, and what is another one in each run. */
const ofDriver: ReadonlySet<string> = new Set(['lsid', 'txnNumber', 'autocommit', 'startTransaction', '$clusterTime', '$db', 'maxTimeMS']);

/** What the driver always spells out. */
const usual: Readonly<Record<string, unknown>> = { ordered: true, remove: false, new: false, upsert: false };

/** The ends of transactions, and what needs no time. */
const unlimited: ReadonlySet<string> = new Set(['commitTransaction', 'abortTransaction', 'killCursors', 'endSessions', 'getMore']);

/**
 * Writes a command: what it is and of which collection, then each of its arguments on a line of its own, and each
 * stage of a pipeline.
 */
export function writeCommand(name: string, command: Document): string {
  const { [name]: target, ...others } = command;
  const given = Object.entries(others).filter(([key, value]) => !ofDriver.has(key) && usual[key] !== value);
  const isWithin = command.autocommit === false;
  const head = [
    name,
    ...(typeof target === 'string' ? [target] : []),
    ...(isWithin ? ['in the transaction'] : []),
    ...(command.maxTimeMS === undefined && !unlimited.has(name) ? ['without a time limit'] : []),
  ].join(' ');
  return [head, ...given.flatMap(([key, value]) => writeArgument(name, key, value))].join('\n');
}

function writeArgument(name: string, key: string, value: unknown): string[] {
  if (key === 'cursors') return ['  cursors: <cursors>'];
  if (name === 'getMore' && key !== 'batchSize') return [];
  if (!Array.isArray(value)) return [`  ${key}: ${writeValue(value)}`];
  return [`  ${key}:`, ...value.map((one) => `    ${writeValue(one)}`)];
}
