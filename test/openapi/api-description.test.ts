import { type ApiOptions, ConfigurationError, defineModel, openapiDocument, service, t } from '../../src/index.ts';
import { db } from './fixtures.ts';

const build = (options: object) => service().api({ db, resources: [], ...options } as ApiOptions<never>);

describe('what an api says of itself', () => {
  it.each<[string, object, string]>([
    ['a title that is no text', { title: 5 }, '`title` of an api must be a string that is not empty.'],
    ['an empty version', { version: '' }, '`version` of an api must be a string that is not empty.'],
    ['a description that is no text', { description: null }, '`description` of an api must be a string that is not empty.'],
    [
      'a scheme without a type',
      { securitySchemes: { bearer: {} } },
      '`type` of `securitySchemes.bearer` must be one of http, apiKey, oauth2, openIdConnect, mutualTLS.',
    ],
    ['a scheme of an unknown type', { securitySchemes: { bearer: { type: 'bearer' } } }, '`type` of `securitySchemes.bearer`'],
    ['a scheme whose name no component may have', { securitySchemes: { 'a b': { type: 'mutualTLS' } } }, '`a b` must be made of letters'],
    [
      'a requirement of a scheme that does not exist',
      { security: [{ bearer: [] }] },
      '`security` of an api names `bearer`, which is not one of its `securitySchemes`: there are none.',
    ],
    [
      'a code that is not one of the library',
      { problems: ['too_many'] },
      '`too_many` is not a code of a problem of the library, in `problems` of an api',
    ],
    ['problems that are no array', { problems: () => ['forbidden'] }, '`problems` of an api must be an array of codes.'],
    ['an option that does not exist', { titel: 'Shop' }, '`titel` is not an option of an api; did you mean `title`?'],
    [
      '`openapi` that is neither true nor false',
      { openapi: 'yes' },
      '`openapi` must be true, false or `{ guards: […], perCaller: true }`.',
    ],
  ])('is checked: %s', (_what, options, message) => {
    expect(() => build(options)).toThrow(ConfigurationError);
    expect(() => build(options)).toThrow(message);
  });

  it('is in the document', () => {
    const api = build({
      title: 'Shop',
      version: '3',
      description: '**All** we sell.',
      contact: { url: 'https://example.org' },
      license: { name: 'MIT' },
    });
    expect(openapiDocument(api).info).toEqual({
      title: 'Shop',
      version: '3',
      description: '**All** we sell.',
      contact: { url: 'https://example.org' },
      license: { name: 'MIT' },
    });
  });
});

describe('the path of the description', () => {
  const Note = defineModel('Note', { collection: 'openapi.json', fields: { text: t.string() } });
  const shop = service();

  it('is not a resource’s while it is served', () => {
    expect(() => shop.api({ db, resources: [shop.resource({ model: Note })] })).toThrow('A resource cannot have the path `openapi.json`');
    expect(() => shop.api({ db, resources: [shop.resource({ model: Note })], openapi: false })).not.toThrow();
  });
});

describe('a description that cannot be made', () => {
  it('is a configuration error when the routes are built', () => {
    const shop = service();
    const resourceOf = (name: string, fields: { a: ReturnType<typeof t.string> }) =>
      shop.resource({ model: defineModel(name, { collection: name, fields: { at: t.object('Place', fields) } }) });
    const resources = [resourceOf('one', { a: t.string() }), resourceOf('two', { a: t.string({ maxLength: 1 }) as never })];
    expect(() => shop.api({ db, resources })).toThrow(ConfigurationError);
    expect(() => shop.api({ db, resources, openapi: false })).not.toThrow();
  });
});
