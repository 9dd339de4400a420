import { issueHandlers, keyHandlers } from './handlers.ts';

/** Access tokens of programs and the API keys for which they are issued. */
export const tokenHandlers = { ...issueHandlers, ...keyHandlers };
export { expireKeys } from './key-expiry.ts';
export { disableKey, findLatestKey, insertKey } from './api-keys.store.ts';
export { toApiKeys } from './handlers.ts';
export { createKeyUsageCounter, type KeyUsageCounter } from './key-usage.ts';
