import { Link } from '@tanstack/react-router';
import {
  CircleSlash,
  Check,
  Info,
  ListChecks,
  Pause,
  Play,
  RotateCcw,
  TriangleAlert,
  Undo2,
  X,
  CircleAlert,
  Clock,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode, RefObject } from 'react';
import { flushSync } from 'react-dom';
import type { Job } from '../../../../contract/generated/types.gen.ts';
import { useSession } from '../../../api/session.ts';
import { isToday } from '../../../lib/dates/dates.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { SegmentedControl } from '../../../ui/chart/SegmentedControl.tsx';
import { preloadConfirmDialog } from '../../../ui/dialog/ConfirmHost.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import type { Tone } from '../../../ui/layout/Badge.tsx';
import { Tile } from '../../../ui/layout/Tile.tsx';
import PopoverCard from '../../../ui/menu/PopoverCard.tsx';
import { formatEnded, formatForecast, formatWaiting, isUndoable } from '../model/format.ts';
import { JOB_KINDS } from '../model/job-kinds.ts';
import { getProcessed, hasEnded, isPending } from '../model/progress.ts';
import { useJobActions } from '../model/use-job-actions.tsx';
import { useJobs, useRate } from '../model/use-jobs.ts';
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
  // Returns the focus before a dialog opens, so that the dialog restores it to the button.
  const closeThen = (act: () => void) => {
    flushSync(onClose);
    anchor.current?.focus();
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
            <div className="jobs-pop-row">
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

interface RowContext {
  closeThen: (act: () => void) => void;
  onClose: () => void;
}

function JobGroups({ open, ended, isOthers, ...context }: Jobs & RowContext & { isOthers: boolean }) {
  if (open.length + ended.length === 0) {
    return (
      <EmptyState icon={ListChecks} title={isOthers ? 'No jobs of others today' : 'No jobs today'}>
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
              <OpenJob key={job.id} job={job} isOthers={isOthers} {...context} />
            ))}
          </ul>
        </section>
      )}
      {ended.length > 0 && (
        <section aria-label="Finished today">
          <h3 className="jobs-pop-label">Finished today</h3>
          <ul>
            {ended.map((job) => (
              <EndedJob key={job.id} job={job} isOthers={isOthers} {...context} />
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

interface RowProps extends RowContext {
  job: Job;
  isOthers: boolean;
}

interface JobRowProps extends Pick<RowProps, 'job' | 'onClose'> {
  icon: LucideIcon;
  tone: Tone;
  suffix?: string;
  actions: ReactNode;
  children: ReactNode;
}

function JobRow({ job, onClose, icon, tone, suffix = '', actions, children }: JobRowProps) {
  return (
    <li className="jobs-pop-row">
      <Tile icon={icon} tone={tone} />
      <div className="jobs-pop-text">
        <Link to="/jobs/$jobId" params={{ jobId: job.id }} className="jobs-pop-title" onClick={onClose}>
          {job.title}
          {suffix}
        </Link>
        {children}
      </div>
      <div className="jobs-pop-actions">{actions}</div>
    </li>
  );
}

const getOwner = ({ ownerId, ownerName }: Job): string =>
  ownerId === null ? 'Schedule' : (ownerName ?? 'Someone who left the site');

function OpenJob({ job, isOthers, closeThen, onClose }: RowProps) {
  const { pause, resume, cancel } = useJobActions(job);
  const rate = useRate(job);
  const processed = getProcessed(job);
  const isWaiting = isPending(job);
  const forecast = formatForecast(job, rate);
  return (
    <JobRow
      job={job}
      onClose={onClose}
      icon={isWaiting ? Clock : JOB_KINDS[job.kind].icon}
      tone={isWaiting ? 'neutral' : job.state === 'paused' ? 'warn' : 'accent'}
      actions={
        <>
          {pause && (
            <IconButton
              label={`Pause: ${job.title}`}
              icon={Pause}
              size="small"
              pending={pause.pending}
              disabledReason={pause.disabledReason}
              onClick={pause.run}
            />
          )}
          {resume && (
            <IconButton
              label={`Resume: ${job.title}`}
              icon={Play}
              size="small"
              pending={resume.pending}
              disabledReason={resume.disabledReason}
              onClick={resume.run}
            />
          )}
          {cancel && (
            <IconButton
              label={`Cancel: ${job.title}`}
              icon={X}
              size="small"
              disabledReason={cancel.disabledReason}
              onClick={() => closeThen(cancel.run)}
            />
          )}
        </>
      }
    >
      {!isWaiting && (
        <progress className="job-bar" value={processed} max={job.total} aria-label={job.title} />
      )}
      <p className="num">
        {isOthers && `${getOwner(job)} · `}
        {isWaiting ? (
          formatWaiting(job)
        ) : (
          <>
            <b>{formatNumber(processed)}</b> of {formatNumber(job.total)}
            {job.state === 'paused' && ' · paused'}
            {job.state === 'waiting' && ` · ${formatWaiting(job)}`}
            {forecast !== undefined && ` · ${forecast}`}
          </>
        )}
      </p>
      {job.failed > 0 && (
        <p className="jobs-pop-bad num">
          {formatNumber(job.failed)} failed so far.{' '}
          <Link
            to="/jobs/$jobId"
            params={{ jobId: job.id }}
            search={{ state: 'failed' }}
            aria-label={`See why: ${job.title}`}
            onClick={onClose}
          >
            See why
          </Link>
        </p>
      )}
    </JobRow>
  );
}

function getEndIcon({ state, failed, inverseJobId }: Job): { icon: LucideIcon; tone: Tone } {
  if (inverseJobId !== null) return { icon: Undo2, tone: 'neutral' };
  if (state === 'stopped') return { icon: CircleAlert, tone: 'bad' };
  if (state === 'cancelled') return { icon: CircleSlash, tone: 'neutral' };
  return failed > 0 ? { icon: TriangleAlert, tone: 'warn' } : { icon: Check, tone: 'ok' };
}

function EndedJob({ job, isOthers, closeThen, onClose }: RowProps) {
  const { retry, undo } = useJobActions(job);
  const canUndo = isUndoable(job);
  return (
    <JobRow
      job={job}
      onClose={onClose}
      {...getEndIcon(job)}
      suffix={job.failed > 0 ? `, ${formatNumber(job.failed)} failed` : ''}
      actions={
        <>
          {retry && (
            <Button
              size="small"
              icon={RotateCcw}
              pending={retry.pending}
              disabledReason={retry.disabledReason}
              aria-label={`Retry ${formatNumber(job.failed)}: ${job.title}`}
              onClick={retry.run}
            >
              Retry {formatNumber(job.failed)}
            </Button>
          )}
          {canUndo && retry && (
            <IconButton
              label={`Undo: ${job.title}`}
              icon={Undo2}
              variant="default"
              size="small"
              disabledReason={undo.disabledReason}
              onClick={() => closeThen(undo.run)}
            />
          )}
          {canUndo && !retry && (
            <Button
              size="small"
              icon={Undo2}
              disabledReason={undo.disabledReason}
              aria-label={`Undo: ${job.title}`}
              onClick={() => closeThen(undo.run)}
            >
              Undo
            </Button>
          )}
        </>
      }
    >
      <p className="num">
        {isOthers && `${getOwner(job)} · `}
        {formatEnded(job)}
      </p>
    </JobRow>
  );
}
