import type { ActivityCount } from '../../../../contract/generated/types.gen.ts';
import { activityNames } from '../../../../contract/rules/activity.ts';
import type { TimeSeries } from '../../../ui/chart/time-series.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_SERIES = 6;

type Tone = TimeSeries['tone'];
const TONES: readonly Tone[] = [1, 2, 3, 4, 5, 6];
const FAILURE_TONE: Tone = 5;
/** Preferred colours: blue for success, red for failures, grey for ends of sessions. Others take what is left. */
const PREFERRED_TONES: Readonly<Record<number, Tone>> = {
  1: 1,
  2: FAILURE_TONE,
  3: 4,
  4: 3,
  5: FAILURE_TONE,
  6: FAILURE_TONE,
  7: FAILURE_TONE,
  8: 2,
  9: 6,
  10: 6,
};

/** Types that are combined when there are more types than colours. */
const MERGED_CATEGORIES = [
  { label: 'Login Failed, all kinds', types: [2, 5, 6, 7] },
  { label: 'User Switch, Backup Access', types: [9, 10] },
];

interface Category {
  label: string;
  types: readonly number[];
}

const getTypeName = (type: number): string => activityNames[type] ?? `Type ${type}`;

/** One category per type that occurs; some types are combined if there are too many. */
function buildCategories(types: readonly number[]): Category[] {
  let categories: Category[] = types.map((type) => ({ label: getTypeName(type), types: [type] }));
  for (const fold of MERGED_CATEGORIES) {
    if (categories.length <= MAX_SERIES) break;
    const rest = categories.filter((category) => !category.types.every((type) => fold.types.includes(type)));
    if (rest.length < categories.length - 1) categories = [...rest, fold];
  }
  return categories.toSorted((a, b) => Math.min(...a.types) - Math.min(...b.types));
}

function assignTones(categories: readonly Category[]): Tone[] {
  const free = new Set(TONES);
  const take = (tone: Tone | undefined) => (tone !== undefined && free.delete(tone) ? tone : undefined);
  const preferred = categories.map(({ types }) => take(PREFERRED_TONES[types[0] ?? 0]));
  // Red is assigned last to types that are not failures.
  const rest = [...free].toSorted((a, b) => Number(a === FAILURE_TONE) - Number(b === FAILURE_TONE));
  return preferred.map((tone) => tone ?? rest.shift() ?? 6);
}

interface ChartPeriod {
  bucket: 'hour' | 'day';
  from: number;
  /** Exclusive. */
  to: number;
}

/** Converts counts to chart series: one value per bucket of the period, including empty ones, and a series per category. */
export function buildChartSeries(counts: readonly ActivityCount[], { bucket, from, to }: ChartPeriod) {
  const step = bucket === 'hour' ? HOUR_MS : DAY_MS;
  const first = Math.floor(from / step);
  const length = Math.max(1, Math.ceil(to / step) - first);
  const getStepStart = (at: number) => new Date((first + at) * step).toISOString();
  const steps = Array.from({ length }, (_, at) =>
    bucket === 'day' ? getStepStart(at).slice(0, 10) : getStepStart(at),
  );
  const within = counts.flatMap(({ date, activityTypeId, count }) => {
    const at = Math.floor(Date.parse(date) / step) - first;
    return at >= 0 && at < length ? [{ at, activityTypeId, count }] : [];
  });
  const categories = buildCategories([...new Set(within.map(({ activityTypeId }) => activityTypeId))]);
  const tones = assignTones(categories);
  const series = categories.map(({ label, types }, index): TimeSeries => {
    const values = Array.from({ length }, () => 0);
    for (const { at, activityTypeId, count } of within)
      if (types.includes(activityTypeId)) values[at] = (values[at] ?? 0) + count;
    return { label, values, tone: tones[index] ?? 6 };
  });
  return { steps, series };
}

/** Period covered by a range of buckets. */
export function getChartPeriod(
  steps: readonly string[],
  first: number,
  last: number,
): { from: number; to: number } {
  const start = Date.parse(steps[first] ?? '');
  const end = Date.parse(steps[last] ?? '');
  return { from: start, to: end + (steps[last]?.length === 10 ? DAY_MS : HOUR_MS) };
}
