import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { Outlet, useRouter, Link } from '@tanstack/react-router';
import { X, Lock, PanelLeftClose, PanelLeftOpen } from 'lucide-react';
import { Suspense, useEffect, useRef, useState } from 'react';
import { EXPIRY_REMINDER_DAYS } from '../../../contract/rules/people/invitations.ts';
import { runWhenIdle } from '../../api/query-client.ts';
import { unreachableSince } from '../../api/reachability.ts';
import { getSessionIdentity, sessionQuery } from '../../api/session-query.ts';
import { markSessionEnded } from '../../api/session-state.ts';
import { useSession } from '../../api/session.ts';
import { formatShortDate, formatTime, formatDistance, isWithinDays } from '../../lib/dates/dates.ts';
import { pluralize } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { IconButton } from '../../ui/button/IconButton.tsx';
import { cx } from '../../ui/cx.ts';
import { ConfirmHost } from '../../ui/dialog/ConfirmHost.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { keepFocus } from '../../ui/keep-focus.ts';
import { announce } from '../../ui/layout/LiveRegion.tsx';
import { ProductMark } from '../../ui/layout/ProductMark.tsx';
import { RouteAnnouncer } from '../../ui/layout/RouteAnnouncer.tsx';
import { lazyWithPreload } from '../../ui/lazy.tsx';
import { useShortcut } from '../../ui/shortcuts/shortcuts.ts';
import { useStore } from '../../ui/store.ts';
import { Tooltip } from '../../ui/tooltip/Tooltip.tsx';
import { ActingBanner } from '../acting/ActingBanner.tsx';
import { ActingHost } from '../acting/ActingHost.tsx';
import { closedReason, isListed } from '../area/collect-areas.ts';
import type { NavigationEntry } from '../area/define-area.ts';
import { useJobs } from '../jobs/jobs.ts';
import { registry, startAreas } from '../registry.ts';
import { useSiteBrand } from '../session/brand.ts';
import { getLocalExpiry, watchExpiry } from '../session/session-expiry.ts';
import type { ExpiryWarning } from '../session/session-expiry.ts';
import { isActingEnded } from '../session/session.ts';
import { isNavigationFolded, setNavigationFolded } from '../state/navigation.ts';
import { openOverlay } from '../state/overlay.ts';
import { Overlays, preloadSessionDialog } from './Overlays.tsx';
import { retryConnection } from './reconnect.ts';
import { TopBar } from './TopBar.tsx';
import './print.css';
import './shell.css';
import './side-nav.css';

startAreas();

/** Tray with the jobs of this tab; loaded with the first job. */
const JobTray = lazyWithPreload(() => import('../jobs/JobTray.tsx'));

const GLOBAL_SHORTCUTS = [
  { keys: 'mod+k', label: 'Search', group: 'Anywhere' },
  { keys: '?', label: 'Help for this page', group: 'Anywhere' },
];
const NAVIGATION_SHORTCUTS = registry.entries.map(({ key, name }) => ({
  keys: `g ${key}`,
  label: name,
  group: 'Go to',
}));

/** Frame around every page of a signed-in user. */
export function Shell() {
  const { site } = useSession();
  const router = useRouter();
  const [isDrawerOpen, setIsDrawerOpen] = useState(false);
  const jobs = useJobs();

  useResumedJobs();
  useShortcut(GLOBAL_SHORTCUTS, ({ keys }) => openOverlay(keys === '?' ? 'help' : 'palette'));
  useShortcut(NAVIGATION_SHORTCUTS, ({ label }) => {
    const entry = registry.entries.find(({ name }) => name === label);
    if (entry) void router.navigate({ to: entry.path });
  });

  return (
    <div className="shell">
      <a
        className="skip-link"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>('#main')?.focus();
        }}
      >
        Skip to content
      </a>
      <RouteAnnouncer site={site.name} />
      <ActingBanner />
      <TopBar onMenu={() => setIsDrawerOpen(true)} items={registry.topBarItems} />
      <aside className="shell-side">
        <SideNav />
      </aside>
      {isDrawerOpen && <Drawer onClose={() => setIsDrawerOpen(false)} />}
      <main className="shell-main" id="main" tabIndex={-1}>
        <UnreachableBanner />
        <MembershipExpiryBanner />
        <SessionExpiryBanner />
        <ActingEndedBanner />
        <Outlet />
      </main>
      {jobs.length > 0 && (
        <Suspense>
          <JobTray jobs={jobs} />
        </Suspense>
      )}
      <Overlays />
      {registry.hosts.map(({ name, Host }) => (
        <Host key={name} />
      ))}
      <ActingHost />
      <ConfirmHost />
    </div>
  );
}

/**
 * Resumes the jobs of all areas that a reload of the page interrupted, once per user and site, when the page is idle. No
 * job is offered while acting: the user's own jobs would be continued as the principal (spec 2.3).
 */
function useResumedJobs(): void {
  const client = useQueryClient();
  const { userId, siteId, reportId } = getSessionIdentity(useSession());
  useEffect(() => {
    if (reportId !== undefined) return undefined;
    return runWhenIdle(client, async () => {
      for (const { resumeJobs } of registry.areas) await resumeJobs?.(client, { userId, siteId });
    });
  }, [client, userId, siteId, reportId]);
}

/** Banner shown after the service has ended acting, until it is closed. */
function ActingEndedBanner() {
  const ended = useStore(isActingEnded);
  if (!ended) return null;
  return (
    <div ref={keepFocus} className="shell-banner" role="alert">
      <Banner
        tone="warn"
        title="You no longer work as someone else"
        actions={
          <IconButton label="Close message" icon={X} size="small" onClick={() => isActingEnded.set(false)} />
        }
      >
        Acting has ended: the assignment was removed, one of you was deactivated, or the session ended. Your
        input is still here; saving it now is done in your own name.
      </Banner>
    </div>
  );
}

// Early enough to request an extension; from the day of the reminder mail on, the banner is a warning.
const MEMBERSHIP_NOTICE_DAYS = 14;

/** Banner for a membership that expires soon; hiding it lasts until the page reloads. */
function MembershipExpiryBanner() {
  const { site, membershipExpiresDate: end } = useSession();
  const [hidden, setHidden] = useState(false);
  if (!end || hidden || !isWithinDays(end, MEMBERSHIP_NOTICE_DAYS)) return null;
  return (
    <div ref={keepFocus} className="shell-banner">
      <Banner
        tone={isWithinDays(end, EXPIRY_REMINDER_DAYS) ? 'warn' : 'info'}
        title={`Your membership of ${site.name} ends ${formatShortDate(end)}, ${formatDistance(end)}`}
        actions={<IconButton label="Hide" icon={X} size="small" onClick={() => setHidden(true)} />}
      >
        After that you lose access. Anyone who manages the users of the site can extend it.
      </Banner>
    </div>
  );
}

/** Banner shown while the service does not answer; the page keeps its data. */
function UnreachableBanner() {
  const since = useStore(unreachableSince);
  const [trying, setTrying] = useState(false);
  if (!since) return null;
  const retryNow = async () => {
    setTrying(true);
    await retryConnection();
    setTrying(false);
  };
  return (
    <div ref={keepFocus} className="shell-banner shell-unreachable">
      <Banner
        tone="warn"
        title="The service cannot be reached"
        actions={
          <Button size="small" pending={trying} onClick={() => void retryNow()}>
            Try now
          </Button>
        }
      >
        No answer since {formatTime(since)}. The page shows the last known state; the console retries
        automatically.
      </Banner>
    </div>
  );
}

/** Navigation of a small window; closes after a navigation. */
function Drawer({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
    return router.subscribe('onBeforeNavigate', () => dialog.current?.close());
  }, [router]);

  return (
    <dialog
      ref={dialog}
      className="drawer"
      aria-label="Navigation"
      onClose={onClose}
      // Also closes on a press outside.
      closedby="any"
    >
      <div className="drawer-inner">
        <div className="drawer-head">
          <ProductMark brand={useSiteBrand()} />
          <IconButton label="Close" icon={X} onClick={() => dialog.current?.close()} />
        </div>
        <SideNav drawer />
      </div>
    </dialog>
  );
}

const MINUTE_MS = 60_000;

function formatRemaining(leftMs: number): string {
  const [each, one, many] =
    leftMs > MINUTE_MS ? [MINUTE_MS, 'minute', 'minutes'] : [1000, 'second', 'seconds'];
  return pluralize(Math.ceil(leftMs / each), one, many);
}

/** Banner that counts down to the end of the session by maximum duration or inactivity. */
function SessionExpiryBanner() {
  const { data, dataUpdatedAt } = useSuspenseQuery(sessionQuery);
  const expiresAt = getLocalExpiry(data, dataUpdatedAt);
  const idleMs = data.idleSeconds === undefined ? undefined : data.idleSeconds * 1000;
  const [warning, setWarning] = useState<ExpiryWarning>();
  // Time and uses in other tabs are external to React.
  useEffect(() => {
    let cause: ExpiryWarning['cause'] | undefined;
    return watchExpiry({ expiresAt, idleMs }, (next) => {
      if (next) preloadSessionDialog();
      if (next && next.cause !== cause) announce(`Your session ends in ${formatRemaining(next.remainingMs)}`);
      cause = next?.cause;
      setWarning(next);
    });
  }, [expiresAt, idleMs]);
  if (!warning) return null;
  return (
    <div ref={keepFocus} className="shell-banner">
      <Banner
        tone="warn"
        title={`Your session ends in ${formatRemaining(warning.remainingMs)}`}
        actions={warning.cause === 'silence' ? <StaySignedInButton /> : <SignInAgainButton />}
      >
        {warning.cause === 'silence'
          ? 'You have been inactive for a while. The page stays as it is when you sign in again.'
          : 'A session lasts at most twelve hours. The page stays as it is when you sign in again.'}
      </Banner>
    </div>
  );
}

const SignInAgainButton = () => (
  <Button size="small" onClick={markSessionEnded}>
    Sign in again…
  </Button>
);

/** Extends the session in all tabs by one call. */
function StaySignedInButton() {
  const client = useQueryClient();
  const [pending, setPending] = useState(false);
  const stay = async () => {
    setPending(true);
    await client.refetchQueries(sessionQuery);
    setPending(false);
  };
  return (
    <Button size="small" pending={pending} onClick={() => void stay()}>
      Stay signed in
    </Button>
  );
}

/** Navigation by groups of areas. Folded, it shows only icons with their names as tooltips. */
export function SideNav({ drawer = false }: { drawer?: boolean }) {
  const folded = useStore(isNavigationFolded) && !drawer;
  const session = useSession();
  const groups = registry.navigation
    .map(({ name, entries }) => ({ name, entries: entries.filter((entry) => isListed(session, entry)) }))
    .filter(({ entries }) => entries.length > 0);
  return (
    <div className="side" data-folded={folded || undefined}>
      <nav className="side-areas" aria-label="Areas">
        {groups.map(({ name, entries }) => (
          <div key={name} className="side-group">
            {name !== '' && <h2 className="side-heading">{name}</h2>}
            <ul className="side-list">
              {entries.map((entry) => (
                <li key={entry.path}>
                  <EntryLink entry={entry} folded={folded} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
      {!drawer && (
        <button type="button" className="side-link side-fold" onClick={() => setNavigationFolded(!folded)}>
          {folded ? <PanelLeftOpen /> : <PanelLeftClose />}
          <span className="side-name">{folded ? 'Expand' : 'Collapse'}</span>
        </button>
      )}
    </div>
  );
}

function EntryLink({ entry, folded }: { entry: NavigationEntry; folded: boolean }) {
  const { path, name, icon: Icon } = entry;
  const closed = closedReason(useSession(), entry);
  const link = (
    <Link
      to={path}
      // A page without permission is not preloaded on hover, because its calls would fail.
      {...(closed !== undefined && { preload: false })}
      className={cx('side-link', closed !== undefined && 'side-closed')}
      activeOptions={{ exact: path === '/', includeSearch: false }}
    >
      <Icon />
      <span className="side-name">{name}</span>
      {closed !== undefined && (
        <>
          <Lock className="side-lock" />
          <span className="visually-hidden">. {closed}</span>
        </>
      )}
    </Link>
  );
  const tip = closed === undefined ? name : `${name}. ${closed}`;
  return folded || closed !== undefined ? <Tooltip text={tip}>{link}</Tooltip> : link;
}
