import { queryOptions, useQuery } from '@tanstack/react-query';
import { Bell } from 'lucide-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { countUnreadNotificationsOptions } from '../../api/generated/queries/notifications.gen.ts';
import { usePermission } from '../../api/session.ts';
import { formatNumber } from '../../lib/numbers.ts';
import { IconButton } from '../../ui/button/IconButton.tsx';
import { lazyWithPreload } from '../../ui/lazy.tsx';
import './notifications.css';

const NotificationsPopover = lazyWithPreload(() => import('./NotificationsPopover.tsx'));

const MAX_SHOWN = 99;
const UNREAD_INTERVAL_MS = 30_000;

/** The number of unread notifications; also read while the page is hidden, because the browser can announce them. */
const unreadQuery = queryOptions({
  ...countUnreadNotificationsOptions(),
  staleTime: 0,
  refetchInterval: UNREAD_INTERVAL_MS,
  refetchIntervalInBackground: true,
  refetchOnWindowFocus: true,
});

/** Bell of the top bar with the number of unread notifications; opens the list. */
export function NotificationsButton() {
  const anchor = useRef<HTMLSpanElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  // Not while acting: notifications concern oneself.
  const { allowed } = usePermission('countUnreadNotifications');
  const { data } = useQuery({ ...unreadQuery, enabled: allowed });
  const unread = data?.unread ?? 0;
  const newestId = data?.newestId;

  useEffect(() => {
    if (data === undefined) return;
    // Loaded when it is needed for the first time, not with the frame.
    import('./announce.ts')
      .then(({ announceNewest }) => announceNewest(newestId ?? 0))
      .catch(() => undefined);
  }, [data, newestId]);

  if (!allowed) return null;
  return (
    <span ref={anchor} className="bell">
      <IconButton
        label={unread === 0 ? 'Notifications' : `Notifications, ${formatNumber(unread)} unread`}
        icon={Bell}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onPointerEnter={NotificationsPopover.preload}
        onFocus={NotificationsPopover.preload}
        onClick={() => setIsOpen(true)}
      />
      {unread > 0 && (
        <span className="bell-count" aria-hidden>
          {unread > MAX_SHOWN ? `${MAX_SHOWN}+` : unread}
        </span>
      )}
      {isOpen && (
        <Suspense>
          <NotificationsPopover anchor={anchor} unread={unread} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </span>
  );
}
