import { isConfigurationError } from '../../../errors.ts';
import { defineCommand, status } from '../command.ts';
import { formatFields } from '../describe-fields.ts';
import { describeResource, formatOperations, type ResourceFindings } from '../describe-operations.ts';
import type { LoadedApi } from '../load-api.ts';
import { printableJson } from '../printable.ts';
import { withoutCredentials } from '../without-credentials.ts';

/** The findings of a check, as `--json` prints them. Without mistakes, it describes the api. */
interface Findings {
  readonly mistakes: readonly string[];
  readonly resources: readonly ResourceFindings[];
}

export const check = defineCommand({
  summary: 'Build the api, and print all mistakes of its definition, or what guards each operation',
  details: 'Ends with 0 if there is no mistake, with 1 if there are some, and with 2 if the module cannot be loaded.',
  options: {
    json: { type: 'boolean', text: 'print JSON' },
  },
  needsDatabase: false,
  async run({ load, values: { json = false }, write, writeExactly }) {
    const findings = await find(load);
    if (json) writeExactly(`${printableJson(findings)}\n`);
    else write(format(findings));
    return findings.mistakes.length > 0 ? status.found : status.good;
  },
});

async function find(load: () => Promise<LoadedApi>): Promise<Findings> {
  try {
    const { api, library } = await load();
    library.openapiDocument(api); // has mistakes of its own
    const { resources } = api.description;
    return { mistakes: [], resources: resources.map(describeResource) };
  } catch (error) {
    if (!isConfigurationError(error)) throw error;
    return { mistakes: (error.errors ?? [error]).map(({ message }) => withoutCredentials(message)), resources: [] };
  }
}

function format({ mistakes, resources }: Findings): string {
  const [first, ...others] = mistakes;
  if (first === undefined) {
    const tables = resources.map(({ path, operations, fields }) =>
      [`\n${path}`, formatOperations(operations), ...(fields ? ['', formatFields(fields)] : []), ''].join('\n'),
    );
    return `No mistakes: ${resources.map(({ path }) => path).join(', ')}.\n${tables.join('')}`;
  }
  if (others.length === 0) return `${first}\n`;
  return `${mistakes.length} mistakes:\n${mistakes.map((mistake) => `- ${mistake}`).join('\n')}\n`;
}
