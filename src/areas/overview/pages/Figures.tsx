import { Link } from '@tanstack/react-router';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { toLinePoints } from '../../../ui/chart/line-points.ts';
import { StatTile, StatTiles } from '../../../ui/chart/StatTiles.tsx';
import { countByDay, SIGN_IN } from '../model/attention.ts';
import type { Home } from './use-home.ts';
import './home.css';

const CHART_WIDTH = 240;
const CHART_HEIGHT = 44;

/** Values of 30 days as bars or a line, without axes; the figure above says the same in words. */
function Sparkline({ values, isBars = false }: { values: readonly number[]; isBars?: boolean }) {
  const peak = Math.max(1, ...values);
  const step = CHART_WIDTH / Math.max(1, values.length);
  const points = isBars ? '' : toLinePoints(values, CHART_WIDTH, CHART_HEIGHT - 4);
  return (
    <div className="home-spark" aria-hidden>
      <svg viewBox={`0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`} preserveAspectRatio="none">
        {isBars ? (
          values.map((value, index) => {
            const height = (value / peak) * (CHART_HEIGHT - 2);
            return (
              <rect
                // oxlint-disable-next-line react/no-array-index-key -- a day has no other key
                key={index}
                x={index * step}
                y={CHART_HEIGHT - height}
                width={step * 0.78}
                height={height}
                className={index === values.length - 1 ? 'home-bar-today' : 'home-bar'}
              />
            );
          })
        ) : (
          <>
            <polygon
              points={`0,${CHART_HEIGHT} ${points} ${CHART_WIDTH},${CHART_HEIGHT}`}
              className="home-area"
            />
            <polyline points={points} className="home-line" />
          </>
        )}
      </svg>
      <span>30 days ago</span>
      <span>today</span>
    </div>
  );
}

const signed = (value: number): string => `${value > 0 ? '↑' : '↓'} ${formatNumber(Math.abs(value))}`;

/** Key figures of the last 30 days, as far as the viewer may read them. */
export function Figures({ home }: { home: Home }) {
  const { days, may } = home;
  const signIns = home.activity.data && countByDay(home.activity.data.counts, [SIGN_IN], days);
  const billable = home.seats.data?.map(({ billable: seats }) => seats);
  const seatsNow = billable?.at(-1);
  const change = (seatsNow ?? 0) - (billable?.[0] ?? 0);
  const entries = home.types.data?.reduce((sum, { entryCount }) => sum + (entryCount ?? 0), 0);
  const created = home.changes.data?.reduce((sum, count) => sum + count.created, 0);
  const changed = home.changes.data?.reduce((sum, count) => sum + count.changed, 0);
  const storage = home.settings.data;
  if (!may.activity && !may.seats && !may.entries && !may.settings) return null;
  return (
    <StatTiles>
      {may.activity && (
        <StatTile
          label={
            <Link to="/activity" search={{ range: 30, type: 1 }}>
              Sign-ins
            </Link>
          }
          value={signIns ? formatNumber(signIns.reduce((sum, count) => sum + count, 0)) : undefined}
          note="in 30 days"
        >
          {signIns && <Sparkline values={signIns} isBars />}
        </StatTile>
      )}
      {may.seats && (
        <StatTile
          label={<Link to="/licenses">Billable seats</Link>}
          value={seatsNow === undefined ? undefined : formatNumber(seatsNow)}
          note={billable && (change === 0 ? 'as 30 days ago' : `${signed(change)} in 30 days`)}
        >
          {billable && <Sparkline values={billable} />}
        </StatTile>
      )}
      {may.entries && (
        <StatTile
          label={
            <Link to="/entries" search={{}}>
              Entries
            </Link>
          }
          value={entries === undefined ? undefined : formatNumber(entries)}
          note={home.types.data && `in ${pluralize(home.types.data.length, 'type', 'types')}`}
        >
          {created !== undefined && changed !== undefined && (
            <p className="home-quiet">
              {formatNumber(created)} created and {formatNumber(changed)} changed in 30 days
            </p>
          )}
        </StatTile>
      )}
      {may.settings && (
        <StatTile
          label={<Link to="/settings">Storage for files</Link>}
          value={storage ? formatSize(storage.storageUsedBytes) : undefined}
          note={
            storage && storage.storageLimitBytes !== null
              ? `of ${formatSize(storage.storageLimitBytes)}`
              : undefined
          }
        >
          {storage && storage.storageLimitBytes !== null && (
            <meter
              className="home-meter"
              aria-label="Storage for files"
              min={0}
              max={storage.storageLimitBytes}
              value={storage.storageUsedBytes}
            />
          )}
        </StatTile>
      )}
    </StatTiles>
  );
}
