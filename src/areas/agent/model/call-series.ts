import type { AgentCallSummary } from '../../../../contract/generated/types.gen.ts';
import type { TimeSeries } from '../../../ui/chart/time-series.ts';

/** Agents with a color of their own; the others share one. */
const MAX_COLORED_AGENTS = 3;
const OTHER_AGENTS = 'Other agents';

type Tone = TimeSeries['tone'];
const OTHER_TONE: Tone = 4;
const REFUSED_TONE: Tone = 5;

/** Tone of an agent by its place among those with most calls; 4 is the color of the others. */
export const getAgentTone = (place: number): 1 | 2 | 3 | 4 =>
  place === 0 ? 1 : place === 1 ? 2 : place === 2 ? 3 : OTHER_TONE;

/**
 * Converts the calls of a summary to chart series: one value per bucket of the period, including empty ones, and a series
 * for each of the three agents with most calls, for the others, and for refused calls of all.
 */
export function buildCallSeries({ agents, buckets, bucketMinutes, dateFrom, dateTo }: AgentCallSummary): {
  steps: string[];
  series: TimeSeries[];
} {
  const bucketMs = bucketMinutes * 60_000;
  const first = Math.floor(Date.parse(dateFrom) / bucketMs);
  const length = Math.max(1, Math.ceil(Date.parse(dateTo) / bucketMs) - first);
  const steps = Array.from({ length }, (_, at) => {
    const start = new Date((first + at) * bucketMs).toISOString();
    return bucketMinutes === 1440 ? start.slice(0, 10) : start;
  });
  const empty = (label: string, tone: Tone) => ({ label, tone, values: steps.map(() => 0) });
  const named = agents.slice(0, MAX_COLORED_AGENTS);
  const byKey = new Map(named.map(({ keyId, keyName }, at) => [keyId, empty(keyName, getAgentTone(at))]));
  const others = empty(OTHER_AGENTS, OTHER_TONE);
  const refusals = empty('Refused', REFUSED_TONE);
  for (const { date, keyId, calls, refused } of buckets) {
    const at = Math.floor(Date.parse(date) / bucketMs) - first;
    if (at < 0 || at >= length) continue;
    const { values } = byKey.get(keyId) ?? others;
    values[at] = (values[at] ?? 0) + calls - refused;
    refusals.values[at] = (refusals.values[at] ?? 0) + refused;
  }
  return {
    steps,
    series: [...byKey.values(), ...(agents.length > MAX_COLORED_AGENTS ? [others] : []), refusals],
  };
}
