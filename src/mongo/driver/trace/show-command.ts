import type { Detail } from './detail.ts';
import { showObject, showValue, showWhole } from './show-value.ts';

type Members = Readonly<Record<string, unknown>>;

/** The arguments of the driver's methods on a collection that have other ones than a filter and options. */
const argumentsOf: Readonly<Record<string, readonly string[]>> = {
  findOneAndUpdate: ['filter', 'update', 'options'],
  updateOne: ['filter', 'update', 'options'],
  updateMany: ['filter', 'update', 'options'],
  replaceOne: ['filter', 'replacement', 'options'],
  insertOne: ['document', 'options'],
  aggregate: ['pipeline', 'options'],
  estimatedDocumentCount: ['options'],
  listIndexes: ['options'],
};

/**
 * The members of a command that are shown: the first ones hold values of clients, the others belong to the query's
 * form.
 */
const withValues = ['filter', 'update', 'replacement', 'document', 'documents'];
const ofForm = ['sort', 'limit', 'skip', 'hint', 'upsert', 'collation'];

/**
 * Shows a call of a method of the driver on one line: the name of the command, its collection, and what it asks for.
 */
export function showCall(method: string, args: readonly unknown[], collection: string | undefined, detail: Detail): string {
  if (method !== 'command' && method !== 'runCursorCommand') {
    const names = argumentsOf[method] ?? ['filter', 'options'];
    const { options, ...given } = Object.fromEntries(names.map((name, index) => [name, args[index]])) as { readonly options?: Members };
    return [method, collection, ...showMembers({ ...options, ...given }, detail)].filter(Boolean).join(' ');
  }
  const [body = {}] = args as readonly Members[];
  const [[name = 'command', target] = []] = Object.entries(body);
  return [name, typeof target === 'string' && target, ...showMembers(body, detail)].filter(Boolean).join(' ');
}

function showMembers(members: Members, detail: Detail): string[] {
  const show = (names: readonly string[], text: (value: unknown) => string) =>
    names.filter((name) => members[name]).map((name) => `${name} ${text(members[name])}`);
  return [
    ...show(withValues, (value) => (isPipeline(value) ? showPipeline(value, detail) : showValue(value, detail))),
    ...show(['pipeline'], (stages) => showPipeline(stages as Members[], detail)),
    ...show(ofForm, (value) => showWhole(value instanceof Map ? Object.fromEntries(value) : value)),
  ];
}

/** An update may be a pipeline. */
function isPipeline(value: unknown): value is readonly Members[] {
  return Array.isArray(value) && value.length > 0 && value.every((stage) => Object.keys(stage)[0]?.startsWith('$'));
}

/** The stages of a pipeline that hold nothing but names and numbers of the query. */
const stagesOfForm: ReadonlySet<string> = new Set(['$sort', '$limit', '$skip', '$unset', '$unwind', '$count']);
const namesOfForm: ReadonlySet<string> = new Set(['from', 'coll', 'localField', 'foreignField', 'as']);

function showPipeline(stages: readonly Members[], detail: Detail): string {
  if (detail === 'values') return showWhole(stages);
  return `[${stages.map((stage) => showObject(Object.entries(stage).map(showStage), String)).join(', ')}]`;
}

function showStage([name, value]: readonly [string, unknown]): readonly [string, string] {
  if (stagesOfForm.has(name)) return [name, showWhole(value)];
  if (name !== '$lookup' && name !== '$unionWith') return [name, showValue(value, 'types')];
  const members = Object.entries(value as Members).map(([key, part]): readonly [string, string] => {
    if (key === 'pipeline') return [key, showPipeline(part as Members[], 'types')];
    return [key, namesOfForm.has(key) ? showWhole(part) : showValue(part, 'types')];
  });
  return [name, showObject(members, String)];
}
