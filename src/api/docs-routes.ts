import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { ConfigurationError } from '../errors.ts';
import { formatEntityTag } from '../http/entity-tag.ts';
import type { ResourceMiddleware } from '../middleware/exchange/context.ts';
import { composeChain } from '../middleware/exchange/step.ts';
import { notModified } from '../middleware/not-modified.ts';
import type { ApiDescription } from '../openapi/api-description.ts';
import { docsFiles, docsPage, docsPolicy, docsStart, startFile } from '../openapi/docs-page.ts';
import { documentPath } from '../openapi/operations/describe-document.ts';
import type { Route } from './route.ts';

/**
 * Creates the routes of the docs page and of its files. Each file has a route of its own, so that no request path
 * reaches the file system.
 */
export function compileDocsRoutes({ info, securitySchemes, resources }: ApiDescription, before: readonly ResourceMiddleware[]): Route[] {
  const headers = {
    'Content-Security-Policy': docsPolicy(securitySchemes),
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-cache', // browsers revalidate by the ETag, and so see an update of the package at once
  };
  const toRoute = (path: string, extension: string, body: Buffer): Route => ({
    method: 'GET',
    path,
    name: 'docs',
    run: composeChain([...before, notModified(), sendFile(body, extension, headers)]),
  });
  return [
    toRoute('/', '.html', Buffer.from(docsPage(info.title))),
    toRoute(
      `/${startFile}`,
      '.js',
      Buffer.from(
        docsStart(
          documentPath,
          resources.some(({ rows }) => rows.some(({ keep }) => keep)),
        ),
      ),
    ),
    ...[...readDocsFiles(docsFiles)].map(([name, body]) => toRoute(`/${name}`, extname(name), body)),
  ];
}

/** Koa 2 would send a type that RFC 9239 calls obsolete. */
const types: Readonly<Record<string, string>> = { '.js': 'text/javascript; charset=utf-8' };

/** Answers with a body that is known when the api is created, and with its strong `ETag`. */
function sendFile(body: Buffer, extension: string, headers: Readonly<Record<string, string>>): ResourceMiddleware {
  const entityTag = formatEntityTag(createHash('sha256').update(body).digest('base64url'));
  return async function sendFile(ctx) {
    ctx.set({ ...headers, ETag: entityTag });
    ctx.body = body;
    ctx.type = types[extension] ?? extension;
  };
}

/**
 * The package with the files of the docs page. It is an optional peer dependency: without the page it is not needed.
 */
const packageName = 'swagger-ui-dist';

/**
 * Reads files of the package that is installed beside the library. This happens once, when an api is created.
 *
 * Throws a {@link ConfigurationError} if the package is missing, has another major version, or lacks one of the files.
 */
export function readDocsFiles(names: readonly string[], from: string | URL = import.meta.url): ReadonlyMap<string, Buffer> {
  const folder = dirname(findPackage(from));
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  if (!version.startsWith('5.'))
    throw new ConfigurationError(`\`docs\` needs version 5 of the package \`${packageName}\`, not ${version}.`);
  return new Map(names.map((name) => [name, readFile(join(folder, name), name, version)]));
}

function findPackage(from: string | URL): string {
  try {
    return createRequire(from).resolve(`${packageName}/package.json`);
  } catch (cause) {
    throw new ConfigurationError(`\`docs\` needs the package \`${packageName}\`: install it with \`npm install ${packageName}\`.`, {
      cause,
    });
  }
}

function readFile(path: string, name: string, version: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new ConfigurationError(`\`docs\` needs \`${name}\`, which ${packageName} ${version} does not have: update it.`, { cause });
  }
}
