import type { Db } from 'mongodb';
import type { LoadedApi } from './load-api.ts';

/** An option of a command. */
interface Option {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple?: true;
  /** The name of its value in the help, such as `file`. */
  readonly value?: string;
  /** Its description in the help. */
  readonly text: string;
}

export type Options = Readonly<Record<string, Option>>;

/** The values of options, as `parseArgs` returns them. */
export type Values<O extends Options> = {
  readonly [Name in keyof O]?: O[Name]['type'] extends 'boolean'
    ? boolean
    : O[Name] extends { readonly multiple: true }
      ? string[]
      : string;
};

/** The arguments and streams of a command. */
export interface Run<O extends Options = Options> {
  readonly values: Values<O>;
  /** What the command is about: the path of the module, or the name of the collection. */
  readonly argument: string;
  /** Loads the module, and gets its api. Throws a `ConfigurationError` for the mistakes in it. */
  load(): Promise<LoadedApi>;
  /** Opens the database of the arguments, for a command about a collection. */
  openDatabase(): Promise<Db>;
  /** Writes text for people to standard output. What would do something in a terminal is escaped. */
  write(text: string): void;
  /** Writes text for programs to standard output, as it is. */
  writeExactly(text: string): void;
  /** Writes a message for the user to standard error, escaped in the same way. */
  tell(message: string): void;
}

/** The exit statuses of commands. */
export const status = {
  /** Everything is as it should be. */
  good: 0,
  /** The command has found what it looks for: mistakes, missing indexes, misfits. */
  found: 1,
  /** The command could not do its work. */
  failed: 2,
} as const;

/** A command of the command line. */
export interface Command {
  /** Its description in one line of the help. */
  readonly summary: string;
  /** The meaning of its exit status, and further lines of the help. */
  readonly details: string;
  /** What it is about. @default module */
  readonly argument?: 'module' | 'collection';
  readonly options: Options;
  /** Whether it reads the database. Otherwise it works without one. */
  readonly needsDatabase: boolean;
  /** Returns the exit status. */
  run(run: Run): Promise<number>;
}

/** Defines a command, whose values have the types of its options. */
export function defineCommand<const O extends Options>(
  command: Omit<Command, 'run' | 'options'> & { options: O; run(run: Run<O>): Promise<number> },
): Command {
  return command as object as Command;
}
