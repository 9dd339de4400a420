import { activities } from '../../../../contract/rules/activity.ts';
import type { ActivityCount } from '../../../api/generated/types.gen.ts';
import type { TimeSeries } from '../../../ui/chart/stack.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MOST = 6;

type Tone = TimeSeries['tone'];
const TONES: readonly Tone[] = [1, 2, 3, 4, 5, 6];
const BAD: Tone = 5;
/** Blue for what went well, red for what failed, grey for ends; whatever comes next takes what is free. */
const LIKED: Readonly<Record<number, Tone>> = {
  1: 1,
  2: BAD,
  3: 4,
  4: 3,
  5: BAD,
  6: BAD,
  7: BAD,
  8: 2,
  9: 6,
  10: 6,
};

/** Types that become one where there are more of them than colours. */
const FOLDS = [
  { label: 'Login Failed, all kinds', types: [2, 5, 6, 7] },
  { label: 'User Switch, Backup Access', types: [9, 10] },
];

interface Kind {
  label: string;
  types: readonly number[];
}

const nameOf = (type: number): string => activities[type] ?? `Type ${type}`;

/** What the chart tells apart: every type that occurs, some together where there are many. */
function kindsOf(types: readonly number[]): Kind[] {
  let kinds: Kind[] = types.map((type) => ({ label: nameOf(type), types: [type] }));
  for (const fold of FOLDS) {
    if (kinds.length <= MOST) break;
    const rest = kinds.filter((kind) => !kind.types.every((type) => fold.types.includes(type)));
    if (rest.length < kinds.length - 1) kinds = [...rest, fold];
  }
  return kinds.toSorted((a, b) => Math.min(...a.types) - Math.min(...b.types));
}

function tonesOf(kinds: readonly Kind[]): Tone[] {
  const free = new Set(TONES);
  const take = (tone: Tone | undefined) => (tone !== undefined && free.delete(tone) ? tone : undefined);
  const liked = kinds.map(({ types }) => take(LIKED[types[0] ?? 0]));
  // Red is the last to be taken by what did not fail.
  const rest = [...free].toSorted((a, b) => Number(a === BAD) - Number(b === BAD));
  return liked.map((tone) => tone ?? rest.shift() ?? 6);
}

interface Period {
  bucket: 'hour' | 'day';
  from: number;
  /** Not part of it. */
  to: number;
}

/** Counts as a chart draws them: every step of the period, empty ones too, and a series for each kind. */
export function drawnOf(counts: readonly ActivityCount[], { bucket, from, to }: Period) {
  const step = bucket === 'hour' ? HOUR : DAY;
  const first = Math.floor(from / step);
  const length = Math.max(1, Math.ceil(to / step) - first);
  const stepAt = (at: number) => new Date((first + at) * step).toISOString();
  const days = Array.from({ length }, (_, at) => (bucket === 'day' ? stepAt(at).slice(0, 10) : stepAt(at)));
  const within = counts.flatMap(({ date, activityTypeId, count }) => {
    const at = Math.floor(Date.parse(date) / step) - first;
    return at >= 0 && at < length ? [{ at, activityTypeId, count }] : [];
  });
  const kinds = kindsOf([...new Set(within.map(({ activityTypeId }) => activityTypeId))]);
  const tones = tonesOf(kinds);
  const series = kinds.map(({ label, types }, which): TimeSeries => {
    const values = Array.from({ length }, () => 0);
    for (const { at, activityTypeId, count } of within)
      if (types.includes(activityTypeId)) values[at] = (values[at] ?? 0) + count;
    return { label, values, tone: tones[which] ?? 6 };
  });
  return { days, series };
}

/** The steps of a chart from one to another as moments. */
export function periodOf(days: readonly string[], first: number, last: number): { from: number; to: number } {
  const begin = Date.parse(days[first] ?? '');
  const end = Date.parse(days[last] ?? '');
  return { from: begin, to: end + (days[last]?.length === 10 ? DAY : HOUR) };
}
