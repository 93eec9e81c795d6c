import { once } from 'node:events';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import type { Any } from '../any.ts';

/** An answer that was read until it ended, or was cut. */
export interface ReadStream {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The values of its lines, for NDJSON. */
  readonly lines: readonly Any[];
  readonly isCut: boolean;
}

/** Begins a GET, and resolves when the headers of its answer have come. */
export async function openStream(port: number, path: string, headers: OutgoingHttpHeaders): Promise<IncomingMessage> {
  const outgoing = httpRequest({ port, host: '127.0.0.1', path, headers, agent: false });
  outgoing.end();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return incoming;
}

/** Reads an answer to its end, also if its connection is cut. */
export async function readToEnd(incoming: IncomingMessage): Promise<ReadStream> {
  const chunks: Buffer[] = [];
  let isCut = false;
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    isCut = true;
  }
  const text = Buffer.concat(chunks).toString();
  const isNdjson = (incoming.headers['content-type'] ?? '').startsWith('application/x-ndjson');
  const lines = isNdjson
    ? text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    : [];
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, text, lines, isCut };
}

/** Sends a GET, and reads its answer to its end. */
export async function getStream(port: number, path: string, accept: string, headers: OutgoingHttpHeaders = {}): Promise<ReadStream> {
  return readToEnd(await openStream(port, path, { accept, ...headers }));
}
