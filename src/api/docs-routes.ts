import { createHash } from 'node:crypto';
import { extname } from 'node:path';
import compose from 'koa-compose';
import { formatEntityTag } from '../http/entity-tag.ts';
import { notModified } from '../middleware/not-modified.ts';
import type { ResourceMiddleware } from '../middleware/parts/context.ts';
import type { ApiDescription } from '../openapi/api-description.ts';
import { documentPath } from '../openapi/describe-document.ts';
import { docsFiles, docsPage, docsPolicy, docsStart, startFile } from '../openapi/docs-page.ts';
import type { Route } from './dispatch.ts';
import { readDocsFiles } from './docs-files.ts';

/** The routes of the docs page and of its files: each file is a route of its own, so that no path of a request is looked for on a disk. */
export function compileDocsRoutes({ info, securitySchemes }: ApiDescription, before: readonly ResourceMiddleware[]): Route[] {
  const headers = {
    'Content-Security-Policy': docsPolicy(securitySchemes),
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache', // kept, and asked about by its ETag: an update of the package is seen at once
  };
  const toRoute = (path: string, extension: string, body: Buffer): Route => ({
    method: 'GET',
    path,
    name: 'docs',
    run: compose([...before, notModified(), sendFile(body, extension, headers)]) as ResourceMiddleware,
  });
  return [
    toRoute('/', '.html', Buffer.from(docsPage(info.title))),
    toRoute(`/${startFile}`, '.js', Buffer.from(docsStart(documentPath))),
    ...[...readDocsFiles(docsFiles)].map(([name, body]) => toRoute(`/${name}`, extname(name), body)),
  ];
}

/** RFC 9239 calls every other name of it obsolete; Koa 2 has one of those. */
const types: Readonly<Record<string, string>> = { '.js': 'text/javascript; charset=utf-8' };

/** Answers with bytes that are known when the api is created, and a strong `ETag` of them. */
function sendFile(body: Buffer, extension: string, headers: Readonly<Record<string, string>>): ResourceMiddleware {
  const entityTag = formatEntityTag(createHash('sha256').update(body).digest('base64url'));
  return async function sendFile(ctx) {
    ctx.set({ ...headers, ETag: entityTag });
    ctx.body = body;
    ctx.type = types[extension] ?? extension;
  };
}
