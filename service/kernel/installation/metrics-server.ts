import { once } from 'node:events';
import { createServer } from 'node:http';
import { formatHttpAddress } from '../config.ts';
import type { Database } from '../db/database.ts';
import type { Log } from '../telemetry/log.ts';
import { collectProcessMetrics, formatMetrics, metricsRegistry } from '../telemetry/metrics.ts';
import { loadMetrics } from './metrics.store.ts';

/** Serves `/metrics` on a port of its own, which the reverse proxy does not lead to. Resolves when it listens. */
export async function startMetricsServer({
  database,
  host,
  port,
  log,
}: {
  database: Pick<Database, 'db' | 'standby'>;
  host: string;
  port: number;
  log: Log;
}): Promise<{ address: string; close(): Promise<void> }> {
  collectProcessMetrics();
  const server = createServer((request, response) => {
    if (request.url !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404).end();
      return;
    }
    formatMetrics(() => loadMetrics(database))
      .then((text) => response.writeHead(200, { 'content-type': metricsRegistry.contentType }).end(text))
      .catch((error: unknown) => {
        log.error({ err: error }, 'Metrics failed');
        response.writeHead(500).end();
      });
  });
  server.listen(port, host);
  await once(server, 'listening');
  const bound = server.address();
  const boundPort = typeof bound === 'object' && bound ? bound.port : port;
  return {
    address: `${formatHttpAddress(host, boundPort)}/metrics`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
