import { register } from 'node:module';
import { waitForTimersOf } from './left-open.ts';

register('./oldest-hooks.mjs', import.meta.url);

// Version 6.20 of the driver forgets the timer of a server selection whose command was aborted: it ends by itself.
waitForTimersOf(30_000);
