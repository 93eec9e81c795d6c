import { createRequire } from 'node:module';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { isConfigurationError, isProblem } from '../../errors.ts';
import { didYouMean } from '../../hints.ts';
import { type Command, type Options, type Run, status, type Values } from './command.ts';
import { commands } from './commands.ts';
import { openDatabase } from './database.ts';
import { formatTable } from './format-table.ts';
import { loadApi } from './load-api.ts';
import { printableLines } from './printable.ts';
import { optionsOf } from './shared-options.ts';
import { UsageError } from './usage-error.ts';
import { withoutCredentials } from './without-credentials.ts';

/** Where a run writes. */
export interface Output {
  write(text: string): void;
  tell(message: string): void;
}

type Escaped = Pick<Run, 'write' | 'writeExactly' | 'tell'>;

/**
 * Escapes all text for people, and takes credentials out of it: messages hold names from files, stored data and the
 * arguments.
 */
function escaped({ write, tell }: Output): Escaped {
  const forPeople = (text: string): string => printableLines(withoutCredentials(text));
  return { write: (text) => write(forPeople(text)), writeExactly: write, tell: (message) => tell(forPeople(message)) };
}

/** Runs the command line with the arguments after the program's name. Returns the exit status. */
export async function run(args: readonly string[], output: Output): Promise<number> {
  const [name, ...rest] = args;
  if (name === '--version') output.write(`${readVersion()}\n`);
  else if (name === '--help' || name === '-h' || name === 'help') output.write(formatHelp(commands));
  else return runNamed(name, rest, escaped(output));
  return status.good;
}

async function runNamed(name: string | undefined, args: readonly string[], output: Escaped): Promise<number> {
  try {
    if (name === undefined) throw new UsageError('Name a command.');
    const command = commands.get(name);
    if (!command) throw new UsageError(`There is no command \`${name}\`${didYouMean(name, commands.keys(), '.')}`);
    return await runCommand(name, command, args, output);
  } catch (error) {
    output.tell(describe(error));
    if (error instanceof UsageError && !commands.has(name ?? '')) output.tell(`\n${formatHelp(commands).trimEnd()}`);
    return status.failed;
  }
}

async function runCommand(name: string, command: Command, args: readonly string[], output: Escaped): Promise<number> {
  const { values, positionals } = parse(args, optionsOf(command));
  if (values.help) {
    output.write(formatHelpOf(name, command));
    return status.good;
  }
  const [argument, ...others] = positionals;
  const about = command.argument ?? 'module';
  if (positionals.some(isUri)) throw new UsageError('The URI of the database is an option: give it as --uri <uri>.');
  if (argument === undefined)
    throw new UsageError(`Name the ${about === 'module' ? 'module of the api' : about}: koa-mongo-resource ${name} <${about}>`);
  if (others.length > 0) throw new UsageError(`One ${about} is enough: ${others.join(' ')} is too much.`);
  const { export: exportName = 'default', uri, db } = values as { readonly [option: string]: string | undefined };
  const database = { uri: uri ?? (process.env.MONGODB_URI || undefined), name: db, isGiven: (uri ?? db) !== undefined };
  const given = { path: argument, exportName, ...database, needsDatabase: command.needsDatabase };
  return command.run({
    values: values as Values<Options>,
    argument,
    load: () => loadApi(given),
    openDatabase: () => openDatabase(database, true),
    ...output,
  });
}

function isUri(argument: string): boolean {
  return /^mongodb(?:\+srv)?:/i.test(argument);
}

function parse(args: readonly string[], options: Options) {
  const config = { args: [...args], options, allowPositionals: true } satisfies ParseArgsConfig;
  try {
    return parseArgs(config);
  } catch (error) {
    const [sentence] = (error as Error).message.split(/\.\s/); // the rest is about arguments that begin with a dash
    throw new UsageError(`${sentence?.replace(/\.$/, '')}. See --help.`);
  }
}

/** Says what went wrong. The stack is shown only for unexpected errors, such as those of the module. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof UsageError || isConfigurationError(error) || isProblem(error)) return error.message;
  return error.stack ?? error.message;
}

function readVersion(): string {
  const { version } = createRequire(import.meta.url)('koa-mongo-resource/package.json'); // a package finds itself by its name
  return version;
}

/** The help of the program. */
function formatHelp(commands: ReadonlyMap<string, Command>): string {
  return `Usage: koa-mongo-resource <command> <module> [options]
       koa-mongo-resource draft <collection> [options]

The module exports an api, or a function that takes a database and returns an api.

${formatTable([...commands].map(([name, { summary }]) => [name, summary]))}

The options of a command: koa-mongo-resource <command> --help
`;
}

/** The help of a command. */
function formatHelpOf(name: string, { summary, details, argument = 'module', options }: Command): string {
  return `Usage: koa-mongo-resource ${name} <${argument}> [options]

${summary}.
${details}

${formatOptions(optionsOf({ argument, options }))}
`;
}

function formatOptions(options: Options): string {
  return formatTable(
    Object.entries(options).map(([name, { value, text }]) => [`--${name}${value === undefined ? '' : ` <${value}>`}`, text]),
  );
}
