import '../src/settings.ts';

// The server of `npm run dev`. It lets in who sends `Authorization: Bearer dev-token`, or the DEV_TOKEN of .env.
process.env.DEV_TOKEN ||= 'dev-token';
await import('../src/server.ts');
