import { Suspense, useCallback, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { cx } from '../cx.ts';
import { lazyWithPreload } from '../lazy.tsx';
import { formatStep, getStepName, sumSeriesAt } from './time-series.ts';
import type { TimeSeries } from './time-series.ts';
import './chart.css';

const Plot = lazyWithPreload(() => import('./Plot.tsx'));

interface TimeChartProps {
  /** Accessible name: "Licenses by day". */
  label: string;
  /**
   * Days in UTC ("2026-11-21") or timestamps at equal distances, ascending, at least one. Keep the identity of this array
   * and of `series` while they are unchanged.
   */
  steps: readonly string[];
  /** Series from the bottom up. */
  series: readonly TimeSeries[];
  /** Name of the total of the first `of` series, which is drawn as a line. */
  total: { label: string; of: number };
  /** Number of steps at the end that are a forecast; the chart starts at the step before them. */
  forecastCount?: number;
  /** Whether values are counts within a step, drawn as bars, instead of states, drawn as areas. */
  isBarChart?: boolean;
  /** Called to zoom into a range of steps: by dragging, by Enter, or from the table. */
  onZoom?: ((first: number, last: number) => void) | undefined;
}

const numberFormat = new Intl.NumberFormat();

/**
 * Chart of counts over time. The legend shows the hovered step, by default the last one that is no forecast; arrow keys move between steps,
 * and a table contains all values.
 */
export function TimeChart(props: TimeChartProps) {
  const { label, steps, series, total, forecastCount = 0, isBarChart = false, onZoom } = props;
  const [hoveredIndex, setHoveredIndex] = useState<number>();
  const moveMarker = useRef<(at: number | undefined) => void>(undefined);
  const handleReady = useCallback((move: typeof moveMarker.current) => {
    moveMarker.current = move;
  }, []);
  const lastIndex = steps.length - 1;
  const forecastFrom = steps.length - forecastCount;
  const index = Math.min(hoveredIndex ?? Math.max(0, forecastFrom - 1), lastIndex);
  const totalValue = { label: total.label, value: sumSeriesAt(series, total.of, index) };
  const seriesValues = series.map(({ label: name, values, tone }) => ({
    name,
    value: values[index] ?? 0,
    tone,
  }));
  const day = formatStep(steps[index] ?? '1970-01-01');
  const stepText = index < forecastFrom ? day : `${day}, forecast`;
  return (
    <figure className={cx('chart', isBarChart && 'chart-bars')} aria-label={label}>
      <Legend day={stepText} sum={<LegendItem name={totalValue.label} value={totalValue.value} />}>
        {seriesValues.map(({ name, value, tone }) => (
          <LegendItem key={name} name={name} value={value} tone={tone} />
        ))}
      </Legend>
      <div className="chart-plot">
        <Suspense>
          <Plot
            {...{ steps, series, forecastCount, isBarChart, onZoom }}
            totalSeriesCount={total.of}
            onHover={setHoveredIndex}
            onReady={handleReady}
          />
        </Suspense>
        <input
          type="range"
          className="chart-day"
          aria-label={`${getStepName(steps)} of ${label}`}
          aria-valuetext={[
            stepText,
            `${totalValue.label} ${numberFormat.format(totalValue.value)}`,
            ...seriesValues.map(({ name, value }) => `${name} ${numberFormat.format(value)}`),
          ].join(', ')}
          aria-keyshortcuts={onZoom && 'Enter'}
          min={0}
          max={lastIndex}
          value={index}
          onFocus={() => moveMarker.current?.(index)}
          onBlur={() => moveMarker.current?.(undefined)}
          onChange={({ target }) => {
            setHoveredIndex(Number(target.value));
            moveMarker.current?.(Number(target.value));
          }}
          onKeyDown={({ key }) => {
            if (key === 'Enter') onZoom?.(index, index);
          }}
        />
      </div>
      <TimeTable
        {...{ label, steps, series, total, forecastFrom }}
        onSelect={onZoom && ((one) => onZoom(one, one))}
      />
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

function LegendItem({ name, value, tone }: { name: string; value: number; tone?: number }) {
  return (
    <span className="chart-count">
      <i className={cx('chart-swatch', tone === undefined ? 'chart-swatch-sum' : `chart-tone-${tone}`)} />
      {name} <b>{numberFormat.format(value)}</b>
    </span>
  );
}

interface TimeTableProps {
  label: string;
  steps: readonly string[];
  series: readonly TimeSeries[];
  total: { label: string; of: number };
  /** Index of the first step that is a forecast. */
  forecastFrom: number;
  /** Called with the index of a selected step. */
  onSelect?: ((at: number) => void) | undefined;
}

/** Table with the values of the chart, newest first; rendered when it is opened. */
function TimeTable(props: TimeTableProps) {
  const [open, setOpen] = useState(false);
  return (
    <details className="chart-table" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Show as table</summary>
      {open && <TimeTableContent {...props} />}
    </details>
  );
}

function TimeTableContent({ label, steps, series, total, forecastFrom, onSelect }: TimeTableProps) {
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable regions must be focusable
    <section className="chart-table-scroll" aria-label={`${label}, table`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{getStepName(steps)}</th>
            <th scope="col">{total.label}</th>
            {series.map((one) => (
              <th key={one.label} scope="col">
                {one.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps
            .map((day, at) => (
              <tr key={day}>
                <th scope="row">
                  {onSelect ? (
                    <button type="button" className="chart-table-step" onClick={() => onSelect(at)}>
                      <span className="visually-hidden">Zoom to </span>
                      {formatStep(day)}
                    </button>
                  ) : (
                    formatStep(day)
                  )}
                  {at >= forecastFrom && ' (forecast)'}
                </th>
                <td>{numberFormat.format(sumSeriesAt(series, total.of, at))}</td>
                {series.map(({ label: name, values }) => (
                  <td key={name}>{numberFormat.format(values[at] ?? 0)}</td>
                ))}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </section>
  );
}
