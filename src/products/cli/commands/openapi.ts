import { defineCommand, status } from '../command.ts';
import { outOption, writeOut } from '../write-out.ts';

export const openapi = defineCommand({
  summary: 'Write the OpenAPI description of the api',
  details: 'Writes JSON to standard output, or to a file.',
  options: outOption,
  needsDatabase: false,
  async run({ load, values: { out }, writeExactly }) {
    const { api, library } = await load();
    await writeOut(`${library.openapiText(api)}\n`, 'The description', { out, write: writeExactly });
    return status.good;
  },
});
