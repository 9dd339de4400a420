import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, useRouter, Link } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import type { UserActivityQuery } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { getUserActivityOptions } from '../../../api/generated/queries/activity.gen.ts';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { getBrowserTimeZone, formatTimeZone } from '../../../lib/dates/time-zones.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { endSentence } from '../../../lib/text/sentences.ts';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { cx } from '../../../ui/cx.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Fact, Facts } from '../../../ui/layout/Card.tsx';
import { getServerTime, MAX_PAGE_SIZE, loadNewestRows } from '../model/activity-data.ts';
import { formatRowTime } from '../model/format.ts';
import { selectNearbyRows, buildNearbyQuery, getNearbyPeriod } from '../model/nearby.ts';
import type { NearbyRows } from '../model/nearby.ts';
import {
  getActorName,
  formatAddress,
  formatExported,
  formatExportType,
  getExportedEntries,
  getPrincipal,
  getRowId,
} from '../model/row.ts';
import './detail.css';
import type { ActivityRow } from '../model/row.ts';
import {
  parseActivityView,
  serializeActivityView,
  DEFAULT_VIEW,
  FULL_VIEW,
  setExported,
} from '../model/view.ts';
import type { ActivityView } from '../model/view.ts';
import { Address, TypeBadge } from './columns.tsx';

const route = getRouteApi('/_app/activity/_report/$activityId');

/** Panel with the details of a row and nearby activity, over the report. */
export function DetailPanel() {
  const router = useRouter();
  const { activityId } = route.useParams();
  const detail = useDetail(activityId);
  const { row } = detail;
  const close = () =>
    void router.navigate({ to: '/activity', search: (now) => serializeActivityView(parseActivityView(now)) });
  return (
    <Panel title={row ? row.activityType : 'Activity row'} onClose={close}>
      <div className="act-detail">
        <Content {...detail} />
      </div>
    </Panel>
  );
}

function Content(detail: ReturnType<typeof useDetail>) {
  const { row, address, ofPerson, ofAddress, pending, error, retry, retrying } = detail;
  if (pending) return <SkeletonRows rows={9} />;
  if (error?.status === 404) {
    return (
      <EmptyState icon={SearchX} title="No such row">
        The activity of this site has no row with this id, or it is no longer kept.
      </EmptyState>
    );
  }
  if (error) {
    return (
      <ErrorState
        title="The row could not be loaded"
        onRetry={retry}
        retrying={retrying}
        requestId={error.requestId}
      >
        {endSentence(error.message)}
      </ErrorState>
    );
  }
  if (!row) return null;
  const lists = address === undefined ? [ofPerson] : [ofPerson, ofAddress];
  // Shown together, so that the first list does not push the second one down when it is loaded.
  const isLoading = lists.some(({ nearby, error: failure }) => !nearby && failure === undefined);
  return (
    <>
      <DetailFacts row={row} />
      <h3 className="act-around-title">Nearby activity</h3>
      {isLoading ? (
        <SkeletonRows rows={4} />
      ) : (
        <>
          <NearbyList
            title={getActorName(row)}
            centerRow={row}
            {...ofPerson}
            labelBy="address"
            view={{ people: [row.userId] }}
          />
          {address !== undefined && (
            <NearbyList title={address} centerRow={row} {...ofAddress} labelBy="person" view={{ address }} />
          )}
        </>
      )}
    </>
  );
}

const CACHE_TIME_MS = 60_000;

/** Rows near a time that match a filter. Loads nothing if either is undefined. */
function useNearbyRows(filter: UserActivityQuery | undefined, at: number | undefined) {
  const client = useQueryClient();
  return useQuery({
    queryKey: [{ _id: 'queryUserActivity', around: { who: filter, at } }],
    async queryFn({ signal }): Promise<NearbyRows> {
      const query = buildNearbyQuery(filter ?? {}, at ?? 0, { now: getServerTime(client) });
      return selectNearbyRows(await loadNewestRows(query, signal), at ?? 0, MAX_PAGE_SIZE);
    },
    enabled: filter !== undefined && at !== undefined,
    staleTime: CACHE_TIME_MS,
  });
}

/** A row with the nearby activity of its user and of its address. */
function useDetail(activityId: number) {
  const rowQuery = useQuery({
    ...getUserActivityOptions({ path: { activityId } }),
    staleTime: CACHE_TIME_MS,
  });
  const row = rowQuery.data;
  const at = row && Date.parse(row.eventDate);
  const byPerson = useNearbyRows(row && { userIds: [row.userId] }, at);
  const address = row && formatAddress(row);
  const byAddress = useNearbyRows(address === undefined ? undefined : { ipAddress: address }, at);
  return {
    row,
    address,
    ofPerson: toNearbyProps(byPerson),
    ofAddress: toNearbyProps(byAddress),
    pending: rowQuery.isLoading,
    error: rowQuery.error === null ? undefined : toServiceError(rowQuery.error),
    retry: () => void rowQuery.refetch(),
    retrying: rowQuery.isFetching,
  };
}

const toNearbyProps = ({ data, error }: { data: NearbyRows | undefined; error: Error | null }) => ({
  nearby: data,
  error: error === null ? undefined : toServiceError(error).message,
});

/** Says what an export contained: "120 rows of Companies as CSV · City is Oslo · Name, City". */
const formatExportDetail = ({
  rows,
  type,
  format,
  filter,
  fields,
  template,
}: NonNullable<ActivityRow['exportDetail']>) =>
  [
    `${pluralize(rows, 'row', 'rows')} of ${type} as ${format.toUpperCase()}`,
    ...(template === undefined ? [] : [`report ${template}`]),
    filter ?? 'no filter',
    fields.join(', '),
  ].join(' · ');

/** Links to the exported entries, to the template of a report, and to all exports of the same. */
function ExportLinks({ row, exported }: { row: ActivityRow; exported: string }) {
  const entries = getExportedEntries(row);
  const { templateId } = row.exportDetail ?? {};
  return (
    <span className="act-soft">
      {entries && (
        <>
          <Link
            to="/entries/$type"
            params={{ type: entries.type }}
            search={Object.keys(entries.query).length > 0 ? { query: entries.query } : {}}
          >
            Show the list
          </Link>
          {' · '}
        </>
      )}
      {templateId !== undefined && (
        <>
          <Link to="/reports/$templateId" params={{ templateId }}>
            Show the report
          </Link>
          {' · '}
        </>
      )}
      <Link to="/activity" search={serializeActivityView(setExported(FULL_VIEW, exported))}>
        All exports of {exported}
      </Link>
    </span>
  );
}

/** All properties of a row. */
function DetailFacts({ row }: { row: ActivityRow }) {
  const { eventDate, userId, userName, sessionId, sourceType } = row;
  const principal = getPrincipal(row);
  const address = formatAddress(row);
  const kind = formatExportType(row);
  return (
    <Facts>
      <Fact label="Type">
        <TypeBadge row={row} />
      </Fact>
      <Fact label="Time">
        <time dateTime={eventDate}>{formatExactDate(eventDate)}</time>
        <small className="act-soft">{formatTimeZone(getBrowserTimeZone(), Date.parse(eventDate))}</small>
        <span className="mono act-soft">
          {eventDate} <CopyButton value={eventDate} label="Copy time in UTC" />
        </span>
      </Fact>
      <Fact label={principal ? 'Proxy' : 'User'}>
        <Link to="/users/$userId" params={{ userId }}>
          {getActorName(row)}
        </Link>
        <span className="act-soft">
          {userName} · id {userId} <CopyButton value={String(userId)} label="Copy id" />
        </span>
      </Fact>
      {principal && (
        <Fact label="On behalf of">
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
      <Fact label="Source">{sourceType}</Fact>
      {kind !== undefined && <Fact label="Export type">{kind}</Fact>}
      {row.exportDetail && (
        <Fact label="Exported">
          {formatExportDetail(row.exportDetail)}
          <ExportLinks row={row} exported={row.exportDetail.type} />
        </Fact>
      )}
      <Fact label="IP address">
        {address === undefined ? (
          'Unknown'
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
      {getOtherProperties(row).map(([name, value]) => (
        <Fact key={name} label={name}>
          <span className="mono">{JSON.stringify(value)}</span>
        </Fact>
      ))}
    </Facts>
  );
}

const KNOWN_PROPERTIES = new Set([
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
  'exportDetail',
  'activityId',
  'isNew',
]);

/** Properties that are not part of the contract; other installations may send them (shapes, "a reader is tolerant"). */
const getOtherProperties = (row: ActivityRow): [string, unknown][] =>
  Object.entries(row).filter(([name, value]) => !KNOWN_PROPERTIES.has(name) && value !== null);

interface NearbyListProps {
  /** User or address that the rows have in common. */
  title: string;
  /** The row of the panel. */
  centerRow: ActivityRow;
  /** Undefined if they could not be read. */
  nearby: NearbyRows | undefined;
  error: string | undefined;
  /** Property shown for each row. */
  labelBy: 'person' | 'address';
  /** Filter of the report that shows the same rows. */
  view: Partial<ActivityView>;
}

function formatCount({ rows, total }: NearbyRows): string {
  const rowCount =
    total === undefined ? `At least ${formatNumber(MAX_PAGE_SIZE)} rows` : pluralize(total, 'row', 'rows');
  return `${rowCount} within 15 min${rows.length === total ? '' : `, showing the nearest ${formatNumber(rows.length)}`}`;
}

/** Rows of a user or an address within 15 minutes before and after a row. */
function NearbyList({ title, centerRow, nearby, error, labelBy, view }: NearbyListProps) {
  const period = getNearbyPeriod(Date.parse(centerRow.eventDate));
  return (
    <section className="act-around" aria-label={`${title}, within 15 minutes`}>
      <header>
        <h4>
          <span className={labelBy === 'person' ? 'mono' : undefined}>{title}</span>
          <small>{nearby && formatCount(nearby)}</small>
        </h4>
        <Link to="/activity" search={serializeActivityView({ ...DEFAULT_VIEW, ...view, period })}>
          Show in report
        </Link>
      </header>
      {error !== undefined && <p className="field-error">{error}</p>}
      <ol>
        {nearby?.rows.map((row) => (
          <NearbyRow
            key={getRowId(row)}
            {...{ row, shows: labelBy }}
            current={getRowId(row) === getRowId(centerRow)}
          />
        ))}
      </ol>
    </section>
  );
}

interface NearbyRowProps {
  row: ActivityRow;
  shows: NearbyListProps['labelBy'];
  current: boolean;
}

function NearbyRow({ row, shows, current }: NearbyRowProps) {
  const principal = getPrincipal(row);
  const who = principal ? `${getActorName(row)} for ${principal.name}` : getActorName(row);
  const exported = formatExported(row) ?? formatExportType(row);
  return (
    <li className={cx(current && 'act-around-current')}>
      <Link
        to="/activity/$activityId"
        params={{ activityId: row.activityId ?? 0 }}
        search={(now) => serializeActivityView(parseActivityView(now))}
        aria-current={current ? 'true' : undefined}
      >
        <time dateTime={row.eventDate} className="num">
          {formatRowTime(row.eventDate)}
        </time>
        <span className="act-around-what">
          {row.activityType}
          {exported !== undefined && ` · ${exported}`}
          <small className={shows === 'address' ? 'mono' : undefined}>
            {shows === 'person' ? who : (formatAddress(row) ?? row.sourceType)}
          </small>
        </span>
      </Link>
    </li>
  );
}
