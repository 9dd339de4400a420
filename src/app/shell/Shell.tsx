import { Outlet, useRouter } from '@tanstack/react-router';
import { useState, Suspense, useMemo, useEffect, useRef } from 'react';
import { LogOut, UserRoundCog, X, CircleAlert, CircleCheck, CircleSlash } from 'lucide-react';
import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useSession } from '../../api/session.ts';
import { BulkHost } from '../../areas/bulk/BulkHost.tsx';
import { ConfirmHost } from '../../ui/dialog/ConfirmHost.tsx';
import { ActingBanner } from '../acting/ActingBanner.tsx';
import { AREAS } from './areas.ts';
import { openOverlay } from './overlay.ts';
import { Overlays } from './Overlays.tsx';
import { RouteChange } from './RouteChange.tsx';
import { useShortcut } from './shortcuts.ts';
import { SideNav } from './SideNav.tsx';
import { TopBar } from './TopBar.tsx';
import { later } from '../../ui/later.ts';
import { useStore } from '../../ui/store.ts';
import { useOfferActions } from '../palette/registry.ts';
import { useStopActing } from '../acting/use-stop.ts';
import { openWorkAs, useOwnPrincipals, workAs } from '../acting/work-as.ts';
import { IconButton } from '../../ui/button/IconButton.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { actingEnded } from '../acting/ended.ts';
import { REMINDER_DAYS } from '../../../contract/rules/invitations.ts';
import { shortDate, clockTime } from '../../lib/dates.ts';
import { distance, isWithin } from '../../lib/ends.ts';
import { unreachableSince } from '../../api/reach.ts';
import { Button } from '../../ui/button/Button.tsx';
import { tryAgain } from './reconnect.ts';
import { ProductMark } from '../../ui/layout/ProductMark.tsx';
import { Spinner } from '../../ui/feedback/Spinner.tsx';
import { MenuButton } from '../../ui/menu/MenuButton.tsx';
import { clearEndedJobs, hasEnded, useJobs } from '../jobs/jobs.ts';
import type { Job } from '../jobs/jobs.ts';
import { endSession } from '../../api/session-gate.ts';
import { sessionQuery } from '../../api/session-query.ts';
import { counted } from '../../lib/numbers.ts';
import { announce } from '../../ui/feedback/live.ts';
import { endHere, followEnds } from '../session/session-end.ts';
import type { Near } from '../session/session-end.ts';
import './shell.css';
import '../jobs/job-tray.css';

const ANYWHERE = [
  { keys: 'mod+k', label: 'Search', group: 'Anywhere' },
  { keys: '?', label: 'Keyboard shortcuts', group: 'Anywhere' },
];
const GO_TO = AREAS.map(({ key, name }) => ({ keys: `g ${key}`, label: name, group: 'Go to' }));

/** The frame around every page of a signed-in person. */
export function Shell() {
  const { site } = useSession();
  const router = useRouter();
  const [drawer, setDrawer] = useState(false);

  useShortcut(ANYWHERE, ({ keys }) => openOverlay(keys === '?' ? 'keys' : 'palette'));
  useShortcut(GO_TO, ({ label }) => {
    const area = AREAS.find(({ name }) => name === label);
    if (area) void router.navigate({ to: area.path });
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
      <RouteChange site={site.name} />
      <ActingBanner />
      <TopBar onMenu={() => setDrawer(true)} />
      <aside className="shell-side">
        <SideNav />
      </aside>
      {drawer && <Drawer onClose={() => setDrawer(false)} />}
      <main className="shell-main" id="main" tabIndex={-1}>
        <UnreachableBanner />
        <MembershipEnd />
        <SessionEnd />
        <EndedBanner />
        <Outlet />
      </main>
      <JobTray />
      <Overlays />
      <BulkHost />
      <ActingHost />
      <ConfirmHost />
    </div>
  );
}

const WorkAsDialog = later(() => import('../acting/WorkAsDialog.tsx'));
const close = () => workAs.set(undefined);

/** Where the dialog opens; offers the beginning and the end of it in the palette. */
function ActingHost() {
  const open = useStore(workAs);
  const principal = useSession().acting?.principal.fullName;
  const may = useOwnPrincipals().length > 0;
  const { stop } = useStopActing();
  const items = useMemo(() => {
    if (principal !== undefined)
      return [{ label: `Stop working as ${principal}`, icon: LogOut, run: () => void stop() }];
    return may ? [{ label: 'Work as somebody else', icon: UserRoundCog, run: () => openWorkAs() }] : [];
  }, [principal, may, stop]);
  useOfferActions(items);
  return <Suspense>{open && <WorkAsDialog userId={open.userId} onClose={close} />}</Suspense>;
}

/** Says that the service has ended the acting; until it is read. */
function EndedBanner() {
  const ended = useStore(actingEnded);
  if (!ended) return null;
  return (
    <div className="shell-banner" role="alert">
      <Banner
        tone="warn"
        title="You work as yourself again"
        actions={
          <IconButton label="Close message" icon={X} size="small" onClick={() => actingEnded.set(false)} />
        }
      >
        The service has ended the work in the other name: the assignment was removed, one of you was
        deactivated, or the session ended. What you have typed is still here, and saving it now is done in
        your own name.
      </Banner>
    </div>
  );
}

// Early enough to ask for more days; from the day of the reminder on it is more than news.
const TOLD = 14;

/** Tells somebody whose membership ends by itself that it does so soon; hidden, it stays so until the page loads anew. */
function MembershipEnd() {
  const { site, membershipExpiresDate: end } = useSession();
  const [hidden, setHidden] = useState(false);
  if (!end || hidden || !isWithin(end, TOLD)) return null;
  return (
    <div className="shell-banner">
      <Banner
        tone={isWithin(end, REMINDER_DAYS) ? 'warn' : 'info'}
        title={`Your membership of ${site.name} ends ${shortDate(end)}, ${distance(end)}`}
        actions={<IconButton label="Hide" icon={X} size="small" onClick={() => setHidden(true)} />}
      >
        Then you can no longer come here. Whoever manages its users can give you more days.
      </Banner>
    </div>
  );
}

/** Says that no answer comes. What is on screen stays, and is not taken for empty. */
function UnreachableBanner() {
  const since = useStore(unreachableSince);
  const [trying, setTrying] = useState(false);
  if (!since) return null;
  const now = async () => {
    setTrying(true);
    await tryAgain();
    setTrying(false);
  };
  return (
    <div className="shell-banner">
      <Banner
        tone="warn"
        title="The service cannot be reached"
        actions={
          <Button size="small" pending={trying} onClick={() => void now()}>
            Try now
          </Button>
        }
      >
        No answer since {clockTime(since)}. What you see stays as it was; the console tries again by itself.
      </Banner>
    </div>
  );
}

/** The navigation of a small window; it leaves when somebody has gone somewhere. */
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
      // A press beside it closes it too.
      closedby="any"
    >
      <div className="drawer-inner">
        <div className="drawer-head">
          <ProductMark />
          <IconButton label="Close" icon={X} onClick={() => dialog.current?.close()} />
        </div>
        <SideNav drawer />
      </div>
    </dialog>
  );
}

const MARKS = { running: Spinner, done: CircleCheck, failed: CircleAlert, stopped: CircleSlash };
const WORDS = { running: 'Running', done: 'Done', failed: 'Failed', stopped: 'Stopped' };

/** The long work of this tab, wherever the person goes meanwhile. Nothing is shown without work. */
function JobTray() {
  const jobs = useJobs();
  if (jobs.length === 0) return null;
  return (
    <section className="jobs" aria-label="Jobs">
      <header className="jobs-head">
        <h2>{headingOf(jobs)}</h2>
        {jobs.some(hasEnded) && (
          <IconButton label="Clear ended jobs" icon={X} size="small" onClick={() => void clearEndedJobs()} />
        )}
      </header>
      <ul className="jobs-list">
        {jobs.map((job) => (
          <JobRow key={job.id} job={job} />
        ))}
      </ul>
    </section>
  );
}

function headingOf(jobs: readonly Job[]): string {
  const running = jobs.filter(({ state }) => state === 'running').length;
  if (running > 0) return `${running} running`;
  return jobs.every(hasEnded) ? 'Jobs done' : 'Jobs stopped';
}

// Two stand in the row, as a phone has room for; with more, the first does and a menu holds the rest.
const IN_ROW = 2;

function JobRow({ job: { title, state, progress, result, actions = [] } }: { job: Job }) {
  const Mark = MARKS[state];
  const inRow = actions.length > IN_ROW ? actions.slice(0, 1) : actions;
  const inMenu = actions.slice(inRow.length);
  return (
    <li className="job" data-state={state}>
      <Mark />
      <div className="job-text">
        <strong>{title}</strong>
        {state === 'running' && <progress value={progress} max={1} aria-label={title} />}
        <p className="num">{result ?? WORDS[state]}</p>
      </div>
      {inRow.map(({ label, onSelect }) => (
        <Button key={label} size="small" onClick={onSelect}>
          {label}
        </Button>
      ))}
      {inMenu.length > 0 && <MenuButton label={`More about ${title}`} items={inMenu} size="small" />}
    </li>
  );
}

const MINUTE = 60_000;

function leftOf(leftMs: number): string {
  const [each, one, many] = leftMs > MINUTE ? [MINUTE, 'minute', 'minutes'] : [1000, 'second', 'seconds'];
  return counted(Math.ceil(leftMs / each), one, many);
}

/** Counts down to the end of the session: to the one that no use puts off, and to the one that silence brings. */
function SessionEnd() {
  const { data, dataUpdatedAt } = useSuspenseQuery(sessionQuery);
  const hours = endHere(data, dataUpdatedAt);
  const idleMs = data.idleSeconds === undefined ? undefined : data.idleSeconds * 1000;
  const [near, setNear] = useState<Near>();
  // Time passes outside React, and so do uses of the session in other tabs.
  useEffect(() => {
    let cause: Near['cause'] | undefined;
    return followEnds({ hours, idleMs }, (next) => {
      if (next && next.cause !== cause) announce(`Your session ends in ${leftOf(next.leftMs)}`);
      cause = next?.cause;
      setNear(next);
    });
  }, [hours, idleMs]);
  if (!near) return null;
  return (
    <div className="shell-banner">
      <Banner
        tone="warn"
        title={`Your session ends in ${leftOf(near.leftMs)}`}
        actions={near.cause === 'silence' ? <Stay /> : <Again />}
      >
        {near.cause === 'silence'
          ? 'Nothing was asked of the service for a while. What is on screen stays when you sign in again.'
          : 'Twelve hours are the most. What is on screen stays when you sign in again, now or then.'}
      </Banner>
    </div>
  );
}

const Again = () => (
  <Button size="small" onClick={endSession}>
    Sign in again…
  </Button>
);

/** One call is a use, and puts the end off in every tab. */
function Stay() {
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
