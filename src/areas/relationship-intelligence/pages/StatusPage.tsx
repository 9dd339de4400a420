import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { UserRound } from 'lucide-react';
import { useMemo } from 'react';
import type { UserSyncStatus } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { getImportActivityOptions } from '../../../api/generated/queries/relationship-intelligence.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { usePeopleById } from '../../../directory/directory.ts';
import { personColumn } from '../../../directory/person-columns.tsx';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { getMonthClose } from '../planner/month-close.ts';
import { importSettingsQuery, importStatusQuery } from './queries.ts';
import { SideCards } from './SideCards.tsx';
import { listWithoutImport, rankBySilence, toHeatStrip } from './silence.ts';
import type { HeatStrip, SilentUser } from './silence.ts';
import { useNow } from './use-now.ts';
import './imports.css';

interface StatusRow extends SilentUser {
  name: string;
  strip: HeatStrip | undefined;
}

const date = (at: string | null, tabIndex: 0 | -1) =>
  at === null ? <span className="ri-zero">Never</span> : <Timestamp at={at} tabIndex={tabIndex} />;

const COLUMNS: readonly Column<StatusRow>[] = [
  personColumn,
  {
    id: 'silent',
    header: 'Silent for',
    width: 130,
    small: 'aside',
    cell: ({ silentDays }) =>
      silentDays === undefined ? (
        <Badge tone="bad">No import yet</Badge>
      ) : (
        <Badge tone={silentDays >= 7 ? 'warn' : 'ok'}>
          {silentDays === 0 ? 'Today' : pluralize(silentDays, 'day', 'days')}
        </Badge>
      ),
  },
  {
    id: 'email',
    header: 'Last e-mails',
    width: 118,
    small: 'line',
    cell: ({ lastEmailSyncDate }, { tabIndex }) => date(lastEmailSyncDate, tabIndex),
  },
  {
    id: 'meeting',
    header: 'Last meetings',
    width: 118,
    cell: ({ lastMeetingSyncDate }, { tabIndex }) => date(lastMeetingSyncDate, tabIndex),
  },
  {
    id: 'heat',
    header: 'Items of 90 days',
    minWidth: 220,
    cell: ({ strip }) =>
      strip && (
        <span className="ri-heat" title={`${formatNumber(strip.total)} items in 90 days`}>
          <span className="visually-hidden">{pluralize(strip.total, 'item', 'items')} in 90 days</span>
          {strip.days.map(({ date: day, count, level }) => (
            <i key={day} aria-hidden data-level={level} title={`${day}: ${formatNumber(count)}`} />
          ))}
        </span>
      ),
  },
];

const NO_STATUS: readonly UserSyncStatus[] = [];
/** Most users of one reading of the activity (contract). */
const MAX_ACTIVITY_USERS = 100;

/** Enabled users, those without an import for longest first. */
export function StatusPage() {
  const query = useQuery(importStatusQuery);
  const { data = NO_STATUS, error, refetch, isPending, isFetching } = query;
  const { data: settings } = useQuery(importSettingsQuery);
  const ranked = useMemo(() => rankBySilence(data, Date.now()), [data]);
  const people = usePeopleById(useMemo(() => data.map(({ userId }) => userId), [data]));
  const activity = usePermission('getImportActivity');
  const firstIds = ranked.slice(0, MAX_ACTIVITY_USERS).map(({ userId }) => userId);
  const { data: days } = useQuery({
    ...getImportActivityOptions({ query: { userIds: firstIds } }),
    enabled: activity.allowed && firstIds.length > 0,
    placeholderData: keepPreviousData,
  });
  const timeZone = settings?.timeZone;
  const rows = useMemo(() => {
    const byUser = new Map(days?.map((one) => [one.userId, one.days]));
    return ranked.map((user): StatusRow => {
      const own = byUser.get(user.userId);
      return {
        ...user,
        name: people.get(user.userId)?.name ?? user.emailAddress,
        strip:
          days && timeZone !== undefined && firstIds.includes(user.userId)
            ? toHeatStrip(own ?? [], Date.now(), timeZone)
            : undefined,
      };
    });
    // oxlint-disable-next-line react/exhaustive-deps -- firstIds follows from ranked
  }, [ranked, people, days, timeZone]);
  return (
    <div className="ri-columns">
      <div className="ri-main">
        {settings && <SilentAlarm users={ranked} timeZone={settings.timeZone} />}
        <DataTable
          label="Status"
          columns={COLUMNS}
          footer={<QueryAge query={query} />}
          rows={isPending ? undefined : rows}
          rowId={({ userId }) => userId}
          rowLabel={({ name }) => name}
          error={error === null ? undefined : toServiceError(error)}
          onRetry={() => void refetch()}
          refetching={isFetching}
          empty={
            <EmptyState icon={UserRound} title="No user is enabled">
              Users are enabled for relationship scoring in the settings. Their last imports are shown here.
            </EmptyState>
          }
        />
      </div>
      <SideCards kinds={['emails', 'meetings']} />
    </div>
  );
}

/** Users without an import of the month that closes soon. */
function SilentAlarm({ users, timeZone }: { users: readonly SilentUser[]; timeZone: string }) {
  const { month, isNear } = getMonthClose(useNow(), timeZone);
  const silent = listWithoutImport(users, month);
  if (!isNear || silent.length === 0) return null;
  const name = new Intl.DateTimeFormat(undefined, { timeZone, month: 'long' }).format(month);
  return (
    <Banner
      tone="warn"
      title={`${name} closes soon, and ${pluralize(silent.length, 'person has', 'people have')} no import of it`}
    >
      Later items are accepted and marked late.
    </Banner>
  );
}
