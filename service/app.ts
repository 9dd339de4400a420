import { constants } from 'node:zlib';
import fastifyCompress from '@fastify/compress';
import fastifyCookie from '@fastify/cookie';
import fastify, {
  LogController,
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyRequest,
} from 'fastify';
import {
  CALL_LIMITS,
  type CallLimits,
  createLedger,
  registerAgentEndpoint,
  registerAuthorizationRoutes,
} from './areas/agent/index.ts';
import { createAuditTrail } from './areas/proxies/index.ts';
import { registry as allAreas } from './areas/registry.ts';
import { createKeyUsageCounter } from './areas/tokens/index.ts';
import { createSessionApi, createBearerApi } from './gateway/api-surfaces.ts';
import { registerSecurityHeaders, serveConsole } from './gateway/pages.ts';
import { serveReference } from './gateway/reference.ts';
import { collectHandlers } from './handlers.ts';
import type { AreaRegistry } from './kernel/area/area.ts';
import type { Database } from './kernel/db/database.ts';
import { decorateRequests, getOrigin, registerApiSurface } from './kernel/http/api-surface.ts';
import { createBodyReader } from './kernel/http/bodies/body-reader.ts';
import { registerBodyTimeout, BODY_TIMEOUTS } from './kernel/http/bodies/body-timeout.ts';
import { registerBodyAdmission } from './kernel/http/bodies/refused-bodies.ts';
import { loadContract, type Contract } from './kernel/http/contract.ts';
import { registerDrain } from './kernel/http/drain.ts';
import {
  registerErrorHandlers,
  connectionErrorHandlers,
  refuseUnknownPaths,
} from './kernel/http/error-responses.ts';
import type { Services } from './kernel/http/handler.ts';
import { MAX_HEAD_BYTES, registerHeadChecks, rewriteTooLongUrl } from './kernel/http/request-head.ts';
import { createRequestIds, getTraceId } from './kernel/http/request-ids.ts';
import { registerProbes } from './kernel/installation/readiness.ts';
import { requestDuration } from './kernel/telemetry/metrics.ts';
import { isTracing, type RequestSpan, runInSpan, startRequestSpan } from './kernel/telemetry/tracing.ts';

export interface AppOptions {
  database: Database;
  services: Services;
  trustedProxies: readonly string[];
  log: FastifyBaseLogger;
  /** Used by tests: every response is validated against the contract. */
  validateResponses?: boolean;
  contract?: Contract;
  /** The areas to serve; by default all. */
  registry?: AreaRegistry;
  /** Limits of agents; others for measurements and tests only. */
  agentLimits?: CallLimits;
}

export const CONTRACT_FILE = new URL('../contract/openapi.json', import.meta.url);

/** Timeout for the headers of a request (T23); bodies have their own (http/body-timeout.ts). */
const HEADERS_TIMEOUT_MS = 5_000;

/** Smaller responses fit into one packet as they are. */
const MIN_COMPRESSED_BYTES = 1_024;
/** Lists of JSON become as small as with 4, in a third of the time (decisions 0043). */
const BROTLI_QUALITY = 1;
/** Likewise: a third of the time of the usual level, for programs that accept gzip only. */
const GZIP_LEVEL = 1;

/** Creates the service as one Fastify instance: both APIs, the console, the API reference, health checks. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const { database, services, log } = options;
  const { db } = database;
  const isHttps = services.publicUrl.startsWith('https:');
  const app = fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    genReqId: createRequestIds(options.trustedProxies),
    trustProxy: options.trustedProxies.length > 0 ? [...options.trustedProxies] : false,
    requestTimeout: BODY_TIMEOUTS.uploadMs,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 1_000,
      maxHeaderSize: MAX_HEAD_BYTES,
      // Checked with the other headers, so that the response has a body.
      requireHostHeader: false,
    },
    rewriteUrl: rewriteTooLongUrl,
    routerOptions: { caseSensitive: false, ignoreTrailingSlash: true, maxParamLength: 256 },
    forceCloseConnections: 'idle',
    ...connectionErrorHandlers,
  });
  decorateRequests(app);
  const spans = new WeakMap<FastifyRequest, RequestSpan>();
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    const span = startRequestSpan(request.headers);
    if (span) spans.set(request, span);
    runInSpan(span, done);
  });
  // Reading the body continues in the context of its connection.
  app.addHook('preValidation', (request, _reply, done) =>
    isTracing() ? runInSpan(spans.get(request), done) : done(),
  );
  app.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.config.operation?.id ?? request.routeOptions.url;
    const { caller } = request;
    const span = isTracing() ? spans.get(request) : undefined;
    const traceId = span?.traceId ?? getTraceId(request.headers);
    span?.end({
      name: `${request.method} ${route ?? 'none'}`,
      attributes: {
        'http.request.method': request.method,
        'http.route': request.routeOptions.url ?? '',
        'http.response.status_code': reply.statusCode,
        'steward.request_id': request.id,
      },
      isFailed: reply.statusCode >= 500,
    });
    requestDuration.observe(
      { operation: route ?? 'none', status: String(reply.statusCode) },
      reply.elapsedTime / 1_000,
    );
    request.log.info(
      {
        ...(traceId !== undefined && { traceId }),
        ...(caller && { siteId: caller.siteId, userId: caller.userId }),
        ip: getOrigin(request).ip,
        method: request.method,
        route,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      'request',
    );
    done();
  });
  registerDrain(app);
  registerHeadChecks(app);
  registerBodyTimeout(app, BODY_TIMEOUTS);
  registerBodyAdmission(app);
  registerErrorHandlers(app);
  registerSecurityHeaders(app, isHttps);
  refuseUnknownPaths(app);
  await app.register(fastifyCompress, {
    encodings: ['br', 'gzip'],
    threshold: MIN_COMPRESSED_BYTES,
    globalDecompression: false,
    zlibOptions: { level: GZIP_LEVEL },
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } },
  });
  await app.register(fastifyCookie);

  const contract = options.contract ?? loadContract(CONTRACT_FILE);
  const auditTrail = createAuditTrail(db, log);
  const keyUse = createKeyUsageCounter(db, log);
  const bodyReader = createBodyReader(contract);
  app.addHook('onClose', async () => {
    await bodyReader.stop();
    await auditTrail.stop();
    await keyUse.stop();
  });
  const dependencies = {
    db,
    contract,
    services,
    auditTrail,
    bodyReader,
    handlers: collectHandlers(options.registry ?? allAreas),
    validateResponses: options.validateResponses ?? false,
  };
  await registerApiSurface(app, createBearerApi(db, keyUse), dependencies);
  await registerApiSurface(app, createSessionApi(db, services.publicUrl), dependencies);

  await registerAgentEndpoint(app, {
    db,
    contract,
    services,
    ledger: createLedger(db, log),
    limits: options.agentLimits ?? CALL_LIMITS,
  });

  await registerAuthorizationRoutes(app, { db, services });

  registerProbes(app, { database, place: services });
  await serveReference(app, contract);
  await serveConsole(app);
  return app;
}
