import { type ApiOptions, type Authenticate, type Resource, type Service, service } from '../../../src/index.ts';
import type { TestDatabase } from '../database/database.ts';
import { compileRequireDescribed, type RequireDescribed } from './require-described.ts';
import { type TestServer, useServer } from './serve.ts';

/** Settings of the api, without those that {@link useApi} gives itself. */
export interface UseApiOptions<Principal> extends Omit<ApiOptions<unknown, Principal>, 'db' | 'resources'> {
  readonly authenticate?: (...given: Parameters<Authenticate<Principal>>) => ReturnType<Authenticate<Principal>>;
  /** Codes of problems that functions of the test throw, and that no description can have. @default none */
  readonly undescribed?: readonly string[];
}

/** Serves resources below `/api`, from `beforeAll` on. Every problem that one answers has to be in its description. */
export function useApi<Principal = never>(
  database: TestDatabase,
  define: (shop: Service<Principal>) => readonly Resource<Principal>[],
  { authenticate, undescribed, ...options }: UseApiOptions<Principal> = {},
): TestServer {
  const serve = useServer();
  let server: TestServer | undefined;
  let requireDescribed: RequireDescribed | undefined;
  beforeAll(async () => {
    const shop = service<Principal>(authenticate ? { authenticate } : {});
    const api = shop.api({ db: database.db, prefix: '/api', ...options, resources: define(shop) });
    requireDescribed = options.problem ? undefined : compileRequireDescribed(api, undescribed);
    server = await serve(api.routes());
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
    async request(method, path, sent) {
      const answer = await started().request(method, path, sent);
      requireDescribed?.(method, path, answer);
      return answer;
    },
  };
}
