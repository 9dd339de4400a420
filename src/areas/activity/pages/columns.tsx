import { Link, useMatch } from '@tanstack/react-router';
import { exactDate } from '../../../lib/dates.ts';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { SMALL, useMedia } from '../../../ui/use-media.ts';
import { Tooltip } from '../../../ui/tooltip/Tooltip.tsx';
import { rowMoment } from '../model/moments.ts';
import { actorOf, addressOf, kindOf, principalOf, toneOf } from '../model/row.ts';
import type { ActivityRow } from '../model/row.ts';
import { readView, WHOLE_VIEW, writeMoment, writeView } from '../model/view.ts';
import { readerZone, zoneWords } from '../../../lib/site-zone.ts';
import './activity.css';

interface CellProps {
  row: ActivityRow;
  tabIndex?: 0 | -1;
}

/** What the page of a row is asked for beside its number: the service reports periods, not single rows. */
export const placeOf = ({ eventDate, userId }: ActivityRow) => ({
  at: writeMoment(Date.parse(eventDate)),
  by: userId,
});

/** When it was, with the exact moment and its zone at the pointer; leads to everything about the row. */
export function MomentLink({ row, tabIndex }: CellProps) {
  const { eventDate, fresh } = row;
  const at = Date.parse(eventDate);
  return (
    <Tooltip text={`${exactDate(eventDate)}, ${zoneWords(readerZone(), at)}`}>
      <Link
        className="act-when num"
        to="/activity/$activityId"
        params={{ activityId: row.activityId ?? 0 }}
        search={(now) => ({ ...writeView(readView(now)), ...placeOf(row) })}
        tabIndex={tabIndex}
      >
        {fresh && (
          <span className="act-fresh">
            <span className="visually-hidden">New: </span>
          </span>
        )}
        <time dateTime={eventDate}>{rowMoment(eventDate)}</time>
      </Link>
    </Tooltip>
  );
}

/** Who acted; where a proxy did, for whom. */
export function Actor({ row, tabIndex }: CellProps) {
  const small = useMedia(SMALL);
  const principal = principalOf(row);
  const name = actorOf(row);
  // Two lines of a phone are too close for links under one another: there the row's menu leads to the person.
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

/** What it was, and for an export of what kind. */
export function TypeBadge({ row }: { row: ActivityRow }) {
  const kind = kindOf(row);
  return (
    <span className="act-type">
      <Badge tone={toneOf(row)}>{row.activityType}</Badge>
      {kind !== undefined && <small>{kind}</small>}
    </span>
  );
}

/** From where; leads to everything from there: in the report all else being as it is, from elsewhere all there is. */
export function Address({ row, tabIndex }: CellProps) {
  const inReport = useMatch({ from: '/_app/activity/_report', shouldThrow: false, select: () => true });
  const address = addressOf(row);
  if (address === undefined) return <span className="act-none">—</span>;
  return (
    <Link
      className="act-ip mono"
      to="/activity"
      search={(now) => writeView({ ...(inReport ? readView(now) : WHOLE_VIEW), address })}
      title={`Only ${address}`}
      tabIndex={tabIndex}
    >
      {address}
    </Link>
  );
}

function AddressCell(props: CellProps) {
  const small = useMedia(SMALL);
  return small ? <span className="mono">{addressOf(props.row)}</span> : <Address {...props} />;
}

/** The columns of the report. */
export const COLUMNS: readonly Column<ActivityRow>[] = [
  {
    id: 'when',
    header: 'Time',
    width: 158,
    cell: (row, { tabIndex }) => <MomentLink {...{ row, tabIndex }} />,
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
    width: 250,
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
