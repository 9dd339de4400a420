import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, notFound } from '@tanstack/react-router';
import type { UserGroupEntityVm } from '../../../../contract/generated/types.gen.ts';
import { groupQuery } from '../../../directory/groups.ts';

const route = getRouteApi('/_app/groups/$groupId');

/** The page's group, loaded by the route. */
export const useGroup = (): UserGroupEntityVm =>
  useSuspenseQuery(groupQuery(route.useParams().groupId)).data.data;

const ID_PATTERN = /^[1-9]\d{0,9}$/;

/** Path parameter of the routes below `$groupId`; an invalid id is not found. */
export const groupIdParam = {
  parse({ groupId }: { groupId: string }) {
    if (!ID_PATTERN.test(groupId)) throw notFound();
    return { groupId: Number(groupId) };
  },
  stringify: ({ groupId }: { groupId: number }) => ({ groupId: String(groupId) }),
};
