import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { CalendarClock, Pause, Pencil, Play, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import type { ReportSchedule, ReportScheduleChange } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listReportSchedulesOptions } from '../../../api/generated/queries/reports.gen.ts';
import { deleteReportSchedule, updateReportSchedule } from '../../../api/generated/sdk/reports.gen.ts';
import { formatMissingCapabilities, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { toastFailedWrite } from '../../../app/state/failed-write.ts';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { pluralize } from '../../../lib/numbers.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { usePanelGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../ui/layout/Badge.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import type { Column } from '../../../ui/table/columns.ts';
import { formatPeople, formatTimes, toDeliveryValues, toTiming } from '../model/schedules.ts';
import { DeliveryFields } from './DeliveryFields.tsx';
import { LastRun } from './LastRun.tsx';
import { OwnerToggle, useOwnerFilter } from './OwnerFilter.tsx';
import { ReportTabs } from './ReportTabs.tsx';
import '../reports.css';

const route = getRouteApi('/_app/reports/schedules');

const getId = ({ id }: ReportSchedule) => String(id);
const getName = ({ templateName }: ReportSchedule) => templateName ?? 'A deleted template';
const STATE_TONES: Record<ReportSchedule['state'], Tone> = {
  Active: 'ok',
  Paused: 'neutral',
  Stopped: 'bad',
};

/** Reports that are generated regularly: the user's own, or those of everyone for those who may see them. */
export function SchedulesPage() {
  const { everyone } = route.useSearch();
  const navigate = route.useNavigate();
  const { owner, mayListAll } = useOwnerFilter(everyone);
  const query = useQuery(listReportSchedulesOptions({ query: { owner } }));
  const { data, error, refetch, isRefetching } = query;
  const { menu, edited, close } = useScheduleMenu();
  return (
    <>
      <Page
        fill
        title="Reports"
        meta={data && data.length > 0 && pluralize(data.length, 'schedule', 'schedules')}
      >
        <ReportTabs />
        {data
          ?.filter(({ stopReason }) => stopReason !== null)
          .map((schedule) => (
            <Banner key={schedule.id} tone="warn" title={`The schedule of ${getName(schedule)} was stopped`}>
              {schedule.stopReason}. Resume it when the cause is gone.
            </Banner>
          ))}
        <ListTable
          table="reportSchedules"
          filters={
            mayListAll && <OwnerToggle owner={owner} onChange={(search) => void navigate({ search })} />
          }
          label="Schedules"
          columns={COLUMNS}
          hidden={owner === 'all' ? NO_COLUMNS : OWN_HIDDEN}
          rows={data}
          rowId={getId}
          rowLabel={getName}
          rowMenu={menu}
          error={error === null ? undefined : toServiceError(error)}
          onRetry={() => void refetch()}
          tools={<QueryAge query={query} />}
          footer="To create a schedule, generate a report and choose how often. Each report is generated with the rights of its owner."
          refetching={isRefetching && error !== null}
          empty={
            <EmptyState
              icon={CalendarClock}
              title="No schedules yet"
              actions={<Link to="/reports/generate">Generate a report</Link>}
            >
              A schedule generates a report daily, weekly or monthly and sends a link to it.
            </EmptyState>
          }
        />
      </Page>
      {edited && <SchedulePanel key={edited.id} schedule={edited} onClose={close} />}
    </>
  );
}

const NO_COLUMNS: readonly string[] = [];
const OWN_HIDDEN = ['owner'];

/** Actions of a schedule, and the one that is changed. */
function useScheduleMenu() {
  const { user, capabilities } = useSession();
  const [edited, setEdited] = useState<ReportSchedule>();
  const update = useWrite('updateReportSchedule', {
    mutationFn: ({ id, isPaused }: { id: number; isPaused: boolean }) =>
      updateReportSchedule({ path: { scheduleId: id }, body: { isPaused } }),
  });
  const pause = (id: number, isPaused: boolean) =>
    update.mutate(
      { id, isPaused },
      { onError: (thrown) => toastFailedWrite('The schedule', 'changed', thrown) },
    );
  const remove = useWrite('deleteReportSchedule', {
    mutationFn: (scheduleId: number) => deleteReportSchedule({ path: { scheduleId } }),
  });
  const askDelete = (schedule: ReportSchedule) =>
    confirm({
      title: `Delete the schedule of ${getName(schedule)}?`,
      body: 'Reports that it generated stay.',
      action: 'Delete schedule',
      danger: true,
      run: () => remove.mutateAsync(schedule.id),
    });
  const menu = (schedule: ReportSchedule): MenuItems => {
    const { id, state, ownerId } = schedule;
    const refusal = ownerId === user.id ? undefined : 'Only its owner, because it runs with their rights';
    const manageRefusal =
      ownerId === user.id || capabilities.includes('Manage Report Templates')
        ? undefined
        : formatMissingCapabilities(['Manage Report Templates']);
    return [
      {
        label: 'Change',
        icon: Pencil,
        disabledReason: refusal,
        onSelect: () => setEdited(schedule),
      },
      state === 'Active'
        ? {
            label: 'Pause',
            icon: Pause,
            disabledReason: manageRefusal,
            onSelect: () => pause(id, true),
          }
        : {
            label: 'Resume',
            icon: Play,
            disabledReason: refusal,
            onSelect: () => pause(id, false),
          },
      {
        label: 'Delete',
        icon: Trash2,
        danger: true,
        disabledReason: manageRefusal,
        onSelect: () => void askDelete(schedule),
      },
    ];
  };
  return { menu, edited, close: () => setEdited(undefined) };
}

/** Panel that changes the times and recipients of a schedule. */
function SchedulePanel({ schedule, onClose }: { schedule: ReportSchedule; onClose: () => void }) {
  const form = useForm({ defaultValues: toDeliveryValues(schedule) });
  const { isDirty } = form.formState;
  const { confirmClose, cancel } = usePanelGuard(isDirty, onClose);
  const update = useWrite('updateReportSchedule', {
    mutationFn: (body: ReportScheduleChange) =>
      updateReportSchedule({ path: { scheduleId: schedule.id }, body }),
  });
  return (
    <Panel title={`Schedule of ${getName(schedule)}`} onClose={onClose} confirmClose={confirmClose}>
      <Form
        form={form}
        pending={update.isPending}
        error={update.error}
        submitLabel="Save"
        onCancel={() => void cancel()}
        onSubmit={(values) =>
          update.mutate({ ...toTiming(values), recipients: values.recipients }, { onSuccess: onClose })
        }
      >
        <DeliveryFields control={form.control} schedule={schedule} />
      </Form>
    </Panel>
  );
}

const COLUMNS: readonly Column<ReportSchedule>[] = [
  {
    id: 'report',
    header: 'Report',
    minWidth: 160,
    cell: (schedule, { tabIndex }) =>
      schedule.templateName === null ? (
        'A deleted template'
      ) : (
        <Link to="/reports/$templateId" params={{ templateId: schedule.templateId }} tabIndex={tabIndex}>
          {schedule.templateName}
        </Link>
      ),
  },
  {
    id: 'entries',
    header: 'Entries',
    minWidth: 140,
    cell: ({ filterText, selectedCount }) => {
      const text =
        filterText ?? (selectedCount === null ? 'All entries' : pluralize(selectedCount, 'entry', 'entries'));
      return <span title={text}>{text}</span>;
    },
  },
  {
    id: 'times',
    header: 'Generated',
    minWidth: 160,
    small: 'line',
    cell: (schedule) => <span title={schedule.timeZone}>{formatTimes(schedule)}</span>,
  },
  {
    id: 'recipients',
    header: 'Sent to',
    minWidth: 130,
    cell: ({ recipients }) => (
      <span title={recipients.map(({ name }) => name).join(', ')}>{formatPeople(recipients)}</span>
    ),
  },
  {
    id: 'owner',
    header: 'Owner',
    minWidth: 120,
    cell: ({ ownerName }) => ownerName ?? 'A former user',
  },
  {
    id: 'next',
    header: 'Next',
    width: 100,
    cell: ({ nextDate }, { tabIndex }) =>
      nextDate === null ? '' : <Timestamp at={nextDate} tabIndex={tabIndex} />,
  },
  {
    id: 'last',
    header: 'Last',
    width: 132,
    cell: ({ lastRun }, { tabIndex }) => <LastRun run={lastRun} tabIndex={tabIndex} />,
  },
  {
    id: 'state',
    header: 'State',
    width: 100,
    small: 'aside',
    cell: ({ state, stopReason }) => (
      <span title={stopReason ?? undefined}>
        <Badge tone={STATE_TONES[state]}>{state}</Badge>
      </span>
    ),
  },
];
