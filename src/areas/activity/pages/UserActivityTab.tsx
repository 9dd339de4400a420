import { useQueryClient, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Activity, History } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { UserChange } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listUserChangesInfiniteOptions } from '../../../api/generated/queries/activity.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { addDays, formatTime, isPast } from '../../../lib/dates/dates.ts';
import { getBrowserTimeZone } from '../../../lib/dates/time-zones.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { endSentence } from '../../../lib/text/sentences.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { ShowMoreButton } from '../../../ui/button/ShowMoreButton.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import './user-activity.css';
import { Card } from '../../../ui/layout/Card.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { getServerTime, useActivityRows } from '../model/activity-data.ts';
import { formatAction, formatChanges } from '../model/change-format.ts';
import type { NameResolver } from '../model/change-format.ts';
import { resolvePeriod } from '../model/period.ts';
import { buildReportQuery } from '../model/report-query.ts';
import { getRowId, getRowLabel } from '../model/row.ts';
import { useNameResolver } from '../model/use-names.ts';
import { FULL_VIEW, serializeActivityView } from '../model/view.ts';
import type { ActivityView } from '../model/view.ts';
import { COLUMNS } from '../panels/columns.tsx';
import { BeforeAfter, ChangedProperty, ChangeOrigin } from './ChangeParts.tsx';

const route = getRouteApi('/_app/users/$userId/activity');

const VIEWS = [
  { value: 'by', label: 'By this user' },
  { value: 'to', label: 'Changes to this user' },
  { value: 'proxy', label: 'By their proxies' },
] as const;
type ViewName = (typeof VIEWS)[number]['value'];

const DESCRIPTIONS: Readonly<Record<ViewName, string>> = {
  by: 'What this user did in the last 90 days, for themselves or as a proxy.',
  to: 'Changes to this user, with author and values before and after.',
  proxy: 'What proxies did on behalf of this user in the last 90 days.',
};

/** Activity of a user, changes to the user, and activity of the user’s proxies. */
export function UserActivityTab() {
  const { userId } = route.useParams();
  const { view: viewName = 'by' } = route.useSearch();
  const navigate = route.useNavigate();
  const { allowed, reason } = usePermission('queryUserActivity');
  const view = useMemo(
    (): ActivityView => ({
      ...FULL_VIEW,
      ...(viewName === 'proxy' ? { principals: [userId] } : { people: [userId] }),
    }),
    [viewName, userId],
  );
  if (!allowed) return <Banner title="You cannot view activity">{reason}.</Banner>;
  return (
    <div className="user-act">
      <header className="user-act-head">
        <SegmentedControl
          label="Activity shown"
          options={VIEWS}
          value={viewName}
          onChange={(next) =>
            void navigate({ search: next === 'by' ? {} : { view: next }, resetScroll: false })
          }
        />
        <p>{DESCRIPTIONS[viewName]}</p>
        {viewName !== 'to' && (
          <Link to="/activity" search={serializeActivityView(view)}>
            Open in report
          </Link>
        )}
      </header>
      {viewName === 'to' ? (
        <UserChanges userId={userId} />
      ) : (
        <UserRows key={viewName} {...{ viewName, view }} />
      )}
    </div>
  );
}

const EMPTY_TEXTS = {
  by: 'Sign-ins, sign-outs and exports of this user are listed here for 90 days.',
  proxy: 'What assigned proxies do on behalf of this user is listed here for 90 days.',
};

/** Rows of the whole report for one user. */
function UserRows({ viewName, view }: { viewName: 'by' | 'proxy'; view: ActivityView }) {
  const client = useQueryClient();
  const [now, setNow] = useState(() => getServerTime(client));
  const reportQuery = useMemo(
    () => buildReportQuery(view, resolvePeriod(view.period, now, getBrowserTimeZone()), now),
    [view, now],
  );
  const { rows, isStale, isFetching, error, refetch } = useActivityRows(reportQuery);
  return (
    <DataTable
      label={viewName === 'by' ? 'By this user' : 'By their proxies'}
      columns={COLUMNS}
      rows={rows}
      rowId={getRowId}
      rowLabel={getRowLabel}
      refetching={isStale || (isFetching && error !== undefined)}
      error={error}
      onRetry={refetch}
      empty={
        <EmptyState
          icon={Activity}
          title={
            viewName === 'by'
              ? 'No activity in the last 90 days'
              : 'No activity of proxies in the last 90 days'
          }
        >
          {EMPTY_TEXTS[viewName]}
        </EmptyState>
      }
      footer={
        rows && (
          <>
            <span>
              {pluralize(rows.length, 'row', 'rows')} · as of {formatTime(now)}
            </span>
            <Button size="small" pending={isFetching} onClick={() => setNow(getServerTime(client))}>
              Refresh
            </Button>
          </>
        )
      }
    />
  );
}

const PAGE_SIZE = 50;

/** Changes to a user, newest first. */
function UserChanges({ userId }: { userId: number }) {
  const { data, error, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } =
    useInfiniteQuery({
      ...listUserChangesInfiniteOptions({ path: { userId }, query: { pageSize: PAGE_SIZE } }),
      initialPageParam: 1,
      // A page with fewer rows than requested is the last one (shapes 1).
      getNextPageParam: (page, pages) => (page.length < PAGE_SIZE ? undefined : pages.length + 1),
    });
  const changes = data?.pages.flat();
  const names = useNameResolver(changes ?? []);
  const failure = error === null ? undefined : toServiceError(error);
  return (
    <Card>
      {!changes && !failure && <SkeletonRows rows={5} />}
      {failure && (
        <ErrorState
          title="The changes could not be loaded"
          onRetry={() => void refetch()}
          retrying={isFetching}
          requestId={failure.requestId}
        >
          {endSentence(failure.message)}
        </ErrorState>
      )}
      {changes?.length === 0 && (
        <EmptyState icon={History} title="No changes">
          Changes to this user are listed here from the day they are recorded.
        </EmptyState>
      )}
      {changes && changes.length > 0 && (
        <ol className="changes" aria-label="Changes">
          {changes.map((change) => (
            <ChangeItem key={change.id} {...{ userId, change, names }} />
          ))}
        </ol>
      )}
      {hasNextPage && (
        <footer className="changes-foot">
          <ShowMoreButton pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older
          </ShowMoreButton>
        </footer>
      )}
    </Card>
  );
}

interface ChangeItemProps {
  userId: number;
  change: UserChange;
  names: NameResolver;
}

/** Days for which the messages of changes are kept (shapes 7). */
const MESSAGE_DAYS = 9;

function ChangeItem({ userId, change, names }: ChangeItemProps) {
  const { allowed } = usePermission('listTopicEvents');
  const changes = formatChanges(change, names);
  return (
    <li>
      <div className="changes-head">
        <strong>{formatAction(change.action)}</strong>
        <span className="act-soft">
          <ChangeOrigin change={change} />
          {allowed && !isPast(addDays(MESSAGE_DAYS, change.date)) && (
            <>
              {' '}
              ·{' '}
              <Link
                to="/publications/message"
                search={{ topic: 'default-users', at: change.date, entity: userId }}
              >
                Message
              </Link>
            </>
          )}
        </span>
      </div>
      {changes.length > 0 && (
        <dl>
          {changes.map(({ property, before, after }) => (
            <ChangedProperty key={property} property={property}>
              <BeforeAfter before={before} after={after} />
            </ChangedProperty>
          ))}
        </dl>
      )}
    </li>
  );
}
