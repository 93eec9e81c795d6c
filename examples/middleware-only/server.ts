import { listen, urlOf } from '../listen.ts';
import { createApp } from './app.ts';

const server = await listen(createApp());
console.log(`${urlOf(server)}/settings`);
