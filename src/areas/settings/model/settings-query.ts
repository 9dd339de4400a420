import { queryOptions } from '@tanstack/react-query';
import type { Session } from '../../../../contract/generated/types.gen.ts';
import { CAPABILITIES } from '../../../api/capabilities.gen.ts';
import { withEtag } from '../../../api/etag.ts';
import { readTwoFactorCoverageOptions } from '../../../api/generated/queries/access.gen.ts';
import {
  getSiteBrandQueryKey,
  getSiteSettingsQueryKey,
  listApprovedAddressesQueryKey,
} from '../../../api/generated/queries/settings.gen.ts';
import {
  getSiteBrand,
  getSiteSettings,
  listApprovedAddresses,
} from '../../../api/generated/sdk/settings.gen.ts';
import { hasAnyCapability } from '../../../api/session.ts';

/** Loads the settings and their entity tag. */
export const settingsQuery = queryOptions({
  queryKey: [{ ...getSiteSettingsQueryKey()[0], tagged: true }],
  queryFn: async ({ signal }) => withEtag(await getSiteSettings({ signal })),
});

export const addressesQuery = queryOptions({
  queryKey: [{ ...listApprovedAddressesQueryKey()[0], tagged: true }],
  queryFn: async ({ signal }) => withEtag(await listApprovedAddresses({ signal })),
});

/** Loads logo and color with their entity tag. */
export const brandQuery = queryOptions({
  queryKey: [{ ...getSiteBrandQueryKey()[0], tagged: true }],
  queryFn: async ({ signal }) => withEtag(await getSiteBrand({ signal })),
});

export const coverageQuery = { ...readTwoFactorCoverageOptions(), staleTime: 0 };

/** Whether the data of the settings may be loaded; without the capability, the page says what is missing. */
export const maySeeSettings = (session: Pick<Session, 'capabilities'>): boolean =>
  hasAnyCapability(session, CAPABILITIES.getSiteSettings);
