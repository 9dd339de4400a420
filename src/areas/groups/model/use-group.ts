import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { UserGroupEntityVm } from '../../../../contract/generated/types.gen.ts';
import { groupQuery } from '../../../directory/groups.ts';

const route = getRouteApi('/_app/groups/$groupId');

/** The page's group, loaded by the route. */
export const useGroup = (): UserGroupEntityVm =>
  useSuspenseQuery(groupQuery(route.useParams().groupId)).data.data;
