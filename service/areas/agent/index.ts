/** Read access for AI agents: keys, connected clients, endpoint and ledger. */
export { registerAuthorizationRoutes } from './access/authorization-routes.ts';
export { registerAgentEndpoint } from './endpoint.ts';
export { isAgentKey } from './access/keys.store.ts';
export { createLedger } from './ledger.ts';
export { CALL_LIMITS, type CallLimits } from './limits.ts';
