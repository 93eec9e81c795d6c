import { defineCommand, status } from '../command.ts';
import { outOption, writeOut } from '../write-out.ts';

export const diagram = defineCommand({
  summary: 'Draw the models of the api and their relations, as Mermaid',
  details: 'Writes an `erDiagram` to standard output, or to a file.',
  options: outOption,
  needsDatabase: false,
  async run({ load, values: { out }, writeExactly }) {
    const { api, library } = await load();
    const models = new Map(api.indexing.resources.map(({ model }) => [model.name, model]));
    await writeOut(library.diagram([...models.values()]), 'The diagram', { out, write: writeExactly });
    return status.good;
  },
});
