import type { Options } from './command.ts';

/** The options of all commands. */
export const sharedOptions = {
  export: {
    type: 'string',
    value: 'name',
    text: 'the export of the module that is the api, or a function that returns it (default: default)',
  },
  uri: { type: 'string', value: 'uri', text: 'the database that such a function gets (default: MONGODB_URI)' },
  db: { type: 'string', value: 'name', text: 'its name (default: the one in the URI)' },
  help: { type: 'boolean', short: 'h', text: 'print this' },
} as const satisfies Options;
