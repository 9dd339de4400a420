import { queryOptions } from '@tanstack/react-query';
import { withEtag } from '../../../api/etag.ts';
import {
  getPlatformSiteQueryKey,
  getSiteIdentityQueryKey,
} from '../../../api/generated/queries/platform.gen.ts';
import { getPlatformSite, getSiteIdentity } from '../../../api/generated/sdk/platform.gen.ts';

/** Loads a site and its entity tag. */
export const siteQuery = (siteId: number) =>
  queryOptions({
    queryKey: [{ ...getPlatformSiteQueryKey({ path: { siteId } })[0], tagged: true }],
    queryFn: async ({ signal }) => withEtag(await getPlatformSite({ path: { siteId }, signal })),
  });

export const identityQuery = (siteId: number) =>
  queryOptions({
    queryKey: [{ ...getSiteIdentityQueryKey({ path: { siteId } })[0], tagged: true }],
    queryFn: async ({ signal }) => withEtag(await getSiteIdentity({ path: { siteId }, signal })),
  });
