import { Suspense, useCallback, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { cx } from '../cx.ts';
import { later } from '../later.ts';
import { DayTable } from './DayTable.tsx';
import { isDay, stepName, sumOn } from './stack.ts';
import type { TimeSeries } from './stack.ts';
import './chart.css';

const Plot = later(() => import('./Plot.tsx'));

interface TimeChartProps {
  /** What is counted: "Licenses by day". */
  label: string;
  /**
   * Days of UTC in order ("2026-11-21"), or moments at which hours begin; at least one. Like `series`, keep it as long
   * as it is the same.
   */
  days: readonly string[];
  /** From the axis upwards. */
  series: readonly TimeSeries[];
  /** So many series from below together have a name of their own, and a line in the plot. */
  sum: { label: string; of: number };
  /** What is counted within each step, in place of what stands at it: bars instead of areas. */
  bars?: boolean;
  /** Goes into the steps from one to another: with the pointer over them, with Enter on one, or from the table. */
  onZoom?: ((first: number, last: number) => void) | undefined;
}

const whole = new Intl.NumberFormat();

/**
 * Counts over time. The line over them tells the step that the pointer is on, or the last one; the arrow keys move
 * from step to step, and everything stands in a table as well.
 */
export function TimeChart({ label, days, series, sum, bars = false, onZoom }: TimeChartProps) {
  const [pointed, setPointed] = useState<number>();
  const mark = useRef<(at: number | undefined) => void>(undefined);
  const ready = useCallback((lent: typeof mark.current) => {
    mark.current = lent;
  }, []);
  const last = days.length - 1;
  const at = Math.min(pointed ?? last, last);
  const sums = { label: sum.label, value: sumOn(series, sum.of, at) };
  const kinds = series.map(({ label: name, values, tone }) => ({ name, value: values[at] ?? 0, tone }));
  const day = stepName(days[at] ?? '1970-01-01');
  return (
    <figure className={cx('chart', bars && 'chart-bars')} aria-label={label}>
      <Legend day={day} sum={<Count name={sums.label} value={sums.value} />}>
        {kinds.map(({ name, value, tone }) => (
          <Count key={name} name={name} value={value} tone={tone} />
        ))}
      </Legend>
      <div className="chart-plot">
        <Suspense>
          <Plot {...{ days, series, bars, onZoom }} sumOf={sum.of} onPoint={setPointed} onReady={ready} />
        </Suspense>
        <input
          type="range"
          className="chart-day"
          aria-label={`${days.every(isDay) ? 'Day' : 'Hour'} of ${label}`}
          aria-valuetext={[
            day,
            `${sums.label} ${whole.format(sums.value)}`,
            ...kinds.map(({ name, value }) => `${name} ${whole.format(value)}`),
          ].join(', ')}
          aria-keyshortcuts={onZoom && 'Enter'}
          min={0}
          max={last}
          value={at}
          onFocus={() => mark.current?.(at)}
          onBlur={() => mark.current?.(undefined)}
          onChange={({ target }) => {
            setPointed(Number(target.value));
            mark.current?.(Number(target.value));
          }}
          onKeyDown={({ key }) => {
            if (key === 'Enter') onZoom?.(at, at);
          }}
        />
      </div>
      <DayTable {...{ label, days, series, sum }} onChoose={onZoom && ((one) => onZoom(one, one))} />
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
