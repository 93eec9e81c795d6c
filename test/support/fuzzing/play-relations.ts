import { Problem } from '../../../src/index.ts';
import type { Any } from '../any.ts';
import { until } from '../until.ts';
import { type EdgeSpec, type Graph, isOpen, type Kind, type Outcome, type Step, type Write } from './relation-graph.ts';
import type { Served } from './serve-relations.ts';

const methods: Partial<Readonly<Record<Kind, string>>> = {
  create: 'POST',
  nested: 'POST',
  patch: 'PATCH',
  patchMany: 'PATCH',
  put: 'PUT',
  link: 'PUT',
  unlink: 'DELETE',
  remove: 'DELETE',
  removeMany: 'DELETE',
  restore: 'POST',
};

/** Carries out a step by the library: by HTTP, or by the stores. */
export async function playStep(served: Served, graph: Graph, step: Step): Promise<Told> {
  const { writes, isBatch, throwing, sending, leavesAfter } = step;
  const [first] = writes;
  if (first.asker === 'store') return { outcome: await playByStore(served.api.store(served.models[first.model] as never), graph, first) };
  const key = sending === 'once' || sending === 'leave' ? {} : { 'idempotency-key': `key${++keys}` };
  const headers = { 'x-user': first.asker, ...key, ...(throwing && { 'x-throw': throwing }) };
  const operations = isBatch && writes.map((one) => requestOf(graph, one));
  const {
    method,
    path,
    body,
    if_match: ifMatch,
  } = operations ? { method: 'POST', path: '/batch', body: { operations }, if_match: undefined } : requestOf(graph, first);
  const ask = (signal?: AbortSignal) =>
    send(served.api, method, path, body, { ...headers, ...(ifMatch && { 'if-match': ifMatch }) }, signal);
  const isLeaving = sending === 'leave' || sending === 'leave and again';
  const answer = isLeaving ? await askAndLeave(served, leavesAfter, ask) : await ask();
  const outcomeOfAnswer = isBatch ? outcomeOfBatch : outcomeOf;
  const told = answer && { answer, outcome: outcomeOfAnswer(answer) };
  if (sending === 'once' || sending === 'leave') return { ...told };
  const again = await askUntilSettled(ask);
  return { ...told, again: { answer: again, outcome: outcomeOfAnswer(again) } };
}

let keys = 0;

/** What the application or a client was told. */
export interface Told {
  /** Undefined if the client has left. */
  readonly outcome?: Outcome;
  readonly answer?: Answer;
  /** What the client was told when it asked again. */
  readonly again?: { readonly outcome: Outcome; readonly answer: Answer };
}

/**
 * Leaves when the database has got so many commands, and waits until the work for the request has ended: then its place
 * is free.
 */
async function askAndLeave(
  { api, db }: Served,
  leavesAfter: number,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer | undefined> {
  const leaving = new AbortController();
  let left = leavesAfter;
  const leave = () => left-- === 0 && leaving.abort();
  db.client.on('commandStarted', leave);
  try {
    return await ask(leaving.signal);
  } catch (error) {
    if (!leaving.signal.aborted) throw error;
    await until(async () => (await send(api, 'GET', '/m0?limit=1', undefined, { 'x-user': 'ann' })).status === 200);
    return undefined;
  } finally {
    db.client.off('commandStarted', leave);
  }
}

/** Asks again while the request before it, whose client has left, has the key. */
async function askUntilSettled(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.body.code !== 'idempotency_in_progress') return answer;
  }
}

/** What was answered to a request. */
export interface Answer {
  readonly status: number;
  readonly body: Any;
}

/** Sends a request, and returns the JSON of its answer. */
export async function send(
  api: Served['api'],
  method: string,
  path: string,
  body: unknown,
  headers: object,
  signal?: AbortSignal,
): Promise<Answer> {
  const type = { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' };
  const sent = body === undefined ? { headers } : { body: JSON.stringify(body), headers: { ...headers, ...type } };
  const init = { method, ...sent, ...(signal && { signal }) } as RequestInit;
  const answer = await api.fetch(new Request(`http://in-process${path}`, init));
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
}

function requestOf(graph: Graph, write: Write) {
  const { kind, asker, model, id, edge, other, note, ids, ifMatch } = write;
  const one = `/m${model}/${id}`;
  const paths: Partial<Record<Kind, string>> = {
    create: `/m${model}`,
    nested: `/m${graph.edges[edge ?? 0]?.to}/${other}/b${edge}`,
    link: `${one}/r${edge}/${other}`,
    unlink: `${one}/r${edge}/${other}`,
    restore: `${one}/restore`,
    patchMany: `/m${model}?note=${note}`,
    removeMany: `/m${model}?note=${note}`,
  };
  const refsOf = (some: readonly number[]) => valuesOf(graph, some, ids, kind === 'patch' || kind === 'patchMany');
  const own = (when: 'insert' | 'update', without?: number) =>
    graph.edges.flatMap((spec, at) => (spec.from === model && at !== without && isOpen(spec, asker, when) ? [at] : []));
  const created = () => ({ id, owner: write.owner, note, ...refsOf(own('insert', kind === 'nested' ? edge : undefined)) });
  const bodies: Partial<Record<Kind, () => object>> = {
    create: created,
    nested: created,
    put: () => ({ note, ...refsOf(own('update')) }),
    patch: () => (edge === undefined ? { note } : refsOf([edge])),
    patchMany: () => (edge === undefined ? { note: other } : refsOf([edge])),
  };
  const isMatched = ['patch', 'put', 'link', 'unlink', 'remove', 'restore'].includes(kind) && ifMatch !== undefined;
  return {
    method: methods[kind] as string,
    path: paths[kind] ?? one,
    ...(bodies[kind] && { body: bodies[kind]?.() }),
    ...(isMatched && { if_match: `"${ifMatch}"` }),
  } as { method: string; path: string; body?: object; if_match?: string };
}

async function playByStore(store: Any, graph: Graph, write: Write): Promise<Outcome> {
  const { kind, model, id, edge, other, owner, note, ids, ifMatch, documents } = write;
  const own = graph.edges.flatMap((spec, at) => (spec.from === model ? [at] : []));
  const documentOf = (one: string, some: Write['ids']) => ({ id: one, owner, note, ...valuesOf(graph, own, some, false) });
  const matching = ifMatch === undefined ? {} : { ifMatch };
  const several = documents.map((one) => documentOf(one.id, one.ids));
  const changes = (text: string) => (edge === undefined ? { note: text } : valuesOf(graph, [edge], ids, true));
  const does: Partial<Record<Kind, () => Promise<unknown>>> = {
    create: () => store.create(documentOf(id, ids)),
    patch: () => store.update(id, changes(note), matching),
    remove: () => store.remove(id, matching),
    restore: () => store.restore(id, matching),
    patchMany: () => store.updateMany({ note }, changes(other)),
    removeMany: () => store.removeMany({ note }),
    purge: () => store.purge({ olderThan: 0 }),
    createAll: () => store.createMany(several, { all: true }),
    createMany: () => store.createMany(several),
  };
  try {
    const made: Any = await does[kind]?.();
    if (kind === 'patchMany' || kind === 'removeMany') return { status: 200, matched: made.matched };
    if (kind === 'createMany') return { status: 200, each: made.map(({ error }: Any) => (error ? outcomeOfError(error) : 'created')) };
    return { status: kind === 'create' ? 201 : 200 };
  } catch (error) {
    return outcomeOfError(error);
  }
}

function outcomeOfError(error: unknown): Outcome {
  if (error instanceof Problem) return outcomeOf({ status: error.status, body: error });
  if (error instanceof Error && error.message.startsWith('A write by the server itself refers to')) return { status: 500 };
  throw error;
}

function outcomeOfBatch(answer: Answer): Outcome {
  if (answer.status !== 200) return { ...outcomeOf(answer), operation: answer.body.operation };
  return { status: 200, each: answer.body.data.map(({ status }: Any) => status) };
}

function outcomeOf({ status, body: { code, detail, errors, data } }: { status: number; body: Any }): Outcome {
  if (data?.matched !== undefined) return { status, matched: data.matched };
  if (code === undefined) return { status };
  const fields = errors && { fields: [...new Set<string>(errors.map(({ field }: Any) => field))].sort() };
  if (code !== 'still_referenced') return { status, code, ...fields };
  const by = detail.replace('It cannot be deleted while it is referred to by ', '').replace(/\.$/, '');
  return { status, code, parts: by === 'other records' ? [] : by.split(', ').sort() };
}

/** The values of references in a body. */
function valuesOf(graph: Graph, edges: readonly number[], ids: Write['ids'], isPatch: boolean): object {
  return Object.fromEntries(
    edges.flatMap((at) => {
      const spec = graph.edges[at] as EdgeSpec;
      const value = valueFor(spec, ids[at] ?? []);
      return value === null && spec.shape === 'optional' && !isPatch ? [] : [[`e${at}`, value]];
    }),
  );
}

/** The value of a reference that has these ids. */
export function valueFor({ shape }: EdgeSpec, ids: readonly (string | null)[]): unknown {
  if (shape === 'list') return ids;
  if (shape === 'lines') return ids.map((ref) => ({ ref }));
  return ids[0] ?? null;
}
