import { Link } from '@tanstack/react-router';
import { exactDate } from '../../../lib/dates.ts';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import { Address, TypeBadge } from './-columns.tsx';
import { actorOf, addressOf, kindOf, principalOf } from './-row.ts';
import type { ActivityRow } from './-row.ts';
import { readerZone, zoneWords } from './-zone.ts';

/** Everything that is known of a row; what only other installations tell is shown as it came. */
export function DetailFacts({ row }: { row: ActivityRow }) {
  const { eventDate, userId, userName, sessionId, sourceType } = row;
  const principal = principalOf(row);
  const address = addressOf(row);
  const kind = kindOf(row);
  return (
    <Facts>
      <Fact label="What">
        <TypeBadge row={row} />
      </Fact>
      <Fact label="When">
        <time dateTime={eventDate}>{exactDate(eventDate)}</time>
        <small className="act-soft">{zoneWords(readerZone(), Date.parse(eventDate))}</small>
        <span className="mono act-soft">
          {eventDate} <CopyButton value={eventDate} label="Copy time in UTC" />
        </span>
      </Fact>
      <Fact label={principal ? 'Who really acted' : 'Who'}>
        <Link to="/users/$userId" params={{ userId }}>
          {actorOf(row)}
        </Link>
        <span className="act-soft">
          {userName} · id {userId} <CopyButton value={String(userId)} label="Copy id" />
        </span>
      </Fact>
      {principal && (
        <Fact label="For whom">
          {principal.id === undefined ? (
            principal.name
          ) : (
            <Link to="/users/$userId" params={{ userId: principal.id }}>
              {principal.name}
            </Link>
          )}
          <span className="act-soft">{row.principalUserName}</span>
        </Fact>
      )}
      <Fact label="Through">{sourceType}</Fact>
      {kind !== undefined && <Fact label="Export kind">{kind}</Fact>}
      <Fact label="IP address">
        {address === undefined ? (
          'Not known'
        ) : (
          <>
            <Address row={row} tabIndex={0} /> <CopyButton value={address} label="Copy address" />
          </>
        )}
      </Fact>
      <Fact label="Session">
        {sessionId ? (
          <span className="mono">
            {sessionId} <CopyButton value={sessionId} label="Copy session" />
          </span>
        ) : (
          'None'
        )}
      </Fact>
      {row.activityId !== undefined && (
        <Fact label="Number">
          <span className="mono">{row.activityId}</span>
        </Fact>
      )}
      {furtherOf(row).map(([name, value]) => (
        <Fact key={name} label={name}>
          <span className="mono">{JSON.stringify(value)}</span>
        </Fact>
      ))}
    </Facts>
  );
}

const TOLD = new Set([
  'userId',
  'userName',
  'fullName',
  'eventDate',
  'activityTypeId',
  'activityType',
  'sourceTypeId',
  'sourceType',
  'ipAddress',
  'sessionId',
  'principalUserName',
  'principalUserId',
  'principalFullName',
  'exportDataType',
  'activityId',
  'fresh',
]);

/** Properties that no contract names are shown, not dropped (shapes, "a reader is tolerant"). */
const furtherOf = (row: ActivityRow): [string, unknown][] =>
  Object.entries(row).filter(([name, value]) => !TOLD.has(name) && value !== null);
