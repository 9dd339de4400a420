import { getOwnSecurityOptions, listOwnSessionsOptions } from '../../../api/generated/queries/access.gen.ts';
import { getApiKeyOptions, getApiKeyUsageOptions } from '../../../api/generated/queries/tokens.gen.ts';

// Security settings are never shown from a stale cache.
const NO_STALE_TIME = { staleTime: 0 } as const;

export const securityQuery = { ...getOwnSecurityOptions(), ...NO_STALE_TIME };
export const sessionsQuery = { ...listOwnSessionsOptions(), ...NO_STALE_TIME };
/** Usage of the active API key. Not cached, because the next key has its own usage. */
export const usageQuery = { ...getApiKeyUsageOptions(), ...NO_STALE_TIME, gcTime: 0 };
export const keyQuery = { ...getApiKeyOptions(), ...NO_STALE_TIME };
