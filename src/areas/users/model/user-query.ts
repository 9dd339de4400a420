import { queryOptions } from '@tanstack/react-query';
import { getUserLicenseOptions, getUserQueryKey } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { getUser } from '../../../api/generated/sdk.gen.ts';
import type { UserInfoResponse } from '../../../api/generated/types.gen.ts';
import { tagged } from '../../../api/tagged.ts';
import type { Tagged } from '../../../api/tagged.ts';

/** One user with the entity tag that an edit of them sends back. */
export const userQuery = (userId: number) =>
  queryOptions({
    queryKey: [{ ...getUserQueryKey({ path: { userId } })[0], tagged: true }],
    queryFn: ({ signal }): Promise<Tagged<UserInfoResponse>> => readUser(userId, signal),
  });

/** Reads one user afresh, past the cache. */
export const readUser = async (userId: number, signal?: AbortSignal): Promise<Tagged<UserInfoResponse>> =>
  tagged(await getUser({ path: { userId }, ...(signal && { signal }) }));

export const licenseQuery = (userId: number) => getUserLicenseOptions({ path: { userId } });

/** How a person is called in lists, titles and sentences. */
export const fullName = ({ firstName, lastName }: Pick<UserInfoResponse, 'firstName' | 'lastName'>): string =>
  `${firstName} ${lastName}`;
