import { useSuspenseQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { UserInfoResponse, UserLicenseInfoResponse } from '../../../../contract/generated/types.gen.ts';
import type { WithEtag } from '../../../api/etag.ts';
import { getUsersByIdsOptions } from '../../../api/generated/queries/users.gen.ts';
import { licenseQuery, userQuery, formatFullName } from '../model/user-query.ts';

const route = getRouteApi('/_app/users/$userId');

/** The page's user with ETag, loaded by the route. */
export function useTaggedUser(): WithEtag<UserInfoResponse> {
  const { userId } = route.useParams();
  return useSuspenseQuery(userQuery(userId)).data;
}

export const useUser = (): UserInfoResponse => useTaggedUser().data;

export function useLicense(): UserLicenseInfoResponse {
  const { userId } = route.useParams();
  return useSuspenseQuery(licenseQuery(userId)).data;
}

/** Name of a user who did something; undefined while it is loaded. The user may have left the site. */
export function useUserName(userId: number | null): string | undefined {
  const { data } = useQuery({ ...getUsersByIdsOptions({ body: [userId ?? 0] }), enabled: userId !== null });
  if (userId === null) return 'the system';
  // The operation omits unknown users instead of failing.
  const [person] = data ?? [];
  return person ? formatFullName(person) : data && `user ${userId}, who is no longer on this site`;
}
