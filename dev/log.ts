/** Where a step says in one line what it does. */
export type Log = (line: string) => void;

/** Standard error, so that the output of a script stays its own. */
export const logToStderr: Log = (line) => {
  process.stderr.write(`${line}\n`);
};
