import { Script } from 'node:vm';
import Router from '@koa/router';
import type { Middleware } from 'koa';
import mount from 'koa-mount';
import { type Api, defineModel, service, t } from '../../src/index.ts';
import { docsFiles } from '../../src/openapi/docs-page.ts';
import { db } from '../openapi/fixtures.ts';
import { useListener } from '../support/http/listen.ts';
import { type Answer, send, type TestServer, useServer } from '../support/http/serve.ts';

const Note = defineModel('Note', { collection: 'notes', fields: { text: t.string() } });

function makeApi(options: object = {}): Api {
  const shop = service({
    authenticate() {
      throw new Error('nobody is asked who they are');
    },
  });
  return shop.api({ db, prefix: '/api', title: 'Shop & <Co>', docs: true, resources: [shop.resource({ model: Note })], ...options });
}

const serve = useServer();
const listen = useListener();
let server: TestServer;

beforeAll(async () => {
  server = await serve(makeApi().routes());
});

/** The addresses in a page, as a browser at `url` understands them. */
function addresses({ text }: Answer, url: string): string[] {
  return [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => new URL(address, `http://host${url}`).pathname);
}

describe('GET /docs', () => {
  it('answers with a page, to everybody', async () => {
    const { status, headers, text } = await server.request('GET', '/api/docs');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain('<title>Shop &amp; &lt;Co&gt;</title>');
  });

  it('has a policy that lets nothing stand in the page and nothing come from elsewhere', async () => {
    const { headers, text } = await server.request('GET', '/api/docs');
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect([headers['x-content-type-options'], headers['referrer-policy']]).toEqual(['nosniff', 'no-referrer']);
    expect(text).not.toMatch(/<script>|<style|style=|https?:/);
  });

  it('lets requests go to the servers of OAuth tokens', async () => {
    const tokenUrl = 'https://login.example.org/token';
    const securitySchemes = {
      login: { type: 'oauth2', flows: { clientCredentials: { tokenUrl, scopes: {} }, password: { tokenUrl: '/token', scopes: {} } } },
    };
    const other = await serve(makeApi({ securitySchemes }).routes());
    const { headers } = await other.request('GET', '/api/docs');
    expect(headers['content-security-policy']).toContain("connect-src 'self' https://login.example.org; ");
  });

  it('is not there unless the api says so', async () => {
    for (const options of [{ docs: false }, { docs: undefined }]) {
      const other = await serve(makeApi(options).routes());
      expect((await other.request('GET', '/api/docs')).status).toBe(404);
      expect((await other.request('GET', '/api/docs/start.js')).status).toBe(404);
    }
  });

  it('works where it is mounted: all that the page needs is found from its own address', async () => {
    const routes = makeApi().routes();
    const router = new Router();
    router.use('/shops/:shop', makeApi().routes());
    const other = await serve(mount('/v1', routes), mount('/v2/deep', routes), router.routes() as Middleware);
    for (const base of ['/v1', '/v2/deep', '/shops/5']) {
      const page = await other.request('GET', `${base}/api/docs`);
      const found = addresses(page, `${base}/api/docs`);
      expect(found).toHaveLength(4);
      for (const address of found) expect([address, (await other.request('GET', address)).status]).toEqual([address, 200]);
      const start = await other.request('GET', `${base}/api/docs/start.js`);
      expect(start.text).toContain("url: 'openapi.json'"); // which a browser looks for beside the page
      expect((await other.request('GET', `${base}/api/openapi.json`)).status).toBe(200);
    }
  });

  it('follows events only where there are live lists', async () => {
    const shop = service();
    const live = await serve(
      shop.api({ db, docs: true, prefix: '/api', resources: [shop.resource({ model: Note, live: true })] }).routes(),
    );
    const start = await live.request('GET', '/api/docs/start.js');
    expect(start.text).toContain('text/event-stream');
    expect(() => new Script(start.text)).not.toThrow();
    expect((await server.request('GET', '/api/docs/start.js')).text).not.toContain('plugins');
  });

  it('is at the root without a prefix', async () => {
    const other = await serve(makeApi({ prefix: '' }).routes());
    expect(addresses(await other.request('GET', '/docs'), '/docs')).toContain('/docs/start.js');
    expect((await other.request('GET', '/docs/start.js')).status).toBe(200);
  });

  it('is served by callback() and fetch() as well, with the same bytes', async () => {
    const api = makeApi();
    const port = await listen(api.callback());
    for (const path of ['/api/docs', '/api/docs/swagger-ui.css', '/api/docs/favicon-32x32.png']) {
      const { headers, text } = await server.request('GET', path);
      const plain = await send(port, 'GET', path);
      const fetched = await api.fetch(new Request(`http://in-process${path}`));
      for (const name of ['etag', 'content-type', 'content-length', 'content-security-policy']) {
        expect([name, plain.headers[name], fetched.headers.get(name)]).toEqual([name, headers[name], headers[name]]);
      }
      expect([plain.text === text, (await fetched.text()) === text]).toEqual([true, true]);
    }
    expect(await send(port, 'OPTIONS', '/api/docs')).toMatchObject({ status: 204, headers: { allow: 'GET, HEAD, OPTIONS' } });
  });
});

describe('the files of the page', () => {
  it.each([
    ['swagger-ui.css', 'text/css; charset=utf-8'],
    ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
    ['start.js', 'text/javascript; charset=utf-8'],
    ['favicon-32x32.png', 'image/png'],
    ['oauth2-redirect.html', 'text/html; charset=utf-8'],
    ['oauth2-redirect.js', 'text/javascript; charset=utf-8'],
  ])('%s is %s, kept by its ETag', async (name, type) => {
    const path = `/api/docs/${name}`;
    const { status, headers } = await server.request('GET', path);
    expect([status, headers['content-type'], headers['x-content-type-options']]).toEqual([200, type, 'nosniff']);
    expect([headers['cache-control'], headers.etag]).toEqual(['no-cache', expect.stringMatching(/^"[\w-]{43}"$/)]);
    const again = await server.request('GET', path, { headers: { 'if-none-match': headers.etag } });
    expect([again.status, again.text, again.headers.etag]).toEqual([304, '', headers.etag]);
    const head = await server.request('HEAD', path);
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', headers['content-length']]);
  });

  it('are these and no others of the package', async () => {
    expect(docsFiles).toHaveLength(5);
    for (const path of [
      'index.html',
      'package.json',
      'swagger-ui-bundle.js.map',
      '../package.json',
      '%2e%2e/koa/package.json',
      '..%2fkoa%2fpackage.json',
      '..%5c..%5cpackage.json',
      'swagger-ui.css%00',
      'swagger-ui.css/',
      'swagger-uiXcss',
      'SWAGGER-UI.CSS',
      '',
    ]) {
      const answer = await server.request('GET', `/api/docs/${path}`);
      expect([path, answer.status, answer.headers['content-type']]).toEqual([path, 404, 'application/problem+json']);
    }
  });

  it('answer 405 to other methods', async () => {
    for (const path of ['/api/docs', '/api/docs/swagger-ui.css']) {
      for (const method of ['POST', 'PUT', 'DELETE']) {
        const { status, headers } = await server.request(method, path, { body: {} });
        expect([status, headers.allow, headers['content-type']]).toEqual([405, 'GET, HEAD', 'application/problem+json']);
      }
    }
  });
});
