import * as library from '../../src/index.ts';

/** Functions that the library exports and that make no middleware. */
const others = [
  'applyIndexes',
  'applyValidators',
  'collectionValidator',
  'compileIncludes',
  'compileReferences',
  'compileThrough',
  'cursorPaging',
  'defineModel',
  'diagram',
  'liveStreams',
  'offsetPaging',
  'openapiDocument',
  'openapiText',
  'openStore',
  'planIndexes',
  'planValidators',
  'service',
  'streamPlaces',
  'toJsonSchema',
  'withFolds',
];

/** The names of all middlewares that the library exports. */
export const middlewareNames = Object.entries(library)
  .filter(([name, value]) => typeof value === 'function' && /^[a-z]/.test(name) && !others.includes(name))
  .map(([name]) => name);
