import { useState } from 'react';
import { isDay, stepName, sumOn } from './stack.ts';
import type { TimeSeries } from './stack.ts';

interface DayTableProps {
  label: string;
  days: readonly string[];
  series: readonly TimeSeries[];
  sum: { label: string; of: number };
  /** Goes into one step. */
  onChoose?: ((at: number) => void) | undefined;
}

const whole = new Intl.NumberFormat();

/** The same in words and numbers, the newest first; drawn when it is asked for. */
export function DayTable(props: DayTableProps) {
  const [open, setOpen] = useState(false);
  return (
    <details className="chart-table" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Show as table</summary>
      {open && <Days {...props} />}
    </details>
  );
}

function Days({ label, days, series, sum, onChoose }: DayTableProps) {
  return (
    // What scrolls must be reached by the keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <section className="chart-table-scroll" aria-label={`${label}, table`} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{days.every(isDay) ? 'Day' : 'Hour'}</th>
            <th scope="col">{sum.label}</th>
            {series.map((one) => (
              <th key={one.label} scope="col">
                {one.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days
            .map((day, at) => (
              <tr key={day}>
                <th scope="row">
                  {onChoose ? (
                    <button type="button" className="chart-table-step" onClick={() => onChoose(at)}>
                      <span className="visually-hidden">Zoom to </span>
                      {stepName(day)}
                    </button>
                  ) : (
                    stepName(day)
                  )}
                </th>
                <td>{whole.format(sumOn(series, sum.of, at))}</td>
                {series.map(({ label: name, values }) => (
                  <td key={name}>{whole.format(values[at] ?? 0)}</td>
                ))}
              </tr>
            ))
            .toReversed()}
        </tbody>
      </table>
    </section>
  );
}
