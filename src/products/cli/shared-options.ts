import type { Command, Options } from './command.ts';

const db = { type: 'string', value: 'name', text: 'its name (default: the one in the URI)' } as const;
const help = { type: 'boolean', short: 'h', text: 'print this' } as const;

/** The options of all commands about a module. */
const ofModules = {
  export: {
    type: 'string',
    value: 'name',
    text: 'the export of the module that is the api, or a function that returns it (default: default)',
  },
  uri: { type: 'string', value: 'uri', text: 'the database that such a function gets (default: MONGODB_URI)' },
  db,
  help,
} as const satisfies Options;

/** Those of commands about a collection. */
const ofCollections = {
  uri: { type: 'string', value: 'uri', text: 'the database of the collection (default: MONGODB_URI)' },
  db,
  help,
} as const satisfies Options;

/** All options of a command. */
export function optionsOf({ argument = 'module', options }: Pick<Command, 'argument' | 'options'>): Options {
  return { ...options, ...(argument === 'module' ? ofModules : ofCollections) };
}
