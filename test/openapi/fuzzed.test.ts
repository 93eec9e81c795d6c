import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fuzzedApis } from '../../dev/openapi/fuzzed-apis.ts';
import { apis } from './documents.ts';
import { featuresOf } from './features.ts';
import { db } from './fixtures.ts';

const script = readFileSync(join(import.meta.dirname, '../../.ci/run'), 'utf8');
const names = /^fuzzed='([^']+)'/m.exec(script)?.[1]?.split(' ') ?? [];

/** Schemathesis sends nothing to these, whatever api has them. */
const excluded = Object.values(fuzzedApis).flatMap((api) => api.excluded ?? []);

const fuzzed = new Map(names.map((name) => [name, featuresOf(fuzzedApis[name]?.create(db) as never, excluded)]));

/** The features of some fuzzed apis together. */
const together = (some: readonly string[]) => new Set(some.flatMap((name) => [...(fuzzed.get(name) ?? [])]));

describe('the apis that `.ci/run` has fuzzed', () => {
  it.each(apis)('have every feature of %s', (_name, api) => {
    const known = together(names);
    const features = [...featuresOf(api, excluded)];
    expect(features.length).toBeGreaterThan(50);
    expect(features.filter((feature) => !known.has(feature))).toEqual([]);
  });

  it.each(names)('include %s for a feature that no other of them has', (name) => {
    const others = together(names.filter((other) => other !== name));
    expect([...(fuzzed.get(name) ?? [])].filter((feature) => !others.has(feature))).not.toEqual([]);
  });
});
