import { didYouMean, listNames } from '../../../hints.ts';
import type { Api } from '../../../index.ts';
import type { ModelInput } from '../../../model/compile/compile-model.ts';
import type { Audit } from '../../audit/audit-collection.ts';
import { catchSignals } from '../catch-signals.ts';
import { defineCommand, status } from '../command.ts';
import { formatTable } from '../format-table.ts';
import { printable, printableJson } from '../printable.ts';
import { readCount } from '../read-count.ts';
import { UsageError } from '../usage-error.ts';

export const audit = defineCommand({
  summary: 'Compare all stored records with their models, and count what does not fit',
  details: `Ends with 0 if everything fits, with 1 if something does not, and with 2 if the command fails.
Unknown keys, which the models ignore, do not count. Ctrl-C ends it after the records that are being read, and prints what was found.`,
  options: {
    model: { type: 'string', multiple: true, value: 'name', text: 'only this model; may be repeated' },
    resource: { type: 'string', multiple: true, value: 'path', text: 'only the model of this resource; may be repeated' },
    limit: { type: 'string', value: 'n', text: 'compare at most n records of each model' },
    sample: { type: 'string', value: 'n', text: 'name the first n records of each kind (default 5)' },
    fold: { type: 'boolean', text: 'store missing and wrong folded values of caseless fields first' },
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
        for await (const applied of values.fold ? library.applyFolds(model, { db, maxTimeMS }) : []) {
          progress.show({ ...applied, misfitting: 0 });
          if (signals.caught) break;
        }
        if (signals.caught) break;
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

/** The names of the models and resources to choose. Without names, all models are chosen. */
interface Chosen {
  readonly model?: readonly string[];
  readonly resource?: readonly string[];
}

/** Chooses models of an api: those of its resources, and its other models, each once. */
function chooseModels({ indexing, description }: Api, { model: names, resource: paths }: Chosen): ModelInput[] {
  const { resources } = description;
  const models = new Map<string, ModelInput>();
  for (const model of [...resources.map(({ model }) => model), ...indexing.models.filter((one) => !indexing.ofPlugins.includes(one))])
    if (!models.has(model.name)) models.set(model.name, model);
  if (!names && !paths) return [...models.values()];
  for (const name of names ?? []) refuseUnknown('model', name, [...models.keys()]);
  for (const path of paths ?? [])
    refuseUnknown(
      'resource',
      path,
      resources.map((resource) => resource.path),
    );
  const chosen = new Set([...(names ?? []), ...resources.filter(({ path }) => paths?.includes(path)).map(({ model }) => model.name)]);
  return [...models.values()].filter(({ name }) => chosen.has(name));
}

function refuseUnknown(what: string, name: string, legal: readonly string[]): void {
  if (!legal.includes(name))
    throw new UsageError(`The api has no ${what} \`${name}\`${didYouMean(name, legal, '.')} It has ${listNames(legal)}.`);
}

/** Formats audits for reading. */
export function formatAudits(audits: readonly Audit[]): string {
  return `${audits.map(formatAudit).join('\n\n')}\n`;
}

function formatAudit(audit: Audit): string {
  const { model, collection, records, estimate, isComplete, misfitting, idTypes, misfits, unknownKeys, omitted } = audit;
  const compared = isComplete ? `${records} records` : `${records} of about ${estimate} records`;
  const fitting = misfitting === 0 ? 'all fit' : `${misfitting} ${misfitting === 1 ? 'does' : 'do'} not fit`;
  const rows = misfits.map(({ path, rule, message, records, ids }) => [`${records}`, path || '(record)', rule, message, ids.join(', ')]);
  const keys = unknownKeys.map(({ path, records, ids }) => [`${records}`, path, ids.join(', ')]);
  return [
    printable(`${model} (${collection}): ${compared}, ${fitting}`),
    ...(rows.length > 0 ? [formatTable([['records', 'path', 'rule', 'message', 'ids'], ...rows])] : []),
    ...(misfits.some(({ path }) => path === 'id') ? [`  Ids: ${listCounts(idTypes)}. Only those of the model's type have a path.`] : []),
    ...(keys.length > 0
      ? ['  Keys that are not fields, which the model ignores:', formatTable([['records', 'path', 'ids'], ...keys])]
      : []),
    ...(omitted > 0 ? [`  Of further kinds, there are ${omitted} more.`] : []),
  ].join('\n');
}

function listCounts(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([type, count]) => `${type} ${count}`)
    .join(', ');
}

/** How often the bar is drawn, in milliseconds. */
const intervalMS = 100;

const width = 24;

/** What a progress bar shows. */
type Shown = Pick<Audit, 'model' | 'records' | 'estimate' | 'misfitting'>;

/** A progress bar. */
interface Progress {
  show(audit: Shown): void;
  clear(): void;
}

/** Opens a progress bar on a terminal. On anything else it shows nothing. */
export function openProgress(output: NodeJS.WriteStream): Progress {
  if (!output.isTTY) return { show() {}, clear() {} };
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    show(audit) {
      if (performance.now() - drawnAt < intervalMS) return;
      drawnAt = performance.now();
      output.write(`\r${drawBar(audit).slice(0, (output.columns ?? 80) - 1)}\u001b[K`);
    },
    clear() {
      if (Number.isFinite(drawnAt)) output.write('\r\u001b[K');
    },
  };
}

function drawBar({ model, records, estimate, misfitting }: Shown): string {
  const share = Math.min(1, records / Math.max(1, estimate));
  const bar = '#'.repeat(Math.floor(share * width)).padEnd(width, '.');
  return `${printable(model)} [${bar}] ${Math.floor(share * 100)} %, ${records} of about ${estimate} records, ${misfitting} do not fit`;
}
