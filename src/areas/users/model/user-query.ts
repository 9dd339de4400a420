import { queryOptions } from '@tanstack/react-query';
import type { UserInfoResponse } from '../../../../contract/generated/types.gen.ts';
import { withEtag } from '../../../api/etag.ts';
import type { WithEtag } from '../../../api/etag.ts';
import { getUserLicenseOptions } from '../../../api/generated/queries/licenses.gen.ts';
import { getUserQueryKey } from '../../../api/generated/queries/users.gen.ts';
import { getUser } from '../../../api/generated/sdk/users.gen.ts';

/** One user with the ETag that an edit sends back. */
export const userQuery = (userId: number) =>
  queryOptions({
    queryKey: [{ ...getUserQueryKey({ path: { userId } })[0], tagged: true }],
    queryFn: ({ signal }): Promise<WithEtag<UserInfoResponse>> => loadUser(userId, signal),
  });

/** Loads one user, bypassing the cache. */
export const loadUser = async (userId: number, signal?: AbortSignal): Promise<WithEtag<UserInfoResponse>> =>
  withEtag(await getUser({ path: { userId }, ...(signal && { signal }) }));

export const licenseQuery = (userId: number) => getUserLicenseOptions({ path: { userId } });

/** Display name of a user. */
export const formatFullName = ({
  firstName,
  lastName,
}: Pick<UserInfoResponse, 'firstName' | 'lastName'>): string => `${firstName} ${lastName}`;
