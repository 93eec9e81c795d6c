import { beforeAll } from '@jest/globals';
import { type ApiOptions, type Authenticate, type Resource, type Service, service } from '../../src/index.ts';
import type { TestDatabase } from './database.ts';
import { type TestServer, useServer } from './serve.ts';

/** Settings of the api, without those that {@link useApi} gives itself. */
export interface UseApiOptions<Principal> extends Omit<ApiOptions<unknown>, 'db' | 'resources'> {
  readonly authenticate?: (...given: Parameters<Authenticate<Principal>>) => ReturnType<Authenticate<Principal>>;
}

/** Serves resources below `/api`, from `beforeAll` on. */
export function useApi<Principal = never>(
  database: TestDatabase,
  define: (shop: Service<Principal>) => readonly Resource<Principal>[],
  { authenticate, ...options }: UseApiOptions<Principal> = {},
): TestServer {
  const serve = useServer();
  let server: TestServer | undefined;
  beforeAll(async () => {
    const shop = service<Principal>(authenticate ? { authenticate } : {});
    server = await serve(shop.api({ db: database.db, prefix: '/api', ...options, resources: define(shop) }).routes());
  });
  const started = () => {
    if (!server) throw new Error('useApi(): the api is there in hooks and tests only');
    return server;
  };
  return {
    get port() {
      return started().port;
    },
    get errors() {
      return started().errors;
    },
    request: (...given) => started().request(...given),
  };
}
