import type { Any } from '../../support/any.ts';
import { at, describeNote, every, shared } from '../operations.ts';

describe('failures', () => {
  const all = ['400', '401', '403', '404', '405', '408', '409', '412', '413', '415', '422', '500', '503', '504'];

  it.each<[string, string, string, string[]]>([
    ['list', '/api/all', 'get', ['200', '400', '401', '403', '405', '422', '500', '503', '504']],
    ['get', '/api/all/{id}', 'get', ['200', '304', '400', '401', '403', '404', '405', '412', '500', '503', '504']],
    ['create', '/api/all', 'post', ['201', ...all.filter((status) => status !== '404')]],
    ['patch', '/api/all/{id}', 'patch', ['200', ...all]],
    ['put', '/api/all/{id}', 'put', ['200', ...all]],
    ['delete', '/api/all/{id}', 'delete', ['204', '400', '401', '403', '404', '405', '412', '500', '503', '504']],
  ])('of %s are all there', (_name, path, method, statuses) => {
    expect(Object.keys(at(path, method).responses)).toEqual(statuses);
  });

  it('name the codes that they may carry', () => {
    expect(at('/api/all', 'get').responses[400]).toEqual({ $ref: '#/components/responses/InvalidQueryOrInvalidCursor' });
    expect(at('/api/all', 'post').responses[400]).toEqual({ $ref: '#/components/responses/MalformedJsonOrMalformedHeader' });
    expect(at('/api/all/{id}', 'patch').responses[400]).toEqual({ $ref: '#/components/responses/MalformedJsonOrMalformedHeader' });
    expect(at('/api/all/{id}', 'patch').responses[504]).toEqual({ $ref: '#/components/responses/DatabaseTimeoutOrWriteOutcomeUnknown' });
  });

  it('are problem documents with the headers of their status', () => {
    for (const response of Object.values(every.components.responses ?? {}) as Any[]) {
      expect(Object.keys(response.content)).toEqual(['application/problem+json']);
      expect(response.content['application/problem+json'].schema).toEqual({ $ref: '#/components/schemas/Problem' });
    }
    const headersOf = (status: number) => Object.keys(shared('responses', at('/api/all/{id}', 'patch').responses[status]).headers ?? {});
    const own = [['WWW-Authenticate'], ['Allow'], ['Retry-After'], ['Accept', 'Accept-Patch', 'Accept-Encoding'], []];
    expect([401, 405, 503, 415, 404].map(headersOf)).toEqual(own.map((names) => [...names, 'Cache-Control', 'X-Content-Type-Options']));
    const { headers } = shared('responses', at('/api/all/{id}', 'patch').responses[404]);
    expect(shared('headers', headers['Cache-Control'])).toMatchObject({ required: true, example: 'no-store' });
  });

  it('are 401 and 403 only where somebody asks', () => {
    expect(describeNote('get', {}).responses).not.toHaveProperty('401');
    expect(describeNote('get', {}).responses).not.toHaveProperty('403');
    expect(describeNote('get', {}, {}, true).responses).toHaveProperty('401');
    expect(describeNote('get', {}, {}, true).responses).not.toHaveProperty('403');
    const guarded = { guardsFor: { get: [() => true] } };
    expect(Object.keys(describeNote('get', guarded).responses)).toEqual(expect.arrayContaining(['401', '403']));
    expect(describeNote('patch', guarded).responses).not.toHaveProperty('403');
  });

  it('are 503 for too many requests only where there is a limit', () => {
    expect(describeNote('get', {}).responses[503]).toEqual({ $ref: '#/components/responses/RequestGivenUpOrDatabaseUnavailable' });
    expect(describeNote('get', {}, { maxConcurrency: 5 }).responses[503]).toEqual({
      $ref: '#/components/responses/OverloadedOrRequestGivenUpOrDatabaseUnavailable',
    });
  });
});
