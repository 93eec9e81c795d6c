import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Api, defineModel, type Model, Problem, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { fuzz } from '../support/fuzzing/fuzz.ts';
import {
  type Action,
  type Asker,
  type EdgeSpec,
  type Outcome,
  ReferenceOracle,
  type Shape,
  type Thing,
} from '../support/fuzzing/reference-oracle.ts';

const most = 3;
const database = useDatabase();
const collection = (model: number) => database.db.collection<{ _id: string; [key: string]: unknown }>(`m${model}`);

beforeAll(async () => {
  for (let model = 0; model < most; model++) await database.db.createCollection(`m${model}`);
});

/** A required reference leads to an earlier model, so that none close a circle. */
const edge = (models: number): fc.Arbitrary<EdgeSpec> =>
  fc
    .record({
      from: fc.nat(models - 1),
      to: fc.nat(models - 1),
      action: fc.constantFrom<Action>('cascade', 'cascade', 'restrict', 'nullify', 'pull', 'none'),
      shape: fc.constantFrom<Shape>('required', 'nullable', 'storeNone', 'optional', 'list', 'lines'),
    })
    .map(({ from, to, action, shape }) => {
      if (action === 'pull') return { from, to, action, shape: 'list' as const };
      if (shape === 'required' && (action === 'nullify' || to >= from)) return { from, to, action, shape: 'nullable' as const };
      return { from, to, action, shape };
    });

interface Step {
  readonly kind: 'create' | 'patch' | 'remove';
  readonly asker: Asker;
  readonly model: number;
  readonly id: string;
  readonly owner: string;
  readonly edge: number;
  readonly ids: readonly (readonly (string | null)[])[];
}

const id = fc.constantFrom('a', 'b', 'c');
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('create', 'create', 'create', 'patch', 'remove'),
  asker: fc.constantFrom<Asker>('client', 'store'),
  model: fc.nat(most - 1),
  id,
  owner: fc.constantFrom('ann', 'ann', 'bob'),
  edge: fc.nat(9),
  ids: fc.array(fc.array(fc.option(id, { freq: 2 }), { maxLength: 3 }), { minLength: 6, maxLength: 6 }),
});

const scenario = fc.integer({ min: 1, max: most }).chain((models) =>
  fc.record({
    models: fc.constant(models),
    maxCascade: fc.constantFrom(0, 2, 5),
    edges: fc.array(edge(models), { minLength: 1, maxLength: 6 }),
    steps: fc.array(step, { minLength: 20, maxLength: 60 }),
  }),
);

function fieldFor({ to, action, shape }: EdgeSpec): never {
  const ref = t.ref(`M${to}`, { id: t.string(), ...(action === 'none' ? { exists: true } : { onDelete: action }) } as never) as never;
  const item = action === 'pull' ? ref : t.nullable(ref);
  if (shape === 'required') return ref;
  if (shape === 'optional') return t.optional(ref) as never;
  if (shape === 'list') return t.array(item as never, { default: [] } as never) as never;
  if (shape === 'lines') return t.array(t.object('Line', { ref: t.nullable(ref) }), { default: [] } as never) as never;
  return t.nullable(ref, { storeNone: shape === 'storeNone' }) as never;
}

function modelsOf(models: number, edges: readonly EdgeSpec[]): Model[] {
  return Array.from({ length: models }, (_, model) => {
    const own = edges.flatMap((spec, index) => (spec.from === model ? [[`e${index}`, fieldFor(spec)] as const] : []));
    const fields = { id: t.string({ policy: { insert: true } }), owner: t.string(), revision: t.revision(), ...Object.fromEntries(own) };
    return defineModel(`M${model}`, { collection: `m${model}`, fields: fields as never }) as unknown as Model;
  });
}

/** The ids that a step writes for an edge, as its shape takes them. */
function idsFor({ shape, action }: EdgeSpec, ids: readonly (string | null)[]): (string | null)[] {
  if (shape === 'list') return action === 'pull' ? ids.filter((one) => one !== null) : [...ids];
  if (shape === 'lines') return [...ids];
  if (shape === 'required') return [ids.find((one) => one !== null) ?? 'a'];
  return ids[0] === undefined || ids[0] === null ? [] : [ids[0]];
}

function toValue({ shape }: EdgeSpec, ids: readonly (string | null)[]): unknown {
  if (shape === 'list') return ids;
  if (shape === 'lines') return ids.map((ref) => ({ ref }));
  return ids[0] ?? null;
}

/** The record as the oracle has it. */
function expectedOf(oracle: ReferenceOracle, _id: string, { owner, revision, refs }: Thing): object {
  const values = [...refs].map(([index, ids]) => {
    const spec = oracle.edges[index] as EdgeSpec;
    if (spec.shape === 'lines') return [`e${index}`, ids.map((ref) => (ref === null ? {} : { ref }))] as const;
    if (spec.shape === 'list') return [`e${index}`, ids] as const;
    return ids.length > 0 || spec.shape === 'storeNone' ? ([`e${index}`, ids[0] ?? null] as const) : undefined;
  });
  return { _id, owner, revision, ...Object.fromEntries(values.filter((one) => one !== undefined)) };
}

const tally = new Map<string, number>();

/** Carries out a step by the library. */
async function perform(
  api: Api,
  models: readonly Model[],
  edges: readonly EdgeSpec[],
  { kind, asker, model, id: of, owner, edge: index, ids }: Step,
): Promise<Outcome> {
  const bodyOf = (some: readonly number[]) =>
    Object.fromEntries(
      some.flatMap((one) => {
        const spec = edges[one] as EdgeSpec;
        const value = toValue(spec, idsFor(spec, ids[one] ?? []));
        return value === null && spec.shape === 'optional' && kind === 'create' ? [] : [[`e${one}`, value]];
      }),
    );
  const own = edges.flatMap((spec, at) => (spec.from === model ? [at] : []));
  const body = kind === 'create' ? { id: of, owner: asker === 'client' ? 'ann' : owner, ...bodyOf(own) } : bodyOf([index]);
  if (asker === 'store') return inStore();
  const method = { create: 'POST', patch: 'PATCH', remove: 'DELETE' }[kind];
  const path = kind === 'create' ? `/m${model}` : `/m${model}/${of}`;
  const sent =
    kind === 'remove'
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': kind === 'patch' ? 'application/merge-patch+json' : 'application/json' } };
  const answer = await api.fetch(new Request(`http://in-process${path}`, { method, ...sent }));
  const told = (answer.status >= 400 ? await answer.json() : {}) as { code?: string; detail?: string };
  return outcomeOf(answer.status, told);

  async function inStore(): Promise<Outcome> {
    const store = api.store(models[model] as never) as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>;
    try {
      if (kind === 'create') await store.create?.(body);
      else if (kind === 'patch') await store.update?.(of, body);
      else await store.remove?.(of);
      return { status: kind === 'create' ? 201 : 200 };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return outcomeOf(error.status, error);
    }
  }
}

function outcomeOf(
  status: number,
  { code, detail }: { readonly code?: string | undefined; readonly detail?: string | undefined },
): Outcome {
  if (code !== 'still_referenced') return code === undefined ? { status } : { status, code };
  const by = detail?.replace('It cannot be deleted while it is referred to by ', '').replace(/\.$/, '') ?? '';
  return { status, code, parts: by === 'other records' ? [] : by.split(', ').sort() };
}

function predict(oracle: ReferenceOracle, { kind, asker, model, id: of, owner, edge: index, ids }: Step): Outcome {
  if (kind === 'remove') return oracle.remove(asker, model, of);
  const idsOf = (at: number) => idsFor(oracle.edges[at] as EdgeSpec, ids[at] ?? []);
  if (kind === 'patch') return oracle.patch(asker, model, of, index, idsOf(index));
  const own = oracle.edges.flatMap((spec, at) => (spec.from === model ? [at] : []));
  return oracle.create(asker, model, of, asker === 'client' ? 'ann' : owner, new Map(own.map((at) => [at, idsOf(at)])));
}

describe('references between random models', () => {
  it('are created, changed and deleted as the documentation says, and none with `onDelete` leads nowhere', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, async ({ models: amount, maxCascade, edges, steps }) => {
        for (let model = 0; model < most; model++) await collection(model).deleteMany({});
        const models = modelsOf(amount, edges);
        const shop = service();
        const scope = () => ({ owner: 'ann' });
        const api = shop.api({ db: database.db, resources: models.map((model) => shop.resource({ model, scope } as never)), maxCascade });
        const oracle = new ReferenceOracle(edges, maxCascade);
        for (const given of steps) {
          const model = given.model % amount;
          const own = edges.flatMap((spec, at) => (spec.from === model ? [at] : []));
          if (given.kind === 'patch' && own.length === 0) continue;
          const one = { ...given, model, edge: own[given.edge % own.length] ?? 0 };
          const expected = predict(oracle, one);
          const told = await perform(api, models, edges, one);
          tally.set(`${one.kind} ${told.code ?? told.status}`, (tally.get(`${one.kind} ${told.code ?? told.status}`) ?? 0) + 1);
          expect({ one, told }).toEqual({ one, told: expected });
          expect(oracle.orphans()).toEqual([]);
          for (let at = 0; at < amount; at++) {
            const stored = await collection(at)
              .find({}, { projection: { _references: 0 } })
              .sort({ _id: 1 })
              .toArray();
            const records = [...oracle.things].filter(([key]) => key.startsWith(`${at}/`)).sort(([a], [b]) => (a < b ? -1 : 1));
            expect({ one, stored }).toEqual({
              one,
              stored: records.map(([key, thing]) => expectedOf(oracle, key.split('/')[1] as string, thing)),
            });
          }
        }
      }),
      { ...fuzz, numRuns: Math.ceil(fuzz.numRuns / 20), endOnFailure: true },
    );
    expect([...tally.keys()]).toEqual(
      expect.arrayContaining([
        'create 201',
        'create validation_failed',
        'create duplicate_key',
        'patch 200',
        'patch validation_failed',
        'remove 204',
        'remove still_referenced',
        'remove too_many_references',
        'remove not_found',
      ]),
    );
  }, 600_000);
});
