import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { UserGroupEntityVm } from '../../../api/generated/types.gen.ts';
import { groupQuery } from '../../../directory/groups.ts';

const route = getRouteApi('/_app/groups/$groupId');

/** The group of the address, which the route's loader has read. */
export const useGroup = (): UserGroupEntityVm =>
  useSuspenseQuery(groupQuery(route.useParams().groupId)).data.data;
