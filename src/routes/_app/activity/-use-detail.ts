import { useQuery, useQueryClient } from '@tanstack/react-query';
import { toServiceError } from '../../../api/errors.ts';
import type { UserActivityQuery } from '../../../api/generated/types.gen.ts';
import { around, aroundQuery } from './-around.ts';
import { serverNow } from './-clock.ts';
import { readAround } from './-data.ts';
import type { Place } from './-place.ts';
import { addressOf } from './-row.ts';
import type { ActivityRow } from './-row.ts';

const KEEP = 60_000;

/** What happened around a moment by somebody or from somewhere; nothing is asked where `who` is undefined. */
function useAround(who: UserActivityQuery | undefined, at: number | undefined) {
  const client = useQueryClient();
  return useQuery({
    queryKey: [{ _id: 'queryUserActivity', around: { who, at } }],
    async queryFn({ signal }): Promise<ActivityRow[]> {
      const rows = await readAround(aroundQuery(who ?? {}, at ?? 0, serverNow(client)), signal);
      return around(rows, at ?? 0);
    },
    enabled: who !== undefined && at !== undefined,
    staleTime: KEEP,
  });
}

/** A row by its number, where its address says it is, with what happened around it. */
export function useDetail(activityId: number, { at, by }: Place) {
  const byPerson = useAround(by === undefined ? undefined : { userIds: [by] }, at);
  const row = byPerson.data?.find((one) => (one.activityId ?? 0) === activityId);
  const address = row && addressOf(row);
  const byAddress = useAround(address === undefined ? undefined : { ipAddress: address }, at);
  const { error } = byPerson;
  return {
    row,
    address,
    ofPerson: byPerson.data,
    ofAddress: byAddress.data,
    addressError: byAddress.error === null ? undefined : toServiceError(byAddress.error),
    pending: byPerson.isLoading,
    error: error === null ? undefined : toServiceError(error),
    retry: () => void byPerson.refetch(),
    retrying: byPerson.isFetching,
  };
}
