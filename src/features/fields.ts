import { counterField } from './counters/field.ts';

/** The builders that plug-ins add to `t`. */
// biome-ignore format: a line for each plug-in
export const fieldsOfPlugins = {
  ...counterField,
};
