import { issueHandlers } from './handlers.ts';
import { keyHandlers } from './keys.ts';

/** Access tokens for programs, and the API keys that they are issued for. */
export const tokenHandlers = { ...issueHandlers, ...keyHandlers };
export { endExpiredKeys, keyEndsChore } from './ends.ts';
export { disableKey, findKey, insertKey } from './keys.store.ts';
export { shownKey } from './keys.ts';
export { countKeyUse, keyUseChore, type KeyUse } from './usage.ts';
