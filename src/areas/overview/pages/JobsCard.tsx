import { Link } from '@tanstack/react-router';
import type { Job } from '../../../../contract/generated/types.gen.ts';
import { JobRow } from '../../jobs/index.ts';
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
        <ul aria-label="My jobs">
          {jobs.slice(0, count).map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </ul>
      )}
    </HomeCard>
  );
}
