import type { Area } from './area.ts';
import { dearAreas } from './dear-areas.ts';
import { faultAreas } from './fault-areas.ts';
import { smallAreas } from './small-areas.ts';

/** Where faults are planted, and the tests that are measured by them. */
export const areas: Readonly<Record<'dear' | 'small' | 'faults', readonly Area[]>> = {
  dear: dearAreas,
  small: smallAreas,
  faults: faultAreas,
};

/** The tests with random cases or rounds that are not measured, each with the reason. */
export const unmeasured: Readonly<Record<string, string>> = {
  'model/define/json-schema-type.slow': 'compares types of TypeScript with Ajv: a fault that is planted is none of a type',
};
