import { register } from 'node:module';

register('./oldest-hooks.mjs', import.meta.url);
