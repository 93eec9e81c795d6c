import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What ran of one file. */
export interface RanFile {
  /** Its path from the folder that is measured. */
  readonly file: string;
  /** Its functions, as V8 has them: the text has no types and no comments. */
  readonly functions: readonly FunctionRange[];
  readonly scriptId: string;
}

/** A function, by the places of its first and last characters. */
export interface FunctionRange {
  readonly start: number;
  readonly end: number;
  readonly ran: boolean;
}

/** V8's precise coverage of this process: which functions of the files of a folder were called. */
export class Coverage {
  readonly #session = new Session();
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Begins to count. The files of the folder must be imported later: what V8 has compiled before is not counted for
   * certain.
   */
  static async begin(folder: string): Promise<Coverage> {
    const coverage = new Coverage(folder);
    const session = coverage.#session;
    session.connect();
    await session.post('Debugger.enable'); // for the sources
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    return coverage;
  }

  /**
   * The files of which a function was called since the last call. The code of a module itself runs when it is loaded,
   * and does not count.
   */
  async take(): Promise<RanFile[]> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage');
    return result.flatMap(({ url, scriptId, functions: all }) => {
      const file = url.startsWith('file:') ? relative(this.#folder, fileURLToPath(url)).replaceAll('\\', '/') : '..';
      if (file.startsWith('..')) return [];
      const functions = all.flatMap(({ functionName, ranges: [range] }) => {
        if (!range || (functionName === '' && range.startOffset === 0)) return []; // the module itself
        return [{ start: range.startOffset, end: range.endOffset, ran: range.count > 0 }];
      });
      return functions.some(({ ran }) => ran) ? [{ file, functions, scriptId }] : [];
    });
  }

  /** Ends the counting. The sources can be read until {@link close}. */
  async end(): Promise<void> {
    await this.#session.post('Profiler.stopPreciseCoverage');
  }

  /** The text that V8 runs. */
  async sourceOf({ scriptId }: RanFile): Promise<string> {
    return (await this.#session.post('Debugger.getScriptSource', { scriptId })).scriptSource;
  }

  close(): void {
    this.#session.disconnect();
  }
}
