import type { Audit } from '../../audit/audit-collection.ts';
import { chooseModels } from '../audit/choose-models.ts';
import { formatAudits } from '../audit/format-audits.ts';
import { openProgress } from '../audit/progress.ts';
import { catchSignals } from '../catch-signals.ts';
import { defineCommand, status } from '../command.ts';
import { printableJson } from '../printable.ts';
import { readCount } from '../read-count.ts';

export const audit = defineCommand({
  summary: 'Compare all stored records with their models, and count what does not fit',
  details: `Ends with 0 if everything fits, with 1 if something does not, and with 2 if the command fails.
Unknown keys, which the models ignore, do not count. Ctrl-C ends it after the records that are being read, and prints what was found.`,
  options: {
    model: { type: 'string', multiple: true, value: 'name', text: 'only this model; may be repeated' },
    resource: { type: 'string', multiple: true, value: 'path', text: 'only the model of this resource; may be repeated' },
    limit: { type: 'string', value: 'n', text: 'compare at most n records of each model' },
    sample: { type: 'string', value: 'n', text: 'name the first n records of each kind (default 5)' },
    json: { type: 'boolean', text: 'print JSON' },
  },
  needsDatabase: true,
  async run({ load, values, write, writeExactly, tell }) {
    const limit = readCount('limit', values.limit, 1);
    const samples = readCount('sample', values.sample, 0);
    const { api, library } = await load();
    const models = chooseModels(api, values);
    const progress = openProgress(process.stderr);
    const signals = catchSignals();
    const { db, maxTimeMS } = api.indexing;
    const done: Audit[] = [];
    let isComplete = false;
    try {
      for (const model of models) {
        let last: Audit | undefined;
        for await (last of library.auditCollection(model, { db, maxTimeMS, limit, samples })) {
          progress.show(last);
          if (signals.caught) break;
        }
        if (last) done.push(last);
        if (signals.caught) break;
      }
      isComplete = done.length === models.length && done.every((one) => one.isComplete);
    } finally {
      progress.clear();
    }
    if (values.json) writeExactly(`${printableJson({ audits: done })}\n`);
    else write(formatAudits(done));
    if (signals.caught && !isComplete) {
      tell('Interrupted.');
      return signals.caught.status;
    }
    return done.some(({ misfitting }) => misfitting > 0) ? status.found : status.good;
  },
});
