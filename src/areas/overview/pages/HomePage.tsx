import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { LicenseSeats } from '../../../../contract/generated/types.gen.ts';
import { capabilities } from '../../../../contract/rules/people/capabilities.ts';
import { hasAnyCapability, usePermission, useSession } from '../../../api/session.ts';
import { getRecentPages } from '../../../app/state/recent-pages.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Page } from '../../../ui/layout/Page.tsx';
import { findAttention } from '../model/attention.ts';
import { AttentionCard } from './AttentionCard.tsx';
import { ChangesCard } from './ChangesCard.tsx';
import { Figures } from './Figures.tsx';
import { FirstSteps } from './FirstSteps.tsx';
import { HomeCard } from './HomeCard.tsx';
import { JobsCard } from './JobsCard.tsx';
import { retryAll, useHome } from './use-home.ts';
import { WelcomeCard } from './WelcomeCard.tsx';
import './home.css';

/** First page after the sign-in: what needs attention, key figures, recent changes and the viewer's jobs. */
export function HomePage() {
  const { site } = useSession();
  const [openedAt] = useState(() => new Date());
  const home = useHome(openedAt);
  const today = home.seats.data?.at(-1);
  const people = today && countPeople(today);
  const items = findAttention(home.facts, openedAt);
  const checked = [
    home.activity,
    home.lockedOut,
    home.backups,
    home.schedule,
    home.key,
    home.settings,
    home.coverage,
    home.tasks,
    home.memberships,
    home.destinations,
    home.imports,
    home.importStatus,
  ];
  const failed = checked.filter(({ error }) => error !== null);
  const invite = usePermission('inviteExistingUser');
  // Administrators begin with what they look after, others with the data and their own work.
  const { activity, backups, coverage, tasks, settings } = home.may;
  const isAdministrator = [activity, backups, coverage, tasks, settings].includes(true);
  const mayReadChanges = home.may.changes || home.may.configuration;
  const attention = (
    <AttentionCard
      items={items}
      isLoading={checked.some(({ isLoading }) => isLoading)}
      failure={failed[0] && { error: failed[0].error, onRetry: () => retryAll(failed) }}
      jobs={home.jobs.data ?? []}
      now={openedAt}
    />
  );
  const jobs = (
    <JobsCard
      jobs={home.jobs.data}
      error={home.jobs.error}
      onRetry={() => void home.jobs.refetch()}
      rowsBeside={items.length}
    />
  );
  return (
    <Page
      oneLine
      title={site.name}
      meta={people === undefined ? 'Overview' : <SeatCounts people={people} billable={today?.billable} />}
      actions={
        invite.allowed && (
          <Link to="/invitations/new" className={buttonClass({ variant: 'primary' })}>
            Invite people
          </Link>
        )
      }
    >
      <WelcomeCard />
      <FirstSteps home={home} people={people} />
      {isAdministrator ? (
        <>
          <div className="home-grid">
            {attention}
            {jobs}
          </div>
          <Figures home={home} />
          <div className="home-grid">
            <ChangesCard home={home} />
            <div className="home-side">
              <RecentCard />
              <PermissionsCard />
            </div>
          </div>
        </>
      ) : (
        <>
          <div className="home-grid">
            {mayReadChanges ? <ChangesCard home={home} /> : jobs}
            <div className="home-side">
              {mayReadChanges && jobs}
              {(items.length > 0 || failed.length > 0) && attention}
              <RecentCard />
              <PermissionsCard />
            </div>
          </div>
          <Figures home={home} />
        </>
      )}
    </Page>
  );
}

/** Numbers beside the title, each a link to its list. */
function SeatCounts({ people, billable }: { people: number; billable: number | undefined }) {
  const text = pluralize(people, 'person', 'people');
  return (
    <>
      {usePermission('searchUsers').allowed ? <Link to="/users">{text}</Link> : text}
      {billable !== undefined && (
        <>
          {' · '}
          <Link to="/licenses">{formatNumber(billable)} billable</Link>
        </>
      )}
    </>
  );
}

const countPeople = ({ standard, limited, free, none }: LicenseSeats): number =>
  standard + limited + free + none;

/** Things whose pages were opened last in this tab. */
function RecentCard() {
  const pages = getRecentPages('/');
  if (pages.length === 0) return null;
  return (
    <HomeCard title="Recently opened">
      <ul className="home-recent" aria-label="Recently opened">
        {pages.map(({ path, title, kind }) => (
          <li key={path}>
            <Link to={path}>{title}</Link>
            <span>{kind}</span>
          </li>
        ))}
      </ul>
    </HomeCard>
  );
}

/** Capabilities of the viewer, folded. */
function PermissionsCard() {
  const session = useSession();
  const held = capabilities.filter(({ name }) => hasAnyCapability(session, [name]));
  return (
    <HomeCard
      title="Your permissions"
      note={held.length === 0 ? 'None of your groups grants a capability on this site.' : undefined}
    >
      {held.length > 0 && (
        <details className="home-permissions" open={held.length <= 6}>
          <summary>{pluralize(held.length, 'capability', 'capabilities')}</summary>
          <dl>
            {held.map(({ name, description }) => (
              <div key={name}>
                <dt>{name}</dt>
                <dd>{description}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </HomeCard>
  );
}
