import { Link } from '@tanstack/react-router';
import type { Job } from '../../../../contract/generated/types.gen.ts';
import { formatMoment } from '../../../lib/dates/dates.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { HomeCard } from './HomeCard.tsx';

/** Fewest and most jobs on the card, which ends about where the card beside it ends. */
const [MIN_JOBS, MAX_JOBS] = [3, 5];

interface JobsCardProps {
  jobs: readonly Job[] | undefined;
  error: unknown;
  onRetry: () => void;
  /** Number of rows on the card beside it. */
  rowsBeside: number;
}

/** The latest jobs of the viewer. */
export function JobsCard({ jobs, error, onRetry, rowsBeside }: JobsCardProps) {
  const count = Math.min(MAX_JOBS, Math.max(MIN_JOBS, rowsBeside));
  return (
    <HomeCard
      title="My jobs"
      failure={!jobs && error ? { error, onRetry } : undefined}
      loadingRows={jobs ? undefined : 3}
      note={
        jobs?.length === 0
          ? 'Work on many people or entries runs in the background and is listed here.'
          : undefined
      }
      actions={
        <Link to="/jobs" className="home-all">
          All jobs
        </Link>
      }
    >
      {jobs && jobs.length > 0 && (
        <ul className="home-rows" aria-label="My jobs">
          {jobs.slice(0, count).map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </ul>
      )}
    </HomeCard>
  );
}

function JobRow({ job }: { job: Job }) {
  const { id, title, total, done, unchanged, conflicts, failed, state, createdDate, finishedDate } = job;
  const processed = done + unchanged + conflicts + failed;
  return (
    <li className="home-job">
      <Link to="/jobs/$jobId" params={{ jobId: id }}>
        {title}
      </Link>
      {state === 'running' && <progress value={processed} max={Math.max(1, total)} aria-label={title} />}
      <p className="home-quiet num">
        {state === 'running'
          ? `${formatNumber(processed)} of ${formatNumber(total)}`
          : `${state.charAt(0).toUpperCase()}${state.slice(1)} · ${formatMoment(finishedDate ?? createdDate)}`}
        {failed > 0 && <span className="home-bad"> · {formatNumber(failed)} failed</span>}
      </p>
    </li>
  );
}
