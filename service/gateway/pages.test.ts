import { fastify } from 'fastify';
import { expect, test } from 'vitest';
import { registerSecurityHeaders } from './pages.ts';

const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none';script-src 'self';style-src 'self' 'sha256-38RhXrc7EdReTKsOm23ZPOCUgniTUUcjky8QOOrQx6o=';" +
    "connect-src 'self';img-src 'self' blob: data:;font-src 'self';worker-src 'self';manifest-src 'self';base-uri 'none';" +
    "form-action 'none';frame-ancestors 'none';require-trusted-types-for 'script';trusted-types steward-worker",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};

/** The headers of a response, without those of the framework. */
async function readHeaders(isHttps: boolean, path: string) {
  const app = fastify();
  registerSecurityHeaders(app, isHttps);
  app.get('/page', async () => '');
  app.get('/file', async (_request, reply) => reply.header('content-security-policy', 'sandbox').send(''));
  await app.inject(path);
  const { headers } = await app.inject(path);
  await app.close();
  const { connection: _, date: __, 'content-length': ___, 'content-type': ____, ...rest } = headers;
  return rest;
}

test('every response has the security headers, also one for an unknown path', async () => {
  expect(await readHeaders(false, '/page')).toEqual(SECURITY_HEADERS);
  expect(await readHeaders(false, '/unknown')).toEqual(SECURITY_HEADERS);
});

test('over https browsers are told to stay there', async () => {
  expect(await readHeaders(true, '/page')).toEqual({
    ...SECURITY_HEADERS,
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
  });
});

test('a policy that a handler sets takes precedence', async () => {
  expect(await readHeaders(false, '/file')).toEqual({
    ...SECURITY_HEADERS,
    'content-security-policy': 'sandbox',
  });
});
