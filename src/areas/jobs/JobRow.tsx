import { Link } from '@tanstack/react-router';
import {
  Check,
  CircleAlert,
  CircleSlash,
  Clock,
  Pause,
  Play,
  RotateCcw,
  TriangleAlert,
  Undo2,
  X,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Job } from '../../../contract/generated/types.gen.ts';
import { formatNumber } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { IconButton } from '../../ui/button/IconButton.tsx';
import type { Tone } from '../../ui/layout/Badge.tsx';
import { Tile } from '../../ui/layout/Tile.tsx';
import { formatEnded, formatForecast, formatWaiting, isUndoable } from './model/format.ts';
import { JOB_KINDS } from './model/job-kinds.ts';
import { getProcessed, hasEnded, isPending } from './model/progress.ts';
import { useJobActions } from './model/use-job-actions.tsx';
import { useRate } from './model/use-jobs.ts';
import './job-parts.css';

export interface JobRowProps {
  job: Job;
  /** Names who started the job. */
  isOthers?: boolean;
  /** Called when a link is followed. */
  onClose?: () => void;
  /** Closes what contains the row before an action opens a dialog. */
  closeThen?: (act: () => void) => void;
}

const actNow = (act: () => void) => act();

/** A job with its progress or end, and what can be done about it. */
export const JobRow = (props: JobRowProps) =>
  hasEnded(props.job) ? <EndedJob {...props} /> : <OpenJob {...props} />;

interface RowFrameProps extends Pick<JobRowProps, 'job' | 'onClose'> {
  icon: LucideIcon;
  tone: Tone;
  suffix?: string;
  actions: ReactNode;
  children: ReactNode;
}

function RowFrame({ job, onClose, icon, tone, suffix = '', actions, children }: RowFrameProps) {
  return (
    <li className="job-row">
      <Tile icon={icon} tone={tone} />
      <div className="job-row-text">
        <Link to="/jobs/$jobId" params={{ jobId: job.id }} className="job-row-title" onClick={onClose}>
          {job.title}
          {suffix}
        </Link>
        {children}
      </div>
      <div className="job-row-actions">{actions}</div>
    </li>
  );
}

const getOwner = ({ ownerId, ownerName }: Job): string =>
  ownerId === null ? 'Schedule' : (ownerName ?? 'Someone who left the site');

function OpenJob({ job, isOthers = false, closeThen = actNow, onClose }: JobRowProps) {
  const { pause, resume, cancel } = useJobActions(job);
  const turn = pause ?? resume;
  const rate = useRate(job);
  const processed = getProcessed(job);
  const isWaiting = isPending(job);
  const forecast = formatForecast(job, rate);
  return (
    <RowFrame
      job={job}
      onClose={onClose}
      icon={isWaiting ? Clock : JOB_KINDS[job.kind].icon}
      tone={isWaiting ? 'neutral' : job.state === 'paused' ? 'warn' : 'accent'}
      actions={
        <>
          {/* One button, which keeps the focus. */}
          {turn && (
            <IconButton
              label={`${pause ? 'Pause' : 'Resume'}: ${job.title}`}
              icon={pause ? Pause : Play}
              size="small"
              pending={turn.pending}
              disabledReason={turn.disabledReason}
              onClick={turn.run}
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
        <p className="job-row-bad num">
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
    </RowFrame>
  );
}

function getEndIcon({ state, failed, inverseJobId }: Job): { icon: LucideIcon; tone: Tone } {
  if (inverseJobId !== null) return { icon: Undo2, tone: 'neutral' };
  if (state === 'stopped') return { icon: CircleAlert, tone: 'bad' };
  if (state === 'cancelled') return { icon: CircleSlash, tone: 'neutral' };
  return failed > 0 ? { icon: TriangleAlert, tone: 'warn' } : { icon: Check, tone: 'ok' };
}

function EndedJob({ job, isOthers = false, closeThen = actNow, onClose }: JobRowProps) {
  const { retry, undo } = useJobActions(job);
  const canUndo = isUndoable(job);
  return (
    <RowFrame
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
    </RowFrame>
  );
}
