import { Suspense, useCallback, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { cx } from '../cx.ts';
import { later } from '../later.ts';
import { DayTable } from './DayTable.tsx';
import { dayName, sumOn } from './stack.ts';
import type { TimeSeries } from './stack.ts';
import './chart.css';

const Plot = later(() => import('./Plot.tsx'));

interface TimeChartProps {
  /** What is counted: "Licenses by day". */
  label: string;
  /** Days of UTC in order ("2026-11-21"); at least one. Like `series`, keep it as long as it is the same. */
  days: readonly string[];
  /** From the axis upwards. */
  series: readonly TimeSeries[];
  /** So many series from below together have a name of their own, and a line in the plot. */
  sum: { label: string; of: number };
}

const whole = new Intl.NumberFormat();

/**
 * Areas over days. The line over them tells the day that the pointer is on, or the last one; the arrow keys move
 * from day to day, and everything stands in a table as well.
 */
export function TimeChart({ label, days, series, sum }: TimeChartProps) {
  const [pointed, setPointed] = useState<number>();
  const mark = useRef<(at: number | undefined) => void>(undefined);
  const ready = useCallback((lent: typeof mark.current) => {
    mark.current = lent;
  }, []);
  const last = days.length - 1;
  const at = Math.min(pointed ?? last, last);
  const sums = { label: sum.label, value: sumOn(series, sum.of, at) };
  const kinds = series.map(({ label: name, values, tone }) => ({ name, value: values[at] ?? 0, tone }));
  const day = dayName(days[at] ?? '');
  return (
    <figure className="chart" aria-label={label}>
      <Legend day={day} sum={<Count name={sums.label} value={sums.value} />}>
        {kinds.map(({ name, value, tone }) => (
          <Count key={name} name={name} value={value} tone={tone} />
        ))}
      </Legend>
      <div className="chart-plot">
        <Suspense>
          <Plot days={days} series={series} sumOf={sum.of} onPoint={setPointed} onReady={ready} />
        </Suspense>
        <input
          type="range"
          className="chart-day"
          aria-label={`Day of ${label}`}
          aria-valuetext={[
            day,
            `${sums.label} ${whole.format(sums.value)}`,
            ...kinds.map(({ name, value }) => `${name} ${whole.format(value)}`),
          ].join(', ')}
          min={0}
          max={last}
          value={at}
          onFocus={() => mark.current?.(at)}
          onBlur={() => mark.current?.(undefined)}
          onChange={({ target }) => {
            setPointed(Number(target.value));
            mark.current?.(Number(target.value));
          }}
        />
      </div>
      <DayTable label={label} days={days} series={series} sum={sum} />
    </figure>
  );
}

function Legend({ day, sum, children }: { day: string; sum: ReactNode; children: ReactNode }) {
  return (
    <div className="chart-legend num" aria-hidden>
      <span className="chart-legend-day">{day}</span>
      {sum}
      {children}
    </div>
  );
}

function Count({ name, value, tone }: { name: string; value: number; tone?: number }) {
  return (
    <span className="chart-count">
      <i className={cx('chart-swatch', tone === undefined ? 'chart-swatch-sum' : `chart-tone-${tone}`)} />
      {name} <b>{whole.format(value)}</b>
    </span>
  );
}
