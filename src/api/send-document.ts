import { createHash } from 'node:crypto';
import { formatEntityTag } from '../http/entity-tag.ts';
import { stringifyJson } from '../http/json.ts';
import { keepLatest } from '../keep-latest.ts';
import type { ResourceMiddleware } from '../middleware/exchange/context.ts';
import { requestPath } from '../middleware/record.ts';
import { once } from '../mistakes.ts';
import type { OpenapiDocument } from '../openapi/document.ts';

/**
 * Answers with an OpenAPI document, and with the strong `ETag` of its text. The server in the document is where the app
 * is mounted: the part of the requested path before `path`, which is the path of the document in the api. The document
 * is built at the first request: most processes of a service are never asked for it.
 */
export function sendDocument(build: () => OpenapiDocument, path: string, cacheControl = 'no-cache'): ResourceMiddleware {
  const write = once(() => compileText(build()));
  const textAt = keepLatest((url) => write()(url), mostMounts);
  return async function sendDocument(ctx) {
    const { text, entityTag } = textAt(mountOf(requestPath(ctx), path));
    ctx.status = 200; // overrides a status that the app has set
    ctx.set({ ETag: entityTag, 'Cache-Control': cacheControl }); // browsers revalidate it: it changes with the service
    ctx.body = text;
    ctx.type = 'json';
  };
}

function mountOf(requested: string, path: string): string {
  return (requested.endsWith(path) && requested.slice(0, -path.length)) || '/';
}

/**
 * An app usually has one mount, or a few prefixes of a proxy. Clients can invent more, which must not fill the memory.
 */
const mostMounts = 8;

interface DocumentText {
  readonly text: string;
  readonly entityTag: string;
}

/** Writes the text before and after the URL of the server once. */
function compileText({ openapi, info, servers: _, ...rest }: OpenapiDocument): (url: string) => DocumentText {
  const before = stringifyJson({ openapi, info }).slice(0, -1);
  const after = stringifyJson(rest).slice(1);
  return function write(url) {
    const text = `${before},"servers":${JSON.stringify([{ url }])},${after}`;
    return { text, entityTag: formatEntityTag(createHash('sha256').update(text).digest('base64url')) };
  };
}
