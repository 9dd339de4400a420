import { queryOptions } from '@tanstack/react-query';
import { withEtag } from '../../../api/etag.ts';
import {
  getSiteSettingsQueryKey,
  listApprovedAddressesQueryKey,
  readTwoFactorCoverageOptions,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import { getSiteSettings, listApprovedAddresses } from '../../../api/generated/sdk.gen.ts';

/** Loads the settings and their entity tag. */
export const settingsQuery = queryOptions({
  queryKey: [{ ...getSiteSettingsQueryKey()[0], tagged: true }],
  queryFn: async ({ signal }) => withEtag(await getSiteSettings({ signal })),
});

export const addressesQuery = queryOptions({
  queryKey: [{ ...listApprovedAddressesQueryKey()[0], tagged: true }],
  queryFn: async ({ signal }) => withEtag(await listApprovedAddresses({ signal })),
});

export const coverageQuery = { ...readTwoFactorCoverageOptions(), staleTime: 0 };
