import { createHash } from 'node:crypto';
import { formatEntityTag } from '../http/entity-tag.ts';
import { stringifyJson } from '../http/json.ts';
import type { ResourceMiddleware } from '../middleware/parts/context.ts';
import { requestPath } from '../middleware/record.ts';
import type { OpenapiDocument } from '../openapi/document.ts';
import { keepLatest } from './keep-latest.ts';

/**
 * Answers with an OpenAPI document, and a strong `ETag` of its text. Its server is where the app is mounted: what the client's path has
 * before `path`, the document's own path in the api.
 */
export function sendDocument(document: OpenapiDocument, path: string): ResourceMiddleware {
  const textAt = keepLatest(compileText(document), mostMounts);
  textAt('/'); // made before the first request asks for it
  return async function sendDocument(ctx) {
    const { text, entityTag } = textAt(mountOf(requestPath(ctx), path));
    ctx.status = 200; // whatever the app has set before
    ctx.set({ ETag: entityTag, 'Cache-Control': 'no-cache' }); // kept, and asked about: it changes with the service
    ctx.body = text;
    ctx.type = 'json';
  };
}

function mountOf(requested: string, path: string): string {
  return (requested.endsWith(path) && requested.slice(0, -path.length)) || '/';
}

/** An app is mounted in one place as a rule, and behind a few prefixes where a proxy says so. Clients may make up more. */
const mostMounts = 8;

interface DocumentText {
  readonly text: string;
  readonly entityTag: string;
}

/** The text is written once, around the place where the server's URL stands. */
function compileText({ openapi, info, servers: _, ...rest }: OpenapiDocument): (url: string) => DocumentText {
  const before = stringifyJson({ openapi, info }).slice(0, -1);
  const after = stringifyJson(rest).slice(1);
  return function write(url) {
    const text = `${before},"servers":${JSON.stringify([{ url }])},${after}`;
    return { text, entityTag: formatEntityTag(createHash('sha256').update(text).digest('base64url')) };
  };
}
