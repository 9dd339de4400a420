import { Link } from '@tanstack/react-router';
import { Info, ListChecks } from 'lucide-react';
import { useState } from 'react';
import type { RefObject } from 'react';
import type { Job } from '../../../../contract/generated/types.gen.ts';
import { useSession } from '../../../api/session.ts';
import { isToday } from '../../../lib/dates/dates.ts';
import { preloadConfirmDialog } from '../../../ui/dialog/ConfirmHost.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { closeAndFocus } from '../../../ui/menu/close-and-focus.ts';
import PopoverCard from '../../../ui/menu/PopoverCard.tsx';
import { JobRow } from '../JobRow.tsx';
import type { JobRowProps } from '../JobRow.tsx';
import { hasEnded } from '../model/progress.ts';
import { useJobs } from '../model/use-jobs.ts';
import '../../../ui/layout/tone.css';
import '../job-parts.css';
import './jobs-popover.css';

type Owner = 'own' | 'others';

interface JobsPopoverProps {
  anchor: RefObject<HTMLElement | null>;
  onClose: () => void;
}

/** Popover of the job center: open jobs and those that ended today. */
export default function JobsPopover({ anchor, onClose }: JobsPopoverProps) {
  const canSeeOthers = useSession().capabilities.includes('View Activity');
  const [owner, setOwner] = useState<Owner>('own');
  const own = useJobs('own', true);
  const others = useJobs('others', canSeeOthers);
  const lists = { own: own && selectJobs(own), others: others && selectJobs(others) };
  const shown = lists[owner];
  const closeThen = (act: () => void) => {
    closeAndFocus(onClose, anchor);
    act();
  };
  return (
    <PopoverCard label="Jobs" anchor={anchor} onClose={onClose}>
      <div className="jobs-pop" onPointerEnter={preloadConfirmDialog} onFocus={preloadConfirmDialog}>
        <header className="jobs-pop-head">
          <h2>Jobs</h2>
          {canSeeOthers && (
            <SegmentedControl
              label="Started by"
              value={owner}
              onChange={setOwner}
              options={[
                { value: 'own', label: 'Mine', count: countJobs(lists.own) },
                { value: 'others', label: 'Others’', count: countJobs(lists.others) },
              ]}
            />
          )}
          <Link to="/jobs" search={{ owner }} onClick={onClose}>
            All jobs
          </Link>
        </header>
        <div className="jobs-pop-body">
          {shown === undefined ? (
            <div className="job-row">
              <Skeleton width="60%" />
            </div>
          ) : (
            <JobGroups {...shown} closeThen={closeThen} onClose={onClose} isOthers={owner === 'others'} />
          )}
        </div>
        <footer className="jobs-pop-foot">
          <Info />
          Jobs continue when you close this window.
        </footer>
      </div>
    </PopoverCard>
  );
}

interface Jobs {
  open: readonly Job[];
  ended: readonly Job[];
}

const countJobs = (jobs: Jobs | undefined) => jobs && jobs.open.length + jobs.ended.length;

const STATE_ORDER: Partial<Record<Job['state'], number>> = { running: 0, paused: 1, waiting: 2 };

/** Jobs of the popover: the open ones, running first, and those that ended today, last first. */
function selectJobs(jobs: readonly Job[]): Jobs {
  return {
    open: jobs
      .filter((job) => !hasEnded(job))
      .toSorted((a, b) => (STATE_ORDER[a.state] ?? 0) - (STATE_ORDER[b.state] ?? 0) || a.id - b.id),
    ended: jobs
      .filter(({ finishedDate }) => finishedDate !== null && isToday(finishedDate))
      .toSorted((a, b) => Date.parse(b.finishedDate ?? '') - Date.parse(a.finishedDate ?? '')),
  };
}

function JobGroups({ open, ended, ...row }: Jobs & Omit<JobRowProps, 'job'>) {
  if (open.length + ended.length === 0) {
    return (
      <EmptyState icon={ListChecks} title={row.isOthers ? 'No jobs of others today' : 'No jobs today'}>
        Work on many people or entries runs in the background and is listed here.
      </EmptyState>
    );
  }
  return (
    <>
      {open.length > 0 && (
        <section aria-label="Running">
          <h3 className="jobs-pop-label">Running</h3>
          <ul>
            {open.map((job) => (
              <JobRow key={job.id} job={job} {...row} />
            ))}
          </ul>
        </section>
      )}
      {ended.length > 0 && (
        <section aria-label="Finished today">
          <h3 className="jobs-pop-label">Finished today</h3>
          <ul>
            {ended.map((job) => (
              <JobRow key={job.id} job={job} {...row} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
