import type { CreateClientConfig } from './generated/client.gen.ts';
import { gatedFetch } from './session-gate.ts';

/**
 * Where and how the console calls the service: through the browser's door, with the session cookie and the
 * header that makes every cross-site call need a preflight.
 */
export const createClientConfig: CreateClientConfig = (config) => ({
  ...config,
  baseUrl: '/console',
  credentials: 'same-origin',
  headers: { 'X-Steward-Console': '1' },
  fetch: gatedFetch,
});
