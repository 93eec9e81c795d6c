// What an aggregate needs of this room, which is loaded with the first one.
export { explain } from './explain.ts';
export { parseAggregateQuery } from './parse-aggregate.ts';
export { planGroups } from './plan-groups.ts';
export { writeGroups } from './write-groups.ts';
