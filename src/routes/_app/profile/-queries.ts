import { queryOptions } from '@tanstack/react-query';
import { toServiceError } from '../../../api/errors.ts';
import {
  getApiKeyQueryKey,
  getApiKeyUsageOptions,
  getOwnSecurityOptions,
  listOwnSessionsOptions,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import { getApiKey } from '../../../api/generated/sdk.gen.ts';
import type { ApiKeyInfo } from '../../../api/generated/types.gen.ts';

// What protects an account is never shown as it was a while ago.
const fresh = { staleTime: 0 } as const;

export const securityQuery = { ...getOwnSecurityOptions(), ...fresh };
export const sessionsQuery = { ...listOwnSessionsOptions(), ...fresh };
export const usageQuery = { ...getApiKeyUsageOptions(), ...fresh };

/** The key that is on; null for none. */
export const keyQuery = queryOptions({
  queryKey: getApiKeyQueryKey(),
  async queryFn({ signal }): Promise<ApiKeyInfo | null> {
    try {
      return (await getApiKey({ signal })).data;
    } catch (thrown) {
      if (toServiceError(thrown).status === 404) return null;
      throw thrown;
    }
  },
  ...fresh,
});
