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
export const usageQuery = { ...getApiKeyUsageOptions(), ...fresh };
export const keyQuery = { ...getApiKeyOptions(), ...fresh };
