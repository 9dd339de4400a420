import { queryOptions } from '@tanstack/react-query';
import {
  getPlatformSiteQueryKey,
  getSiteIdentityQueryKey,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import { getPlatformSite, getSiteIdentity } from '../../../api/generated/sdk.gen.ts';
import { tagged } from '../../../api/tagged.ts';

/** A site with the entity tag that a change of it sends back. */
export const siteQuery = (siteId: number) =>
  queryOptions({
    queryKey: [{ ...getPlatformSiteQueryKey({ path: { siteId } })[0], tagged: true }],
    queryFn: async ({ signal }) => tagged(await getPlatformSite({ path: { siteId }, signal })),
  });

export const identityQuery = (siteId: number) =>
  queryOptions({
    queryKey: [{ ...getSiteIdentityQueryKey({ path: { siteId } })[0], tagged: true }],
    queryFn: async ({ signal }) => tagged(await getSiteIdentity({ path: { siteId }, signal })),
  });
