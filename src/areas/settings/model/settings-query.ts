import { queryOptions } from '@tanstack/react-query';
import {
  getSiteSettingsQueryKey,
  listApprovedAddressesQueryKey,
  readTwoFactorCoverageOptions,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import { getSiteSettings, listApprovedAddresses } from '../../../api/generated/sdk.gen.ts';
import { tagged } from '../../../api/tagged.ts';

/** The settings with the entity tag that a change of them sends back. */
export const settingsQuery = queryOptions({
  queryKey: [{ ...getSiteSettingsQueryKey()[0], tagged: true }],
  queryFn: async ({ signal }) => tagged(await getSiteSettings({ signal })),
});

export const addressesQuery = queryOptions({
  queryKey: [{ ...listApprovedAddressesQueryKey()[0], tagged: true }],
  queryFn: async ({ signal }) => tagged(await listApprovedAddresses({ signal })),
});

export const coverageQuery = { ...readTwoFactorCoverageOptions(), staleTime: 0 };
