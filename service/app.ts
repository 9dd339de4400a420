import fastifyCompress from '@fastify/compress';
import fastifyCookie from '@fastify/cookie';
import fastify, { LogController, type FastifyBaseLogger, type FastifyInstance } from 'fastify';
import { randomUUID } from 'node:crypto';
import { keepSteps } from './areas/proxies/index.ts';
import { countKeyUse } from './areas/tokens/index.ts';
import { browsersDoor, programsDoor } from './gateway/doors.ts';
import { protectPages } from './gateway/headers.ts';
import { servePages } from './gateway/pages.ts';
import { serveReference } from './gateway/reference.ts';
import { handlers } from './handlers.ts';
import type { Database } from './kernel/db/database.ts';
import { awaitBodies, usualArrival } from './kernel/http/arrival.ts';
import { loadContract, type Contract } from './kernel/http/contract.ts';
import { openDoor } from './kernel/http/doors.ts';
import { answerErrors, outsideRoutes } from './kernel/http/failures.ts';
import type { Services } from './kernel/http/handler.ts';

export interface AppOptions {
  database: Database;
  services: Services;
  trustedProxies: readonly string[];
  log: FastifyBaseLogger;
  /** In tests: every answer is held against the contract. */
  checkAnswers?: boolean;
  contract?: Contract;
}

/** Slow senders of headers are cut off (T23), those of bodies by awaitBodies. */
const HEADERS_MS = 5_000;

/** The whole service as one Fastify instance: both doors, the pages, the reference, health. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { database, services, log } = options;
  const { db } = database;
  const secure = services.publicUrl.startsWith('https:');
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    requestTimeout: usualArrival.filesMs,
    http: { headersTimeout: HEADERS_MS, connectionsCheckingInterval: 1_000, maxHeaderSize: 8_192 },
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 256 },
    forceCloseConnections: 'idle',
    ...outsideRoutes,
  });
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id);
  });
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.config.operation?.id ?? request.routeOptions.url;
    request.log.info(
      {
        requestId: request.id,
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    );
  });
  awaitBodies(app, usualArrival);
  answerErrors(app);
  await protectPages(app, secure);
  await app.register(fastifyCompress, { encodings: ['br', 'gzip'], threshold: 1_024 });
  await app.register(fastifyCookie);

  const contract = options.contract ?? loadContract(new URL('../contract/openapi.json', import.meta.url));
  const steps = keepSteps(db, log);
  const keyUse = countKeyUse(db, log);
  app.addHook('onClose', async () => {
    await steps.stop();
    await keyUse.stop();
  });
  const around = { db, contract, services, steps, handlers, checkAnswers: options.checkAnswers ?? false };
  await openDoor(app, programsDoor(db, services, keyUse), around);
  await openDoor(app, browsersDoor(db, services.publicUrl), around);

  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    await database.ping();
    return reply.send({ status: 'ok' });
  });
  await serveReference(app, contract);
  await servePages(app);
  return app;
}
