import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Notification } from '../../../contract/generated/types.gen.ts';
import {
  getNotificationSettingsOptions,
  listNotificationsQueryKey,
} from '../../api/generated/queries/notifications.gen.ts';
import { listNotifications } from '../../api/generated/sdk/notifications.gen.ts';
import { formatDayHeading } from '../../lib/dates/dates.ts';

const PAGE_SIZE = 30;

/** Notifications, newest first, read page by page. A notification that arrives between two pages is not repeated. */
export const notificationsQuery = (isUnread: boolean) =>
  infiniteQueryOptions({
    queryKey: [{ ...listNotificationsQueryKey({ query: { isUnread } })[0], paged: true }],
    queryFn: async ({ pageParam, signal }) =>
      (
        await listNotifications({
          signal,
          query: { ...(isUnread && { isUnread }), pageNumber: pageParam, pageSize: PAGE_SIZE },
        })
      ).data,
    initialPageParam: 1,
    getNextPageParam: (last, pages) => (last.length < PAGE_SIZE ? undefined : pages.length + 1),
    select: ({ pages }) => [...new Map(pages.flat().map((each) => [each.id, each])).values()],
    staleTime: 0,
  });

export const settingsQuery = queryOptions({ ...getNotificationSettingsOptions(), staleTime: 0 });

/** Notifications by day, in their order. */
export function groupByDay(
  notifications: readonly Notification[],
  now = new Date(),
): { day: string; notifications: Notification[] }[] {
  const groups = Map.groupBy(notifications, ({ createdDate }) => formatDayHeading(createdDate, now));
  return [...groups].map(([day, ofDay]) => ({ day, notifications: ofDay }));
}
