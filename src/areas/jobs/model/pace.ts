import type { JobPace } from '../../../../contract/generated/types.gen.ts';
import { formatTime } from '../../../lib/dates/dates.ts';
import { formatDuration } from '../../../lib/dates/durations.ts';
import { formatNumber } from '../../../lib/numbers.ts';

/** The chart in words: its time, how many items a step has, and when items failed. */
export function describePace({ stepSeconds, startDate, steps }: JobPace, end: Date): string {
  const totals = steps.map(({ done, failed }) => done + failed);
  const failing = steps.filter(({ failed }) => failed > 0);
  const [firstFailing] = failing;
  const start = startDate === null ? end : new Date(startDate);
  const failed = failing.reduce((sum, step) => sum + step.failed, 0);
  return [
    `From ${formatTime(start)} to ${formatTime(end)}`,
    `${formatNumber(Math.min(...totals))} to ${formatNumber(Math.max(...totals))} in ${stepSeconds === 1 ? 'a second' : formatDuration(stepSeconds)}`,
    ...(firstFailing
      ? [
          `${formatNumber(failed)} failed, the first at ${formatTime(new Date(start.getTime() + firstFailing.step * stepSeconds * 1_000))}`,
        ]
      : []),
  ].join('; ');
}
