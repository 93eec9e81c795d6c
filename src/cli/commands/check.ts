import { defineCommand, status } from '../command.ts';
import { isConfigurationError } from '../load-api.ts';

export const check = defineCommand({
  summary: 'Build the api, and print all mistakes of its definition',
  details: 'Ends with 0 if there is no mistake, with 1 if there are some, and with 2 if the module cannot be loaded.',
  options: {},
  needsDatabase: false,
  async run({ load, write }) {
    try {
      const { api, library } = await load();
      library.openapiDocument(api); // has mistakes of its own
      const { resources } = api.indexing;
      write(`No mistakes: ${resources.map(({ path }) => path).join(', ')}.\n`);
      return status.good;
    } catch (error) {
      if (!isConfigurationError(error)) throw error;
      write(`${error.message}\n`);
      return status.found;
    }
  },
});
