import { writeFile } from 'node:fs/promises';
import { defineCommand, status } from '../command.ts';
import { UsageError } from '../usage-error.ts';

function refuse(cause: Error): never {
  throw new UsageError(`The description cannot be written: ${cause.message}`, { cause });
}

export const openapi = defineCommand({
  summary: 'Write the OpenAPI description of the api',
  details: 'Writes JSON to standard output, or to a file.',
  options: {
    out: { type: 'string', value: 'file', text: 'write to this file' },
  },
  needsDatabase: false,
  async run({ load, values: { out }, write }) {
    const { api, library } = await load();
    const text = `${library.openapiText(api)}\n`;
    if (out === undefined) write(text);
    else await writeFile(out, text).catch((cause: Error) => refuse(cause));
    return status.good;
  },
});
