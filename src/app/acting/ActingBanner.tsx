import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { UserRoundCog } from 'lucide-react';
import { useEffect } from 'react';
import type { Acting, Session } from '../../../contract/generated/types.gen.ts';
import { sessionQuery } from '../../api/session-query.ts';
import { sessionRefreshRequests } from '../../api/session-state.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../ui/button/Button.tsx';
import { announce } from '../../ui/layout/LiveRegion.tsx';
import { publishHeight } from '../../ui/publish-height.ts';
import { Tooltip } from '../../ui/tooltip/Tooltip.tsx';
import { applyActingChange } from '../session/session.ts';
import { useStopActing } from './acting.ts';
import './acting.css';

// The assignment can be removed at any time, and an idle page must notice it soon.
const REFETCH_INTERVAL_MS = 20_000;

/** Banner that names user and principal while acting. It cannot be closed. */
export function ActingBanner() {
  const session = useSession();
  const client = useQueryClient();
  const router = useRouter();
  useQuery({
    ...sessionQuery,
    ...(session.acting && { staleTime: 0, refetchInterval: REFETCH_INTERVAL_MS }),
  });
  // Reads the session again when an answer came from another identity than this page expects.
  useEffect(
    () =>
      sessionRefreshRequests.subscribe(() => {
        // One refetch serves all requests in the meantime.
        void client.refetchQueries({ queryKey: sessionQuery.queryKey }, { cancelRefetch: false });
      }),
    [client],
  );
  // Compares each reading of the session with the identity of this page.
  useEffect(() => {
    // Reloads routes that failed while acting.
    if (applyActingChange(client, session)) void router.invalidate();
  }, [client, router, session]);
  return session.acting ? <ActingBannerContent session={session} acting={session.acting} /> : null;
}

const timeFormat = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });

function ActingBannerContent({ session: { user }, acting }: { session: Session; acting: Acting }) {
  const { principal, reason, startedDate } = acting;
  const { stop, pending } = useStopActing();
  const me = `${user.firstName} ${user.lastName}`;
  useEffect(() => announce(`${me} is working as ${principal.fullName}`), [me, principal.fullName]);
  return (
    // The attribute keeps the banner accessible while a modal dialog hides the rest of the page.
    <section
      className="acting"
      aria-label="Working as someone else"
      data-react-aria-top-layer="true"
      ref={reserveBannerHeight}
    >
      <UserRoundCog />
      <p className="acting-words">
        <span>
          <strong>{me}</strong> is working as <strong>{principal.fullName}</strong>
        </span>
        {reason !== null && (
          <Tooltip text={reason}>
            {/* Focusable, because content shown on hover must be available to the keyboard (WCAG 1.4.13). */}
            {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above */}
            <span className="acting-reason" tabIndex={0}>
              {reason}
            </span>
          </Tooltip>
        )}
        <span className="acting-since num">
          since <time dateTime={startedDate}>{timeFormat.format(new Date(startedDate))}</time>
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

/** Publishes the height of the banner, so that panels and dialogs start below it. */
function reserveBannerHeight(banner: HTMLElement | null) {
  const removeHeight = publishHeight(banner, '--acting');
  const { dataset } = document.documentElement;
  dataset['acting'] = '';
  return () => {
    removeHeight?.();
    delete dataset['acting'];
  };
}
