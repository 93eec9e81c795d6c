import { MongoClient } from 'mongodb';
import { ConfigurationError, defineModel, jsonBody, service, t } from '../../../src/index.ts';

const Doc = defineModel('Doc', { collection: 'docs', fields: { text: t.string() } });
const db = new MongoClient('mongodb://127.0.0.1:1').db(); // an api opens its collections, and asks nothing of them

/** The api of one resource with these options, which TypeScript would not all accept. */
function build(options: object): () => unknown {
  const shop = service();
  return () => shop.api({ db, resources: [shop.resource({ model: Doc, ...options })] });
}

const handler = () => undefined;

describe('the custom operations of a resource', () => {
  it.each<[string, object, string]>([
    ['the name of a standard one', { get: { handler } }, '`operations.get` of resource `docs` has the name of a standard operation'],
    ['the name of one that is not listed', { put: { handler } }, '`operations.put`'],
    ['a name that no path can have', { 'a b': { handler } }, 'a name is made of letters'],
    ['a name of the prototype', JSON.parse('{"__proto__":{}}') as object, 'a name is made of letters'],
    ['nothing', { send: undefined }, 'must be an object'],
    ['a function', { send: handler }, 'must be an object'],
    [
      'an unknown option',
      { send: { handler, sumary: 'x' } },
      '`sumary` is not an option of `operations.send` of resource `docs`; did you mean `summary`?',
    ],
    [
      'an unknown method',
      { send: { handler, method: 'FETCH' } },
      '`method` of `operations.send` of resource `docs` must be one of GET, POST, PUT, PATCH, DELETE',
    ],
    ['a method in lower case', { send: { handler, method: 'get' } }, '`method`'],
    ['a path without a slash', { send: { handler, path: 'send' } }, '`path` of `operations.send`'],
    ['a path that ends in a slash', { send: { handler, path: '/send/' } }, '`path`'],
    ['an empty path', { send: { handler, path: '' } }, '`path`'],
    ['a path in another language', { send: { handler, path: '/{id}/send' } }, '`/:id/send`'],
    ['a wildcard', { send: { handler, path: '/*all' } }, '`path`'],
    ['a percent sign', { send: { handler, path: '/a%20b' } }, '`path`'],
    ['a record by another name', { send: { handler, path: '/:number/send' } }, 'must be called `:id`'],
    ['a parameter twice', { send: { handler, path: '/:id/a/:id' } }, 'different names'],
    ['a parameter that no object can have', { send: { handler, path: '/:id/a/:__proto__' } }, '`:__proto__`'],
    ['no handler and no middleware', { send: { summary: 'x' } }, 'needs a `handler`'],
    ['a handler that is none', { send: { handler: 'send' } }, '`handler` of `operations.send`'],
    ['middlewares that are none', { send: { handler, use: [jsonBody] as unknown[], summary: 5 } }, '`summary`'],
    ['middlewares that are no list', { send: { handler, use: jsonBody() } }, '`use`'],
    ['a path that clients resolve', { send: { handler, path: '/:id/..' } }, '`path`'],
    [
      'a middleware that nobody made',
      { send: { handler, use: [jsonBody] } },
      '`use` of `operations.send` of resource `docs` has `jsonBody` itself: call it',
    ],
    ['a middleware that is none', { send: { handler, use: ['jsonBody'] } }, '`use`'],
    [
      'two bodies',
      { send: { handler, use: [jsonBody(), jsonBody({ requireObject: false })] } },
      '`use` of `operations.send` of resource `docs` reads the body twice',
    ],
    ['two at one place', { a: { handler, path: '/x' }, b: { handler, path: '/x' } }, '`a` and `b` of resource `docs` are both POST `/x`'],
    ['the place of a standard one', { all: { handler, method: 'GET', path: '/' } }, '`list` and `all` of resource `docs` are both GET `/`'],
    ['the place of a standard one, of a record', { remove: { handler, method: 'DELETE', path: '/:id' } }, '`delete` and `remove`'],
    [
      'paths that only the names of parameters tell apart',
      { a: { handler, path: '/:id/x/:a' }, b: { handler, method: 'GET', path: '/:id/x/:b' } },
      'differ only in the names of parameters',
    ],
  ])('cannot have %s', (_what, operations, message) => {
    expect(build({ operations })).toThrow(ConfigurationError);
    expect(build({ operations })).toThrow(message);
  });

  it.each<[string, object]>([
    ['another method at a standard path', { replace: { handler, method: 'PUT', path: '/:id' } }],
    ['the place of a standard one that is not served', { remove: { handler, method: 'DELETE', path: '/' } }],
    ['one path with several methods', { a: { handler, path: '/x' }, b: { handler, path: '/x', method: 'GET' } }],
    [
      'parameters anywhere',
      { a: { handler, path: '/archive/:id' }, b: { handler, path: '/:id/a/:b/c/:d' }, c: { handler, path: '/by/:name' } },
    ],
    ['the name of what every object has', { constructor: { handler }, toString: { handler } }],
    ['only middlewares', { a: { use: [jsonBody()] } }],
  ])('may have %s', (_what, operations) => {
    expect(build({ operations })).not.toThrow();
  });

  it.each(['guardsFor', 'after'])('are the ones that `%s` may name, with the standard ones that are served', (option) => {
    const operations = { send: { handler } };
    expect(build({ operations, [option]: { send: [], get: [] } })).not.toThrow();
    expect(build({ operations, [option]: { sned: [] } })).toThrow(
      `\`sned\` is not an operation in \`${option}\` of resource \`docs\`; did you mean \`send\`?`,
    );
    expect(build({ operations, [option]: { put: [] } })).toThrow(ConfigurationError);
    expect(build({ operations, ops: [], [option]: { get: [] } })).toThrow('Allowed: send.');
  });
});

describe('the schema of a body', () => {
  it.each<[string, unknown, string]>([
    ['text', 'object', '`schema` of `jsonBody` must describe an object'],
    ['a field that is no object', t.string(), '`schema`'],
    ['an object that may be null', t.nullable(t.object('O', { a: t.string() })), '`schema`'],
    ['a map', t.map(t.string()), '`schema`'],
    ['a misspelt keyword', { type: 'object', properties: { a: { type: 'string', minLenght: 1 } } }, '`minLenght` of `body.a`'],
    ['a revision', t.object('O', { revision: t.revision() }), '`body.revision`'],
  ])('cannot be %s', (_what, schema, message) => {
    expect(() => jsonBody({ schema: schema as never })).toThrow(ConfigurationError);
    expect(() => jsonBody({ schema: schema as never })).toThrow(message);
  });

  it('may have an optional id: it is no record', () => {
    expect(() => jsonBody({ schema: t.object('Move', { id: t.optional(t.string()) }) })).not.toThrow();
  });
});
