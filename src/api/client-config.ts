import type { ClientOptions, Config } from './generated/client/index.ts';
import { sessionFetch } from './session-state.ts';

/**
 * Configuration of the generated client: calls go to the session API under `/console` with the session cookie and with
 * a custom header, so that a cross-site call needs a preflight.
 */
export const createClientConfig = <Options extends ClientOptions>(
  config?: Config<ClientOptions & Options>,
): Config<Required<ClientOptions> & Options> => ({
  ...config,
  baseUrl: '/console',
  credentials: 'same-origin',
  headers: { 'X-Steward-Console': '1' },
  fetch: sessionFetch,
});
