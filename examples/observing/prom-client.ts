import type { Observe } from 'koa-mongo-resource';
import { Counter, Histogram, type Registry } from 'prom-client';

/** Counts and measures every request by resource, operation and status. */
export function measureWith(registry: Registry): Observe {
  const common = { labelNames: ['resource', 'operation', 'status'] as const, registers: [registry] };
  const duration = new Histogram({ name: 'api_request_duration_seconds', help: 'Time until the answer had ended', ...common });
  const databaseTime = new Histogram({ name: 'api_database_seconds', help: 'Time of the commands of a request', ...common });
  const commands = new Counter({ name: 'api_database_commands_total', help: 'Commands to the database', ...common });

  return ({ resource = 'none', operation = 'none', status, ...cost }) => {
    const labels = { resource, operation, status };
    duration.observe(labels, cost.duration / 1000);
    databaseTime.observe(labels, cost.databaseTime / 1000);
    commands.inc(labels, cost.commandCount);
  };
}
