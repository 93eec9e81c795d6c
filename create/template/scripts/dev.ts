import { randomBytes } from 'node:crypto';
import '../src/settings.ts';

// The server of `npm run dev`. It lets in who sends the token that it prints: another one at each start, unless .env
// has a DEV_TOKEN.
process.env.DEV_TOKEN ||= randomBytes(16).toString('hex');
console.log(`Send this header, or authorize with the token in it:\n\n  Authorization: Bearer ${process.env.DEV_TOKEN}\n`);
await import('../src/server.ts');
