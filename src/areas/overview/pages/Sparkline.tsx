import { toLinePoints } from '../../../ui/chart/line-points.ts';
import { describeChart, findFirstKnown, formatDay } from '../model/figures.ts';
import type { DailyValues } from '../model/figures.ts';
import './home.css';

const WIDTH = 240;
const HEIGHT = 48;
/** Room above the values: half a line of text where the line of a limit lies, and else the width of a stroke. */
const TOP_WITH_LIMIT = 8;
const TOP = 2;
const BAR_SHARE = 0.78;

interface SparklineProps {
  /** Name of the figure, for screen readers. */
  label: string;
  /** Undefined while they are loading; the chart then takes its room only. */
  values: DailyValues | undefined;
  days: readonly string[];
  /** Whether values are counts of a day, drawn as bars, instead of states at its end, drawn as a line. */
  isBarChart?: boolean;
  /** Value of a dashed line above the others. */
  limit?: number | undefined;
  format: (value: number) => string;
}

/** Values of the last days without axes but the first day and today, whose value is not complete. A table has all of them. */
export function Sparkline({ label, values, days, isBarChart = false, limit, format }: SparklineProps) {
  const first = values ? findFirstKnown(values) : 0;
  const start = days[Math.max(0, first)] ?? '';
  const description = [
    `${label} by day: ${values ? describeChart(values, days, format) : 'loading'}`,
    ...(limit === undefined ? [] : [`limit ${format(limit)}`]),
  ].join(', ');
  return (
    <div className="home-spark">
      {limit !== undefined && (
        <span className="home-spark-limit num" aria-hidden>
          {format(limit)}
        </span>
      )}
      <span className="visually-hidden">{description}</span>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden>
        {values && (isBarChart ? <Bars values={values} /> : <Line {...{ values, limit }} />)}
      </svg>
      <span aria-hidden>{days.length > 0 && formatDay(days[0] ?? '')}</span>
      <span aria-hidden>{first > 0 && first < days.length - 1 && `measured since ${formatDay(start)}`}</span>
      <span aria-hidden>today</span>
    </div>
  );
}

function Bars({ values }: { values: DailyValues }) {
  const peak = Math.max(1, ...values.map((value) => value ?? 0));
  const step = WIDTH / values.length;
  return values.map((value, index) => {
    const height = ((value ?? 0) / peak) * (HEIGHT - TOP);
    return (
      <rect
        // oxlint-disable-next-line react/no-array-index-key -- a day has no other key
        key={index}
        x={index * step}
        y={HEIGHT - height}
        width={step * BAR_SHARE}
        height={height}
        className={index === values.length - 1 ? 'home-bar-today' : 'home-bar'}
      />
    );
  });
}

function Line({ values, limit }: { values: DailyValues; limit: number | undefined }) {
  const first = findFirstKnown(values);
  if (first === -1) return null;
  // A day that nobody measured between two others has the value of the day before.
  const known = values.slice(first).reduce<number[]>((all, value) => [...all, value ?? all.at(-1) ?? 0], []);
  const top = limit === undefined ? TOP : TOP_WITH_LIMIT;
  const left = values.length > 1 ? (first * WIDTH) / (values.length - 1) : 0;
  const height = HEIGHT - top - TOP;
  if (known.length === 1)
    return <path d={`M${WIDTH - 2},${HEIGHT - TOP - height / 2}h0.01`} className="home-dot" />;
  const points = toLinePoints(known, WIDTH - left, height, limit);
  return (
    <g transform={`translate(${left.toFixed(1)} ${top})`}>
      <polygon points={`0,${HEIGHT - top} ${points} ${WIDTH - left},${HEIGHT - top}`} className="home-area" />
      <polyline points={points} className="home-line" />
    </g>
  );
}
