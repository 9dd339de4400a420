import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { Bell, CheckCheck, CircleAlert, CircleCheck, Settings2, TriangleAlert } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { useState } from 'react';
import type { RefObject } from 'react';
import type { Notification } from '../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../api/errors.ts';
import { markNotificationsReadMutation } from '../../api/generated/queries/notifications.gen.ts';
import { useWrite } from '../../api/write.ts';
import { formatClock, formatExactDate } from '../../lib/dates/dates.ts';
import { formatNumber } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { IconButton } from '../../ui/button/IconButton.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { FailureBanner } from '../../ui/feedback/FailureBanner.tsx';
import { SegmentedControl } from '../../ui/form/SegmentedControl.tsx';
import { keepFocus } from '../../ui/keep-focus.ts';
import PopoverCard from '../../ui/menu/PopoverCard.tsx';
import { Spinner } from '../../ui/Spinner.tsx';
import { toast } from '../../ui/toast.ts';
import { groupByDay, notificationsQuery } from './model.ts';

interface NotificationsPopoverProps {
  anchor: RefObject<Element | null>;
  unread: number;
  onClose: () => void;
}

const SETTINGS_LINK = { to: '/profile', hash: 'notifications' } as const;

/** The own notifications by day, newest first. Opening one marks it as read. */
export default function NotificationsPopover({ anchor, unread, onClose }: NotificationsPopoverProps) {
  const router = useRouter();
  const [isUnread, setIsUnread] = useState(false);
  const query = useInfiniteQuery(notificationsQuery(isUnread));
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query;
  const markRead = useWrite('markNotificationsRead', markNotificationsReadMutation());
  const [newest] = data ?? [];

  const mark = (body: { ids?: number[]; upToId?: number }) =>
    // Opening a notification closes the list before the answer.
    void markRead.mutateAsync({ body }).catch(({ message }: Error) =>
      toast({
        tone: 'bad',
        title: 'The notifications could not be marked as read',
        description: message,
      }),
    );

  return (
    <PopoverCard label="Notifications" anchor={anchor} onClose={onClose}>
      <div className="bell-card">
        <header className="bell-head">
          <h2>Notifications</h2>
          <SegmentedControl
            label="Which notifications"
            options={[
              { value: 'all', label: 'All' },
              { value: 'unread', label: unread === 0 ? 'Unread' : `Unread ${formatNumber(unread)}` },
            ]}
            value={isUnread ? 'unread' : 'all'}
            onChange={(value) => setIsUnread(value === 'unread')}
          />
          <span className="bell-tools">
            <IconButton
              size="small"
              label="Mark all as read"
              icon={CheckCheck}
              pending={markRead.isPending && markRead.variables.body.upToId !== undefined}
              disabledReason={unread === 0 ? 'All notifications are read' : undefined}
              onClick={() => newest && mark({ upToId: newest.id })}
            />
            <IconButton
              size="small"
              label="Notification settings"
              icon={Settings2}
              onClick={() => {
                onClose();
                void router.navigate(SETTINGS_LINK);
              }}
            />
          </span>
        </header>
        <div className="bell-list">
          {isPending && (
            <p className="bell-wait">
              <Spinner /> Loading
            </p>
          )}
          {error && !data && (
            <ErrorState
              title="The notifications could not be loaded"
              requestId={toServiceError(error).requestId}
              onRetry={() => void refetch()}
            >
              {toServiceError(error).message}
            </ErrorState>
          )}
          {data?.length === 0 && (
            <EmptyState icon={Bell} title={isUnread ? 'No unread notifications' : 'No notifications'}>
              Finished jobs, failures and decisions that need you are listed here for 90 days.
            </EmptyState>
          )}
          {groupByDay(data ?? []).map(({ day, notifications }) => (
            <section key={day}>
              <h3 className="bell-day">{day}</h3>
              <ul>
                {notifications.map((notification) => (
                  <NotificationItem
                    key={notification.id}
                    notification={notification}
                    onOpen={() => {
                      if (notification.readDate === null) mark({ ids: [notification.id] });
                      onClose();
                    }}
                  />
                ))}
              </ul>
            </section>
          ))}
          {query.isFetchNextPageError && <FailureBanner failure={toServiceError(error)} />}
          {hasNextPage && (
            <p className="bell-more">
              <Button
                ref={keepFocus}
                size="small"
                variant="quiet"
                pending={isFetchingNextPage}
                onClick={() => void fetchNextPage()}
              >
                Show older
              </Button>
            </p>
          )}
        </div>
        <footer className="bell-foot">
          <span>Delivered in the console, by e-mail or by the browser</span>
          <Link {...SETTINGS_LINK} onClick={onClose}>
            Change
          </Link>
        </footer>
      </div>
    </PopoverCard>
  );
}

const LOOKS: Record<Notification['category'], { icon: LucideIcon; tone: string; word: string }> = {
  jobFinished: { icon: CircleCheck, tone: 'ok', word: 'Finished' },
  jobFailed: { icon: TriangleAlert, tone: 'warn', word: 'Failed' },
  alert: { icon: CircleAlert, tone: 'bad', word: 'Alert' },
};

function NotificationItem({ notification, onOpen }: { notification: Notification; onOpen: () => void }) {
  const { category, title, detail, path, createdDate, readDate } = notification;
  const { icon: Icon, tone, word } = LOOKS[category];
  return (
    <li className="bell-item" data-unread={readDate === null || undefined}>
      <span className={`bell-icon tone-${tone}`}>
        <Icon aria-hidden />
      </span>
      <Link to={path} className="bell-link" onClick={onOpen}>
        <strong>
          <bdi>{title}</bdi>
        </strong>
        <span>
          <span className="visually-hidden">
            {readDate === null ? 'Unread. ' : ''}
            {word}.{' '}
          </span>
          <bdi>{detail}</bdi>
        </span>
      </Link>
      <time dateTime={createdDate} title={formatExactDate(createdDate)}>
        {formatClock(createdDate)}
      </time>
    </li>
  );
}
