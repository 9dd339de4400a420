import { Link, useMatch } from '@tanstack/react-router';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { getBrowserTimeZone, formatTimeZone } from '../../../lib/dates/time-zones.ts';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { Tooltip } from '../../../ui/tooltip/Tooltip.tsx';
import { SMALL_SCREEN, useMedia } from '../../../ui/use-media.ts';
import { formatRowTime } from '../model/format.ts';
import {
  getActorName,
  formatAddress,
  formatExported,
  formatExportType,
  getPrincipal,
  getTone,
} from '../model/row.ts';
import type { ActivityRow } from '../model/row.ts';
import { parseActivityView, FULL_VIEW, serializeActivityView } from '../model/view.ts';
import './activity.css';

interface CellProps {
  row: ActivityRow;
  tabIndex?: 0 | -1;
}

/** Time of a row, linked to its details. The tooltip shows the exact time with its zone. */
function TimeLink({ row, tabIndex }: CellProps) {
  const { eventDate, isNew } = row;
  const at = Date.parse(eventDate);
  return (
    <Tooltip text={`${formatExactDate(eventDate)}, ${formatTimeZone(getBrowserTimeZone(), at)}`}>
      <Link
        className="act-when num"
        to="/activity/$activityId"
        params={{ activityId: row.activityId ?? 0 }}
        search={(now) => serializeActivityView(parseActivityView(now))}
        tabIndex={tabIndex}
      >
        {isNew && (
          <span className="act-new-marker">
            <span className="visually-hidden">New: </span>
          </span>
        )}
        <time dateTime={eventDate}>{formatRowTime(eventDate)}</time>
      </Link>
    </Tooltip>
  );
}

/** User who acted and, for a proxy, on whose behalf. */
function Actor({ row, tabIndex }: CellProps) {
  const small = useMedia(SMALL_SCREEN);
  const principal = getPrincipal(row);
  const name = getActorName(row);
  // On small screens links would be too close to each other; the menu of the row has the link.
  if (small) return principal ? `${name} for ${principal.name}` : name;
  return (
    <span className="act-who" title={row.userName}>
      <Avatar name={name} id={row.userId} />
      <Link to="/users/$userId" params={{ userId: row.userId }} tabIndex={tabIndex}>
        {name}
      </Link>
      {principal ? (
        <span className="act-for">
          for{' '}
          {principal.id === undefined ? (
            principal.name
          ) : (
            <Link to="/users/$userId" params={{ userId: principal.id }} tabIndex={tabIndex}>
              {principal.name}
            </Link>
          )}
        </span>
      ) : (
        row.userName !== name && <span className="act-mail">{row.userName}</span>
      )}
    </span>
  );
}

/** Type of a row, with what was exported. */
export function TypeBadge({ row }: { row: ActivityRow }) {
  const exported = formatExported(row) ?? formatExportType(row);
  return (
    <span className="act-type">
      <Badge tone={getTone(row)}>{row.activityType}</Badge>
      {exported !== undefined && <small title={exported}>{exported}</small>}
    </span>
  );
}

/** IP address, linked to the report filtered by it. Within the report the other filters are kept. */
export function Address({ row, tabIndex }: CellProps) {
  const inReport = useMatch({ from: '/_app/activity/_report', shouldThrow: false, select: () => true });
  const address = formatAddress(row);
  if (address === undefined) return <span className="act-none">—</span>;
  return (
    <Link
      className="act-ip mono"
      to="/activity"
      search={(now) => serializeActivityView({ ...(inReport ? parseActivityView(now) : FULL_VIEW), address })}
      title={`Only ${address}`}
      tabIndex={tabIndex}
    >
      {address}
    </Link>
  );
}

function AddressCell(props: CellProps) {
  const small = useMedia(SMALL_SCREEN);
  return small ? <span className="mono">{formatAddress(props.row)}</span> : <Address {...props} />;
}

/** Columns of the report. */
export const COLUMNS: readonly Column<ActivityRow>[] = [
  {
    id: 'when',
    header: 'Time',
    width: 158,
    cell: (row, { tabIndex }) => <TimeLink {...{ row, tabIndex }} />,
  },
  {
    id: 'who',
    header: 'Person',
    minWidth: 250,
    small: 'line',
    cell: (row, { tabIndex }) => <Actor {...{ row, tabIndex }} />,
  },
  {
    id: 'type',
    header: 'Type',
    minWidth: 250,
    small: 'aside',
    cell: (row) => <TypeBadge row={row} />,
  },
  { id: 'source', header: 'Source', width: 84, hideable: true, cell: ({ sourceType }) => sourceType },
  {
    id: 'ip',
    header: 'IP address',
    width: 168,
    hideable: true,
    small: 'line',
    cell: (row, { tabIndex }) => <AddressCell {...{ row, tabIndex }} />,
  },
];
