import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { SeatTotal } from '../../../../contract/generated/types.gen.ts';
import { licenseTypes } from '../../../../contract/rules/people/licenses.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { StatTile, StatTiles } from '../../../ui/chart/StatTiles.tsx';
import { countByDay, SIGN_IN } from '../model/attention.ts';
import { describeChange, describePeriod, formatDay, pickDailyValues, sumKnown } from '../model/figures.ts';
import type { DailyValues } from '../model/figures.ts';
import { Sparkline } from './Sparkline.tsx';
import type { Home } from './use-home.ts';
import './home.css';

/** A figure of the site over the last days. */
interface Figure {
  name: string;
  /** Page of what is counted. */
  link: ReactNode;
  /** Undefined while they are loading. */
  values: DailyValues | undefined;
  isFailed: boolean;
  /** Whether values are counts of a day, whose sum is shown, instead of states at its end. */
  isSum?: boolean;
  format: (value: number) => string;
  limit?: number | undefined;
  /** Stands after the change. */
  addition?: string | undefined;
}

/** Agreed seats of all billable types together; undefined where one of them has no limit. */
function sumBillableTotals(totals: readonly SeatTotal[] | undefined): number | undefined {
  const billable = licenseTypes.filter(({ isBillable }) => isBillable);
  const agreed = billable.map(
    ({ licenseTypeId }) => totals?.find((each) => each.licenseTypeId === licenseTypeId)?.total ?? undefined,
  );
  return agreed.reduce((sum, total) => (sum === undefined || total === undefined ? undefined : sum + total));
}

function describeRoom(limit: number | undefined, value: number | null | undefined, word: string) {
  if (limit === undefined || value === null || value === undefined) return undefined;
  return value > limit
    ? `${formatNumber(value - limit)} more than agreed`
    : `${formatNumber(limit - value)} ${word}`;
}

/** The figures that the viewer may read. */
function listFigures({ days, may, ...home }: Home): Figure[] {
  const seats = home.seats.data?.map(({ billable }) => billable);
  const seatLimit = sumBillableTotals(home.seatTotals.data);
  const pick = (figure: 'entries' | 'changes' | 'storageBytes') =>
    home.figures.data && pickDailyValues(home.figures.data, figure, days);
  const storageLimit = home.settings.data?.storageLimitBytes ?? undefined;
  const areFiguresFailed = home.figures.isError;
  return [
    may.activity && {
      name: 'Sign-ins',
      link: (
        <Link to="/activity" search={{ range: 30, type: 1 }}>
          Sign-ins
        </Link>
      ),
      values: home.activity.data && countByDay(home.activity.data.counts, [SIGN_IN], days),
      isFailed: home.activity.isError,
      isSum: true,
      format: formatNumber,
    },
    may.seats && {
      name: 'Billable seats',
      link: <Link to="/licenses">Billable seats</Link>,
      values: seats,
      isFailed: home.seats.isError,
      format: formatNumber,
      limit: seatLimit,
      addition: describeRoom(seatLimit, seats?.at(-1), 'left'),
    },
    may.entries && {
      name: 'Entries',
      link: (
        <Link to="/entries" search={{}}>
          Entries
        </Link>
      ),
      values: pick('entries'),
      isFailed: areFiguresFailed,
      format: formatNumber,
    },
    may.changes && {
      name: 'Changes of entries',
      link: (
        <Link to="/changes" search={{ since: 'month' }}>
          Changes of entries
        </Link>
      ),
      values: pick('changes'),
      isFailed: areFiguresFailed,
      isSum: true,
      format: formatNumber,
    },
    may.settings && {
      name: 'Storage for files',
      link: <Link to="/settings">Storage for files</Link>,
      values: pick('storageBytes'),
      isFailed: areFiguresFailed,
      format: formatSize,
      limit: storageLimit,
    },
  ].filter((figure) => figure !== false);
}

/** Key figures of the last 30 days, as far as the viewer may read them. */
export function Figures({ home }: { home: Home }) {
  const figures = listFigures(home);
  const { days } = home;
  if (figures.length === 0) return null;
  return (
    <section className="home-figures" aria-label={`Figures of the last ${days.length} days`}>
      <StatTiles areNotesBelow>
        {figures.map((figure) => (
          <FigureTile key={figure.name} figure={figure} days={days} />
        ))}
      </StatTiles>
      <FiguresTable figures={figures} days={days} />
    </section>
  );
}

function FigureTile({ figure, days }: { figure: Figure; days: readonly string[] }) {
  const { name, link, values, isFailed, isSum = false, format, limit, addition } = figure;
  const now = values && (isSum ? sumKnown(values) : (values.at(-1) ?? 0));
  const change = values && (isSum ? describePeriod(values, days) : describeChange(values, days, format));
  const note = [change, addition].filter((part) => part !== undefined).join(' · ');
  if (!values && isFailed) return <StatTile label={link} value="–" note="Not loaded" />;
  return (
    // The note takes its line while it is loading, so that nothing moves.
    <StatTile label={link} value={now === undefined ? undefined : format(now)} note={note || '\u00A0'}>
      <Sparkline {...{ label: name, values, days, isBarChart: isSum, limit, format }} />
    </StatTile>
  );
}

interface FiguresTableProps {
  figures: readonly Figure[];
  days: readonly string[];
}

/** Values of all small charts, newest first; rendered when it is opened. */
function FiguresTable({ figures, days }: FiguresTableProps) {
  const [open, setOpen] = useState(false);
  return (
    <details className="chart-table" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Show as table</summary>
      {open && (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- scrollable regions must be focusable
        <section className="chart-table-scroll" aria-label="Figures by day, table" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Day</th>
                {figures.map(({ name }) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {days
                .map((day, index) => (
                  <tr key={day}>
                    <th scope="row">{index === days.length - 1 ? 'Today' : formatDay(day)}</th>
                    {figures.map(({ name, values, format }) => {
                      const value = values?.[index] ?? null;
                      return <td key={name}>{value === null ? '–' : format(value)}</td>;
                    })}
                  </tr>
                ))
                .toReversed()}
            </tbody>
          </table>
        </section>
      )}
    </details>
  );
}
