import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { UserInfoResponse, UserLicenseInfoResponse } from '../../../api/generated/types.gen.ts';
import type { Tagged } from '../../../api/tagged.ts';
import { licenseQuery, userQuery } from '../model/user-query.ts';

const route = getRouteApi('/_app/users/$userId');

/** The user of the page with their entity tag; the route's loader has read them. */
export function useTaggedUser(): Tagged<UserInfoResponse> {
  const { userId } = route.useParams();
  return useSuspenseQuery(userQuery(userId)).data;
}

export const useUser = (): UserInfoResponse => useTaggedUser().data;

export function useLicense(): UserLicenseInfoResponse {
  const { userId } = route.useParams();
  return useSuspenseQuery(licenseQuery(userId)).data;
}
