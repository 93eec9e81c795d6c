import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

interface Upload {
  readonly key: string;
  readonly type: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** An object store in memory, which serves signed requests alone, as S3 does. */
export class LocalObjectStore {
  readonly objects = new Map<string, { readonly body: Buffer; readonly type: string }>();
  readonly #secret = randomBytes(32);
  readonly #server: Server = createServer((request, response) => void this.#answer(request, response));

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async presignPut({ key, type, bytes, sha256 }: Upload) {
    const headers = { 'content-type': type, 'x-amz-checksum-sha256': sha256 };
    return { method: 'PUT', url: this.#sign('PUT', key, [type, sha256, String(bytes)]), headers } as const;
  }

  async presignGet(key: string, name: string) {
    return { method: 'GET', url: `${this.#sign('GET', key, [])}&name=${encodeURIComponent(name)}`, headers: {} } as const;
  }

  async head(key: string) {
    const object = this.objects.get(key);
    return object && { bytes: object.body.length, sha256: digest(object.body) };
  }

  async remove(key: string): Promise<void> {
    this.objects.delete(key);
  }

  #sign(method: string, key: string, parts: readonly string[]): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://127.0.0.1:${port}/${key}?signature=${this.#signature(method, key, parts)}`;
  }

  #signature(method: string, key: string, parts: readonly string[]): string {
    return createHmac('sha256', this.#secret)
      .update(JSON.stringify([method, key, ...parts]))
      .digest('hex');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://store');
    const { method = '', headers } = request;
    const key = pathname.slice(1);
    const [type = '', sha256 = '', bytes = ''] = ['content-type', 'x-amz-checksum-sha256', 'content-length'].map((name) =>
      String(headers[name]),
    );
    const expected = this.#signature(method, key, method === 'PUT' ? [type, sha256, bytes] : []);
    const given = (searchParams.get('signature') ?? '').padEnd(expected.length).slice(0, expected.length);
    const body = await buffer(request);
    const object = this.objects.get(key);
    if (!timingSafeEqual(Buffer.from(given), Buffer.from(expected))) response.writeHead(403).end();
    else if (method === 'PUT' && digest(body) !== sha256) response.writeHead(400).end();
    else if (method === 'PUT') {
      this.objects.set(key, { body, type });
      response.writeHead(200).end();
    } else if (object) {
      const disposition = `attachment; filename*=UTF-8''${encodeURIComponent(searchParams.get('name') ?? '')}`;
      response.writeHead(200, { 'content-type': object.type, 'content-disposition': disposition }).end(object.body);
    } else response.writeHead(404).end();
  }
}

function digest(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('base64');
}
