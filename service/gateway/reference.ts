import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import type { Contract } from '../kernel/http/contract.ts';

const LIBRARY_DIR = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** swagger-ui writes style attributes and inline markup; scripts and connections stay restricted to this origin. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Steward API reference</title>
<link rel="icon" href="/favicon.svg"><link rel="stylesheet" href="/api/current/ui/swagger-ui.css"></head>
<body><main id="reference"></main>
<script src="/api/current/ui/swagger-ui-bundle.js"></script><script type="module" src="/api/current/reference.js"></script></body>
</html>
`;

// Without the console's own operations, which only the session API serves, so nobody could try them here.
const SCRIPT = `const description = await (await fetch('/api/current/openapi.json')).json();
for (const path of Object.values(description.paths)) {
  for (const [method, operation] of Object.entries(path)) {
    if (operation['x-door'] === 'console') delete path[method];
  }
}
description.tags = description.tags.filter((tag) => tag.name !== 'Console');
SwaggerUIBundle({
  spec: description,
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

/** Serves the OpenAPI description (spec 9 rule 1) and a page on which integrators read it and try operations. */
export async function serveReference(app: FastifyInstance, contract: Contract): Promise<void> {
  const description = JSON.stringify(contract.document);
  app.get('/api/current/openapi.json', (_request, reply) =>
    reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache').send(description),
  );
  app.get('/api/current', (_request, reply) =>
    reply
      .type('text/html; charset=utf-8')
      .header('content-security-policy', CONTENT_SECURITY_POLICY)
      .send(PAGE),
  );
  app.get('/api/current/reference.js', (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').send(SCRIPT),
  );
  await app.register(fastifyStatic, {
    root: LIBRARY_DIR,
    prefix: '/api/current/ui/',
    allowedPath: (path) => /^\/?swagger-ui(-bundle)?\.(css|js)$/.test(path),
    decorateReply: false,
  });
}
