import { useQuery } from '@tanstack/react-query';
import type { Job } from '../../../../contract/generated/types.gen.ts';
import { getJobPaceOptions } from '../../../api/generated/queries/jobs.gen.ts';
import { formatClock, formatTime } from '../../../lib/dates/dates.ts';
import { formatDuration } from '../../../lib/dates/durations.ts';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { describePace } from '../model/pace.ts';
import { isActive } from '../model/progress.ts';
import './pace-chart.css';

const REFRESH_INTERVAL_MS = 5_000;
/** Fewer steps show nothing that the rate does not say. */
const MIN_STEPS = 3;
const HEIGHT = 64;

/** Items of a job over time as bars, with the same as text; nothing for a job that took a few seconds. */
export function PaceChart({ job }: { job: Job }) {
  const { data: pace } = useQuery({
    ...getJobPaceOptions({ path: { jobId: job.id } }),
    refetchInterval: isActive(job) ? REFRESH_INTERVAL_MS : false,
  });
  const last = pace?.steps.at(-1);
  if (!pace || pace.startDate === null || !last || last.step + 1 < MIN_STEPS) return null;
  const { stepSeconds, steps } = pace;
  const start = new Date(pace.startDate);
  const end = new Date(start.getTime() + (last.step + 1) * stepSeconds * 1_000);
  const most = Math.max(...steps.map(({ done, failed }) => done + failed));
  const count = last.step + 1;
  const hasFailed = steps.some(({ failed }) => failed > 0);
  // A job of seconds needs them in the labels.
  const formatLabel = end.getTime() - start.getTime() < 120_000 ? formatTime : formatClock;
  return (
    <Card
      title={stepSeconds === 1 ? 'Every second' : `Every ${formatDuration(stepSeconds)}`}
      actions={
        <ul className="pace-legend">
          <li className="pace-done">done</li>
          {hasFailed && <li className="pace-failed">failed</li>}
        </ul>
      }
    >
      <CardBody>
        <p className="visually-hidden">{describePace(pace, end)}</p>
        <svg className="pace" viewBox={`0 0 ${count} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
          {steps.map(({ step, done, failed }) => {
            const [doneHeight, failedHeight] = [done, failed].map((items) => (items / most) * HEIGHT);
            return (
              <g key={step}>
                <rect
                  className="pace-done"
                  x={step + 0.1}
                  width={0.8}
                  y={HEIGHT - (doneHeight ?? 0)}
                  height={doneHeight}
                />
                <rect
                  className="pace-failed"
                  x={step + 0.1}
                  width={0.8}
                  y={HEIGHT - (doneHeight ?? 0) - (failedHeight ?? 0)}
                  height={failedHeight}
                />
              </g>
            );
          })}
        </svg>
        <p className="pace-axis num" aria-hidden>
          <span>{formatLabel(start)}</span>
          <span>{formatLabel(end)}</span>
        </p>
      </CardBody>
    </Card>
  );
}
