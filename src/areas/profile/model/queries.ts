import {
  getApiKeyOptions,
  getApiKeyUsageOptions,
  getOwnSecurityOptions,
  listOwnSessionsOptions,
} from '../../../api/generated/@tanstack/react-query.gen.ts';

// What protects an account is never shown as it was a while ago.
const fresh = { staleTime: 0 } as const;

export const securityQuery = { ...getOwnSecurityOptions(), ...fresh };
export const sessionsQuery = { ...listOwnSessionsOptions(), ...fresh };
/** Of a key that is off there is none to read; that of the next one is another. */
export const usageQuery = { ...getApiKeyUsageOptions(), ...fresh, gcTime: 0 };
export const keyQuery = { ...getApiKeyOptions(), ...fresh };
