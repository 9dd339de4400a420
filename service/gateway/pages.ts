import { readFile } from 'node:fs/promises';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import helmet from 'helmet';

const DIST_URL = new URL('../../dist/', import.meta.url);
const DAY_SECONDS = 86_400;

/** The worker that reads PDF files (src/ui/pdf/pdf-worker.ts), also its packed copies. */
const PDF_WORKER_FILE = /\/assets\/pdf-worker-[\w-]+\.js(\.(br|gz))?$/;
/**
 * Policy of that worker alone, because workers have the policy of their own file: its image decoders are WebAssembly, and
 * it fetches them and fonts from this origin. The console itself may compile nothing.
 */
const PDF_WORKER_POLICY = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'";

/**
 * Serves the console's files. Hashed files are immutable; the page itself is revalidated at each load, so that a new
 * version appears at the next one. Every path that is no file serves the page, because the console's router decides
 * what it shows.
 */
export async function serveConsole(app: FastifyInstance): Promise<void> {
  const page = await readFile(new URL('index.html', DIST_URL), 'utf8').catch(() => undefined);
  if (page === undefined) return;
  await app.register(fastifyStatic, {
    root: fileURLToPath(DIST_URL),
    index: false,
    wildcard: false,
    // The build stores compressed files beside the originals (scripts/pack.ts), so that no request waits for
    // compression.
    preCompressed: true,
    globIgnore: ['**/*.{br,gz}'],
    setHeaders: (reply, path) => {
      reply.header(
        'cache-control',
        path.includes('/assets/') ? `public, max-age=${365 * DAY_SECONDS}, immutable` : 'no-cache',
      );
      if (PDF_WORKER_FILE.test(path)) reply.header('content-security-policy', PDF_WORKER_POLICY);
    },
  });
  const send = { type: 'text/html; charset=utf-8', body: page };
  app.get('/', (_request, reply) =>
    reply.type(send.type).header('cache-control', 'no-cache').send(send.body),
  );
  app.get('/*', (request, reply) => {
    // The original: a URL that is too long was replaced (kernel/http/request-head.ts).
    if (/^\/(api|console)\//.test(request.originalUrl)) return reply.callNotFound();
    if (!request.headers.accept?.includes('text/html')) return reply.callNotFound();
    return reply.type(send.type).header('cache-control', 'no-cache').send(send.body);
  });
}

/** Hash of the one style rule that the UI kit injects (`touch-action`); to be checked at each upgrade of the kit. */
const UI_KIT_STYLE_HASH = "'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o='";

/** Security headers of every response: only the console's own scripts run on its pages (T03). */
const buildSecurityHeaders = (isHttps: boolean) =>
  helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'", UI_KIT_STYLE_HASH],
        connectSrc: ["'self'"],
        imgSrc: ["'self'", 'blob:', 'data:'],
        fontSrc: ["'self'"],
        workerSrc: ["'self'"],
        manifestSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
        // The console creates trusted script URLs only for workers (src/lib/start-worker.ts).
        trustedTypes: ['steward-worker'],
      },
    },
    strictTransportSecurity: isHttps ? { maxAge: 31_536_000 } : false,
    referrerPolicy: { policy: 'no-referrer' },
    frameguard: { action: 'deny' },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
  });

/**
 * Adds the security headers to every response; a header that a handler sets takes precedence. The headers depend on nothing in the
 * request, so helmet runs once: for every request it would cost as much as the rest of the framework (decisions 0043).
 */
export function registerSecurityHeaders(app: FastifyInstance, isHttps: boolean): void {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  buildSecurityHeaders(isHttps)(request, response, (error?: unknown) => {
    if (error !== undefined) throw error;
  });
  const headers = Object.fromEntries(
    Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]),
  );
  app.addHook('onRequest', (_request, reply, done) => {
    // Not those of Node's response, which validates each again.
    reply.headers(headers);
    done();
  });
}
