import type { Command, Options } from './command.ts';
import { formatTable } from './format-table.ts';
import { sharedOptions } from './shared-options.ts';

/** The help of the program. */
export function formatHelp(commands: ReadonlyMap<string, Command>): string {
  return `Usage: koa-mongo-resource <command> <module> [options]

The module exports an api, or a function that takes a database and returns an api.

${formatTable(
  [...commands].map(([name, { summary }]) => [name, summary]),
  '  ',
)}

The options of a command: koa-mongo-resource <command> --help
`;
}

/** The help of a command. */
export function formatHelpOf(name: string, { summary, details, options }: Command): string {
  return `Usage: koa-mongo-resource ${name} <module> [options]

${summary}.
${details}

${formatOptions({ ...options, ...sharedOptions })}
`;
}

function formatOptions(options: Options): string {
  return formatTable(
    Object.entries(options).map(([name, { value, text }]) => [`--${name}${value === undefined ? '' : ` <${value}>`}`, text]),
    '  ',
  );
}
