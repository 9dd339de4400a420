import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

const DIST = new URL('../../dist/', import.meta.url);
const DAY_SECONDS = 86_400;

/**
 * The console's files. Hashed files never change; the page itself is asked for anew each time, so that a new version
 * is there at the next load. Every path that is no file is the page: the console's router decides what it shows.
 */
export async function servePages(app: FastifyInstance): Promise<void> {
  const page = await readFile(new URL('index.html', DIST), 'utf8').catch(() => undefined);
  if (page === undefined) return;
  await app.register(fastifyStatic, {
    root: fileURLToPath(DIST),
    index: false,
    wildcard: false,
    // The build lays packed forms beside the files (scripts/pack.ts): to pack anew for each caller costs the one who waits.
    preCompressed: true,
    globIgnore: ['**/*.{br,gz}'],
    setHeaders: (reply, path) => {
      reply.header(
        'cache-control',
        path.includes('/assets/') ? `public, max-age=${365 * DAY_SECONDS}, immutable` : 'no-cache',
      );
    },
  });
  const send = { type: 'text/html; charset=utf-8', body: page };
  app.get('/', (_request, reply) =>
    reply.type(send.type).header('cache-control', 'no-cache').send(send.body),
  );
  app.get('/*', (request, reply) => {
    if (request.url.startsWith('/api/') || request.url.startsWith('/console/')) return reply.callNotFound();
    if (!request.headers.accept?.includes('text/html')) return reply.callNotFound();
    return reply.type(send.type).header('cache-control', 'no-cache').send(send.body);
  });
}
