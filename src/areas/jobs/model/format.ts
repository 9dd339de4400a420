import type { Job } from '../../../../contract/generated/types.gen.ts';
import { formatNumber } from '../../../lib/numbers.ts';

/** Sentence that says how a job ended: "Deactivate 5 people: finished, 2 failed". */
export function formatEnd({ title, state, failed, conflicts }: Job): string {
  const parts = [
    state,
    ...(failed > 0 ? [`${formatNumber(failed)} failed`] : []),
    ...(conflicts > 0 ? [`${formatNumber(conflicts)} left alone`] : []),
  ];
  return `${title}: ${parts.join(', ')}`;
}
