import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { UserRoundCog } from 'lucide-react';
import { useEffect } from 'react';
import type { Acting, Session } from '../../api/generated/types.gen.ts';
import { actingMoves } from '../../api/session-gate.ts';
import { sessionQuery } from '../../api/session-query.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../ui/button/Button.tsx';
import { announce } from '../../ui/feedback/live.ts';
import { Tooltip } from '../../ui/tooltip/Tooltip.tsx';
import { noticeActing } from '../session/session.ts';
import { useStopActing } from './use-stop.ts';
import './acting.css';

// An assignment can be removed at any time; whoever sits still is told soon.
const ASK_AGAIN = 20_000;

/** Names both people for as long as one works as the other. It cannot be closed. */
export function ActingBanner() {
  const session = useSession();
  const client = useQueryClient();
  const router = useRouter();
  useQuery({ ...sessionQuery, ...(session.acting && { staleTime: 0, refetchInterval: ASK_AGAIN }) });
  // An answer said that the session acts otherwise than this page believes: it is read again at once.
  useEffect(
    () =>
      actingMoves.subscribe(() => {
        // One reading answers all who ask meanwhile.
        void client.refetchQueries({ queryKey: sessionQuery.queryKey }, { cancelRefetch: false });
      }),
    [client],
  );
  // The session is the service's: what it says now is held against what this page began with.
  useEffect(() => {
    // A page that was refused meanwhile is tried again.
    if (noticeActing(client, session)) void router.invalidate();
  }, [client, router, session]);
  return session.acting ? <Shown session={session} acting={session.acting} /> : null;
}

const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

function Shown({ session: { user }, acting }: { session: Session; acting: Acting }) {
  const { principal, reason, startedDate } = acting;
  const { stop, pending } = useStopActing();
  const me = `${user.firstName} ${user.lastName}`;
  useEffect(() => announce(`${me} is working as ${principal.fullName}`), [me, principal.fullName]);
  return (
    // The attribute keeps the way out in reach while a dialog hides the rest of the page.
    <section
      className="acting"
      aria-label="Working as somebody else"
      data-react-aria-top-layer="true"
      ref={reserveRoom}
    >
      <UserRoundCog />
      <p className="acting-words">
        <span>
          <strong>{me}</strong> is working as <strong>{principal.fullName}</strong>
        </span>
        <Tooltip text={reason}>
          {/* What shows more on hover must show it to the keyboard as well (WCAG 1.4.13). */}
          {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
          <span className="acting-reason" tabIndex={0}>
            {reason}
          </span>
        </Tooltip>
        <span className="acting-since num">
          since <time dateTime={startedDate}>{clock.format(new Date(startedDate))}</time>
        </span>
      </p>
      <Button
        size="small"
        pending={pending}
        aria-label={`Stop working as ${principal.fullName}`}
        onClick={() => void stop()}
      >
        Stop
      </Button>
    </section>
  );
}

/** Panels and dialogs begin under the banner, however many lines its names take. */
function reserveRoom(banner: HTMLElement | null) {
  if (!banner) return undefined;
  const { style, dataset } = document.documentElement;
  dataset['acting'] = '';
  const observer = new ResizeObserver(() => style.setProperty('--acting', `${banner.offsetHeight}px`));
  observer.observe(banner);
  return () => {
    observer.disconnect();
    style.removeProperty('--acting');
    delete dataset['acting'];
  };
}
