import { getRouteApi, useRouter, Link } from '@tanstack/react-router';
import { SearchX } from 'lucide-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { AroundList } from '../pages/AroundList.tsx';
import { readPlace } from '../model/place.ts';
import { actorOf, addressOf, kindOf, principalOf } from '../model/row.ts';
import { readView, writeView } from '../model/view.ts';
import { toServiceError } from '../../../api/errors.ts';
import type { UserActivityQuery } from '../../../api/generated/types.gen.ts';
import { around, aroundQuery } from '../model/around.ts';
import type { Around } from '../model/around.ts';
import { serverNow } from '../model/clock.ts';
import { LARGEST_PAGE, readNewest } from '../model/data.ts';
import type { Place } from '../model/place.ts';
import type { ActivityRow } from '../model/row.ts';
import { exactDate } from '../../../lib/dates.ts';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import { Address, TypeBadge } from '../pages/columns.tsx';
import { readerZone, zoneWords } from '../../../lib/site-zone.ts';
import '../pages/detail.css';

const route = getRouteApi('/_app/activity/_report/$activityId');

/** Everything about one row over the report, and what happened around it. */
export function DetailPanel() {
  const router = useRouter();
  const { activityId } = route.useParams();
  const detail = useDetail(activityId, readPlace(route.useSearch()));
  const { row } = detail;
  const close = () => void router.navigate({ to: '/activity', search: (now) => writeView(readView(now)) });
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
  if (error) {
    return (
      <ErrorState
        title="The row could not be read"
        onRetry={retry}
        retrying={retrying}
        requestId={error.requestId}
      >
        {error.message}.
      </ErrorState>
    );
  }
  if (!row) {
    return (
      <EmptyState icon={SearchX} title="This row is not in the report">
        The report reaches 90 days back, and the link may be older, or not whole.
      </EmptyState>
    );
  }
  return (
    <>
      <DetailFacts row={row} />
      <h3 className="act-around-title">What happened around it</h3>
      <AroundList
        title={actorOf(row)}
        of={row}
        {...ofPerson}
        shows="address"
        view={{ people: [row.userId] }}
      />
      {address !== undefined && (
        <AroundList title={address} of={row} {...ofAddress} shows="person" view={{ address }} />
      )}
    </>
  );
}

const KEEP = 60_000;

/** What happened around a moment by somebody or from somewhere; nothing is asked where `who` is undefined. */
function useAround(who: UserActivityQuery | undefined, at: number | undefined) {
  const client = useQueryClient();
  return useQuery({
    queryKey: [{ _id: 'queryUserActivity', around: { who, at } }],
    async queryFn({ signal }): Promise<Around> {
      const query = aroundQuery(who ?? {}, at ?? 0, { now: serverNow(client) });
      return around(await readNewest(query, signal), at ?? 0, LARGEST_PAGE);
    },
    enabled: who !== undefined && at !== undefined,
    staleTime: KEEP,
  });
}

/** The row itself: the newest of its person until its moment are few, however many came after. */
function useRow(id: number, { at, by }: Place) {
  const client = useQueryClient();
  return useQuery({
    queryKey: [{ _id: 'queryUserActivity', row: { id, at, by } }],
    async queryFn({ signal }): Promise<ActivityRow | null> {
      const query = aroundQuery({ userIds: [by ?? 0] }, at ?? 0, { now: serverNow(client), after: 0 });
      const rows = await readNewest(query, signal);
      return rows.find((row) => (row.activityId ?? 0) === id) ?? null;
    },
    enabled: by !== undefined && at !== undefined,
    staleTime: KEEP,
  });
}

/** A row by its number, where its address says it is, with what happened around it. */
function useDetail(activityId: number, { at, by }: Place) {
  const own = useRow(activityId, { at, by });
  const byPerson = useAround(by === undefined ? undefined : { userIds: [by] }, at);
  const row = own.data ?? undefined;
  const address = row && addressOf(row);
  const byAddress = useAround(address === undefined ? undefined : { ipAddress: address }, at);
  return {
    row,
    address,
    ofPerson: told(byPerson),
    ofAddress: told(byAddress),
    pending: own.isLoading,
    error: own.error === null ? undefined : toServiceError(own.error),
    retry: () => void own.refetch(),
    retrying: own.isFetching,
  };
}

const told = ({ data, error }: { data: Around | undefined; error: Error | null }) => ({
  around: data,
  error: error === null ? undefined : toServiceError(error).message,
});

/** Everything that is known of a row; what only other installations tell is shown as it came. */
function DetailFacts({ row }: { row: ActivityRow }) {
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
