import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

// biome-ignore lint/suspicious/noExplicitAny: a part of a document, which its caller knows.
type Part = any;
type Check = (value: unknown) => string[];

/** What a document says of one operation. Each function returns what is wrong. */
interface Operation {
  path(values: ReadonlyMap<string, string>): string[];
  query(given: URLSearchParams): string[];
  readonly needsBody: boolean;
  /** Undefined if the operation takes no body of this type. */
  body(type: string): Check | undefined;
  answer(status: number, headers: Headers, body: unknown): string[];
}

/** Finds the operation of a request, and the values in its path. */
export type Find = (
  method: string,
  path: string,
) => { readonly operation: Operation; readonly values: ReadonlyMap<string, string> } | undefined;

/** Reads an OpenAPI 3.1 document. */
export async function readDescription(document: Part): Promise<Find> {
  const { valid, errors } = await new Validator().validate(structuredClone(document));
  if (!valid) throw new Error(`The document is no OpenAPI document: ${JSON.stringify(errors)}`);

  const options = { strict: false, validateSchema: false, allErrors: true, formats: { decimal: true, int64: true } } as const;
  const [ofBodies, ofTexts] = [new Ajv2020(options), new Ajv2020({ ...options, coerceTypes: true })];
  for (const ajv of [ofBodies, ofTexts]) addFormats.default(ajv).addSchema(document, 'document');

  // Parts of the document are named by JSON Pointers, and found behind `$ref`.
  const keyOf = (token: string) => token.replaceAll('~1', '/').replaceAll('~0', '~');
  const at = (pointer: string) =>
    pointer
      .split('/')
      .slice(1)
      .map(keyOf)
      .reduce((part: Part, key) => part?.[key], document);
  const follow = (pointer: string): string => (at(pointer)?.$ref ? follow(at(pointer).$ref.slice(1)) : pointer);
  const below = (pointer: string, key: string) => follow(`${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  const allBelow = (pointer: string) => Object.keys(at(pointer) ?? {}).map((key) => [key, below(pointer, key)] as const);

  /** Checks by a schema, which is compiled the first time. Many operations share it. */
  function checkAt(ajv: Ajv2020, pointer: string, name: string): Check {
    const known = ajv === ofTexts ? compiled.texts : compiled.bodies;
    return (value) => {
      const validate = known.get(pointer) ?? ajv.compile({ properties: { value: { $ref: `document#${encodeURI(pointer)}` } } });
      known.set(pointer, validate);
      validate({ value });
      return (validate.errors ?? []).map(({ instancePath, message }) => `${name}${instancePath.slice('/value'.length)} ${message}`);
    };
  }
  const compiled = { texts: new Map<string, ValidateFunction>(), bodies: new Map<string, ValidateFunction>() };

  const contentAt = (pointer: string) =>
    new Map(allBelow(`${pointer}/content`).map(([type, one]) => [type, checkAt(ofBodies, below(one, 'schema'), 'body')]));

  function parameterAt(pointer: string) {
    const { name, in: place, required = false, explode = true } = at(pointer);
    const schema = below(pointer, 'schema');
    const check = checkAt(ofTexts, schema, name);
    const split = (text: string) => (text === '' ? [] : text.split(','));
    function checkTexts(texts: readonly string[]): string[] {
      if (at(schema).type === 'array') return check(explode ? texts : texts.flatMap(split));
      return texts.length > 1 ? [`${name} must come once`] : check(texts[0]);
    }
    return { name, place, required, checkTexts };
  }

  function operationAt(ofPath: string, pointer: string): Operation {
    const parameters = [ofPath, pointer].flatMap((one) => allBelow(`${one}/parameters`).map(([, parameter]) => parameterAt(parameter)));
    const inPath = parameters.filter(({ place }) => place === 'path');
    const inQuery = new Map(parameters.filter(({ place }) => place === 'query').map((one) => [one.name, one]));
    const requestBody = below(pointer, 'requestBody');
    const bodies = contentAt(requestBody);
    const answers = new Map(
      allBelow(`${pointer}/responses`).map(([status, response]) => {
        const headers = allBelow(`${response}/headers`).flatMap(([name, header]) => (at(header).required ? [name] : []));
        return [Number(status), { types: contentAt(response), headers }];
      }),
    );
    return {
      path: (values) => inPath.flatMap(({ name, checkTexts }) => checkTexts([values.get(name) ?? ''])),
      query: (given) => [
        ...[...new Set(given.keys())].flatMap(
          (name) => inQuery.get(name)?.checkTexts(given.getAll(name)) ?? [`${name} is not a parameter`],
        ),
        ...[...inQuery.values()].flatMap(({ name, required }) => (required && !given.has(name) ? [`${name} is missing`] : [])),
      ],
      needsBody: at(requestBody)?.required === true,
      body: (type) => bodies.get(type),
      answer(status, headers, body) {
        const described = answers.get(status);
        if (!described) return [`${status} is not described`];
        const missing = described.headers.filter((name) => !headers.has(name)).map((name) => `${name} is missing`);
        const type = headers.get('content-type')?.split(';')[0];
        const check = described.types.get(type ?? '');
        if (type !== undefined && !check) return [...missing, `${type} is not described`];
        return [...missing, ...(body === undefined ? [] : (check?.(body) ?? []))];
      },
    };
  }

  const routes = allBelow('/paths').flatMap(([path, ofPath]) => {
    const pattern = new RegExp(`^${path.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '([^/]+)')}$`);
    const names = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => String(name));
    const methods = ['get', 'post', 'put', 'patch', 'delete'].filter((method) => at(ofPath)[method]);
    return methods.map((method) => ({ method, pattern, names, operation: operationAt(ofPath, `${ofPath}/${method}`) }));
  });
  routes.sort((one, other) => one.names.length - other.names.length); // a literal segment comes first
  return function find(method, path) {
    const { operation, names, pattern } = routes.find((route) => route.method === method && route.pattern.test(path)) ?? {};
    if (!operation) return undefined;
    const segments = (pattern?.exec(path) ?? []).slice(1);
    return { operation, values: new Map(names?.map((name, index) => [name, decode(segments[index] ?? '')])) };
  };
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment; // malformed: the api says so
  }
}
