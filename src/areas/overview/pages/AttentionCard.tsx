import { Link } from '@tanstack/react-router';
import { CircleAlert, CircleCheck, TriangleAlert } from 'lucide-react';
import type { Job } from '../../../../contract/generated/types.gen.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { findFailedJobs } from '../model/attention.ts';
import type { AttentionItem } from '../model/attention.ts';
import { HomeCard, StatusRow } from './HomeCard.tsx';
import type { HomeFailure } from './HomeCard.tsx';

interface AttentionCardProps {
  items: readonly AttentionItem[];
  isLoading: boolean;
  /** Why some of it could not be checked. */
  failure: HomeFailure | undefined;
  jobs: readonly Job[];
  now: Date;
}

/** What needs attention, each with the page where it is acted on. */
export function AttentionCard({ items, isLoading, failure, jobs, now }: AttentionCardProps) {
  const [failedJob] = findFailedJobs(jobs, now);
  return (
    <HomeCard
      title={items.length > 0 ? `Needs attention (${items.length})` : 'Needs attention'}
      loadingRows={items.length === 0 && isLoading ? 3 : undefined}
      failure={failure}
    >
      {items.length > 0 && (
        <ul className="home-rows" aria-label="Needs attention">
          {items.map(({ id, tone, title, detail }) => (
            <li key={id}>
              <StatusRow
                icon={tone === 'bad' ? CircleAlert : TriangleAlert}
                action={<AttentionAction id={id} jobId={failedJob?.id} />}
                {...{ tone, title, detail }}
              />
            </li>
          ))}
        </ul>
      )}
      {items.length === 0 && !isLoading && !failure && (
        <StatusRow
          tone="ok"
          icon={CircleCheck}
          title="Nothing needs attention"
          detail="Sign-ins, backups, second factors, jobs, keys, memberships, deliveries and imports are checked, as far as you may see them."
        />
      )}
    </HomeCard>
  );
}

/** The page where an item is acted on. */
function AttentionAction({ id, jobId }: { id: AttentionItem['id']; jobId: number | undefined }) {
  const className = buttonClass({ size: 'small' });
  switch (id) {
    case 'failedSignIns':
      return (
        <Link to="/activity" search={{ range: 30, type: '2-5-6-7' }} className={className}>
          Investigate
        </Link>
      );
    case 'lockedOut':
      return (
        <Link to="/users" search={{ status: 'locked' }} className={className}>
          Show users
        </Link>
      );
    case 'backup':
      return (
        <Link to="/backups/schedule" className={className}>
          Open schedule
        </Link>
      );
    case 'secondFactor':
      return (
        <Link to="/settings/two-factor" className={className}>
          Show them
        </Link>
      );
    case 'memberships':
      return (
        <Link to="/invitations" search={{ soon: true }} className={className}>
          Review
        </Link>
      );
    case 'deliveries':
    case 'lostEvents':
      return (
        <Link to="/publications/{-$list}" params={{ list: 'destinations' }} className={className}>
          Show destinations
        </Link>
      );
    case 'imports':
      return (
        <Link to="/imports" className={className}>
          Plan import
        </Link>
      );
    case 'jobs':
      return jobId === undefined ? (
        <Link to="/jobs" className={className}>
          See why
        </Link>
      ) : (
        <Link to="/jobs/$jobId" params={{ jobId }} className={className}>
          See why
        </Link>
      );
    case 'tasks':
    case 'storage':
      return (
        <Link to="/settings" className={className}>
          Open settings
        </Link>
      );
    case 'apiKey':
      return (
        <Link to="/profile" className={className}>
          Replace key
        </Link>
      );
  }
  return null;
}
