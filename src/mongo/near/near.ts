// What `near` needs of this room, which is loaded with the first request that has it.
export { distanceKey } from './circle.ts';
export { planNear, withDistances, withIndex } from './near-page.ts';
export { readNear, readWithin } from './read-near.ts';
