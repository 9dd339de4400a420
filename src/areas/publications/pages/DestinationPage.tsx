import { zodResolver } from '@hookform/resolvers/zod';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, getRouteApi, useRouter } from '@tanstack/react-router';
import { Pencil, RotateCcw, Send } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useController, useForm, useWatch } from 'react-hook-form';
import { z } from 'zod';
import type {
  DeliveryAttempt,
  Destination,
  ResendEventsData,
} from '../../../../contract/generated/types.gen.ts';
import { EVENT_RETENTION_DAYS } from '../../../../contract/rules/events.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import type { Options } from '../../../api/generated/sdk.gen.ts';
import { listDeliveryAttempts, resendEvents } from '../../../api/generated/sdk/publications.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toastFailedWrite } from '../../../app/state/failed-write.ts';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { getBrowserTimeZone } from '../../../lib/dates/time-zones.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { ShowMoreButton } from '../../../ui/button/ShowMoreButton.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { usePanelGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { DateInput } from '../../../ui/form/DateInput.tsx';
import { FieldFrame } from '../../../ui/form/FieldFrame.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card, Fact, Facts } from '../../../ui/layout/Card.tsx';
import { NextAttempt } from '../../../ui/layout/Distance.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { toast } from '../../../ui/toast.ts';
import { describeHealth, destinationQuery } from '../model/destinations.ts';
import { toMoment } from '../model/move-form.ts';
import { eventsQuery } from '../model/queries.ts';
import { EditDestinationPanel } from './DestinationPanel.tsx';
import { useDestinationActions, useDestinationMenu } from './use-destination-menu.tsx';
import './publications.css';

const route = getRouteApi('/_app/publications/destinations/$destinationId');

/** One destination: its health, and every request of the last 9 days with its answer. */
export function DestinationPage() {
  const { destinationId } = route.useParams();
  const { allowed, reason } = usePermission('getDestination');
  if (!allowed) throw new ServiceError(403, reason);
  const { data, error } = useQuery(destinationQuery(destinationId));
  if (error && toServiceError(error).status === 404)
    return (
      <Page title="Destination" breadcrumbs={<Breadcrumbs />}>
        <EmptyState
          icon={Send}
          title="This destination no longer exists"
          actions={
            <Link to="/publications/{-$list}" params={{ list: 'destinations' }}>
              Show the destinations
            </Link>
          }
        >
          It was deleted, or its topic was.
        </EmptyState>
      </Page>
    );
  return data ? <DestinationDetails destination={data.data} etag={data.etag} /> : null;
}

interface DestinationDetailsProps {
  destination: Destination;
  etag: string | undefined;
}

type OpenPanel = 'edit' | 'resend' | undefined;

function DestinationDetails({ destination, etag }: DestinationDetailsProps) {
  const router = useRouter();
  const menu = useDestinationMenu(
    () => void router.navigate({ to: '/publications/{-$list}', params: { list: 'destinations' } }),
  );
  const { reason } = usePermission('updateDestination');
  const [panel, setPanel] = useState<OpenPanel>();
  const { tone, label } = describeHealth(destination);
  const { name, url, subject, topicId, topicName, next, lag, lostEvents, lostDate } = destination;
  return (
    <Page
      fill
      breadcrumbs={<Breadcrumbs />}
      title={name}
      badge={<Badge tone={tone}>{label}</Badge>}
      meta={<span className="mono pub-path">{url}</span>}
      actions={
        <>
          <Button icon={RotateCcw} disabledReason={reason} onClick={() => setPanel('resend')}>
            Send again since…
          </Button>
          <Button icon={Pencil} disabledReason={reason} onClick={() => setPanel('edit')}>
            Edit
          </Button>
          <MenuButton label={`Actions for ${name}`} variant="default" items={() => menu(destination)} />
        </>
      }
    >
      <HealthBanner destination={destination} />
      <Card>
        <div className="pub-figures">
          <Facts>
            <Fact label="Topic">
              <Link to="/publications/topics/$topicId" params={{ topicId }}>
                {topicName}
              </Link>
            </Fact>
            {typeof subject === 'string' && (
              <Fact label="Subject">
                <span className="mono pub-path">{subject}</span>
              </Fact>
            )}
            <Fact label="To deliver">{pluralize(lag, 'event', 'events')}</Fact>
            <Fact label="Next offset">{formatNumber(next)}</Fact>
            {lostEvents > 0 && (
              <Fact label="Lost">
                <span className="pub-bad">{pluralize(lostEvents, 'event', 'events')}</span>
                {typeof lostDate === 'string' && (
                  <>
                    , found <Timestamp at={lostDate} />
                  </>
                )}
              </Fact>
            )}
          </Facts>
        </div>
      </Card>
      <Attempts destination={destination} />
      {panel === 'edit' && (
        <EditDestinationPanel destination={{ data: destination, etag }} onClose={() => setPanel(undefined)} />
      )}
      {panel === 'resend' && <ResendPanel destination={destination} onClose={() => setPanel(undefined)} />}
    </Page>
  );
}

/** What is wrong with a destination, and what helps. */
function HealthBanner({ destination }: { destination: Destination }) {
  const { sendMissing, setEnabled, reason, isPending } = useDestinationActions();
  const { isEnabled, disabledReason, failures, nextAttemptDate, lag, name } = destination;
  if (!isEnabled)
    return (
      <Banner
        tone={typeof disabledReason === 'string' ? 'bad' : 'info'}
        title={typeof disabledReason === 'string' ? `${name} was switched off` : `${name} is switched off`}
        actions={
          <Button
            size="small"
            pending={isPending}
            disabledReason={reason}
            onClick={() => void setEnabled(destination, true)}
          >
            Switch on
          </Button>
        }
      >
        {typeof disabledReason === 'string' && `${disabledReason}. `}
        {pluralize(lag, 'event waits', 'events wait')}; events are kept for {EVENT_RETENTION_DAYS} days.
      </Banner>
    );
  if (failures === 0) return null;
  return (
    <Banner
      tone="warn"
      title={`${pluralize(failures, 'attempt', 'attempts')} in a row failed`}
      actions={
        <Button
          size="small"
          pending={isPending}
          disabledReason={reason}
          onClick={() => void sendMissing(destination)}
        >
          Try now
        </Button>
      }
    >
      {typeof nextAttemptDate === 'string' && <NextAttempt at={nextAttemptDate} />}{' '}
      {pluralize(lag, 'event waits', 'events wait')} for it, in order. After 3 days the service switches the
      destination off.
    </Banner>
  );
}

interface AttemptRow extends DeliveryAttempt {
  topicName: string;
}

const isDelivered = ({ status }: DeliveryAttempt): boolean =>
  typeof status === 'number' && status >= 200 && status < 300;

const COLUMNS: readonly Column<AttemptRow>[] = [
  {
    id: 'offset',
    header: 'Event',
    width: 130,
    cell: ({ offset, topicName }, { tabIndex }) => (
      <Link to="/publications/message" search={{ topic: topicName, offset }} tabIndex={tabIndex}>
        {formatNumber(offset)}
      </Link>
    ),
  },
  {
    id: 'date',
    header: 'Sent',
    width: 120,
    small: 'aside',
    cell: ({ date }, { tabIndex }) => <Timestamp at={date} tabIndex={tabIndex} />,
  },
  {
    id: 'status',
    header: 'Response',
    width: 120,
    small: 'line',
    cell: (attempt) => (
      <Badge tone={isDelivered(attempt) ? 'ok' : 'bad'}>{attempt.status ?? 'No response'}</Badge>
    ),
  },
  {
    id: 'detail',
    header: 'Response text',
    minWidth: 260,
    small: 'line',
    cell: ({ detail }) => <span title={detail}>{detail}</span>,
  },
  {
    id: 'address',
    header: 'Sent to',
    minWidth: 200,
    cell: ({ address }) => (typeof address === 'string' ? <span title={address}>{address}</span> : '—'),
  },
  {
    id: 'duration',
    header: 'Took',
    width: 100,
    align: 'end',
    cell: ({ durationMs }) => `${formatNumber(durationMs)} ms`,
  },
];

const PAGE_SIZE = 100;
const REFRESH_MS = 5_000;
const getId = ({ id }: AttemptRow) => id;
const getLabel = ({ offset }: AttemptRow) => `event ${offset}`;

/** Requests to the destination, newest first, with the action to send one event again. */
function Attempts({ destination: { id: destinationId, topicName } }: { destination: Destination }) {
  const resend = useWrite('resendEvents', {
    mutationFn: (options: Options<ResendEventsData, true>) => resendEvents(options),
  });
  const { reason } = usePermission('resendEvents');
  const query = useInfiniteQuery({
    queryKey: [{ _id: 'listDeliveryAttempts', destinationId }],
    queryFn: async ({ pageParam, signal }) =>
      (
        await listDeliveryAttempts({
          path: { destinationId },
          query: { limit: PAGE_SIZE, ...(pageParam !== undefined && { before: pageParam }) },
          signal,
        })
      ).data,
    initialPageParam: undefined as number | undefined,
    getNextPageParam: (page) => (page.length < PAGE_SIZE ? undefined : page.at(-1)?.id),
    staleTime: 0,
    refetchInterval: REFRESH_MS,
  });
  const { data, error, isFetching, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  const rows = useMemo(
    () => data?.pages.flat().map((attempt): AttemptRow => ({ ...attempt, topicName })),
    [data, topicName],
  );
  const sendAgain = async (offset: number) => {
    try {
      const { data: sent } = await resend.mutateAsync({ path: { destinationId }, body: { offset } });
      const [attempt] = sent.attempts;
      const isOk = attempt !== undefined && isDelivered(attempt);
      toast({
        tone: isOk ? 'ok' : 'bad',
        title: isOk
          ? `Event ${formatNumber(offset)} was delivered`
          : `Event ${formatNumber(offset)} was not delivered`,
        ...(attempt && !isOk && { description: attempt.detail }),
      });
    } catch (thrown) {
      toastFailedWrite('The event', 'sent', thrown);
    }
  };
  const menu = ({ offset }: AttemptRow): MenuItems => [
    {
      label: 'Send again',
      hint: 'Now, whatever waits',
      icon: Send,
      disabledReason: reason,
      onSelect: () => void sendAgain(offset),
    },
  ];
  return (
    <DataTable
      label="Attempts"
      columns={COLUMNS}
      rows={rows}
      rowId={getId}
      rowLabel={getLabel}
      rowMenu={menu}
      error={error === null ? undefined : toServiceError(error)}
      onRetry={() => void refetch()}
      refetching={isFetching && error !== null}
      empty={
        <EmptyState icon={Send} title="Nothing was sent yet">
          Each request is listed here for 9 days, with the response of the receiver.
        </EmptyState>
      }
      footer={
        hasNextPage ? (
          <ShowMoreButton pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older attempts
          </ShowMoreButton>
        ) : undefined
      }
    />
  );
}

const resendSchema = z.object({
  since: z.string().refine((text) => toMoment(text) !== undefined, 'Enter a date and time'),
});

interface ResendPanelProps {
  destination: Destination;
  onClose: () => void;
}

/** Panel that sends the events since a time again, with a preview of how many they are. */
function ResendPanel({ destination, onClose }: ResendPanelProps) {
  const { id, name, kind, topicId, next, lag } = destination;
  const resend = useWrite('resendEvents', {
    mutationFn: (options: Options<ResendEventsData, true>) => resendEvents(options),
  });
  const form = useForm({ resolver: zodResolver(resendSchema), defaultValues: { since: '' } });
  const { isDirty, isSubmitting } = form.formState;
  const { confirmClose, cancel } = usePanelGuard(isDirty, onClose);
  const { field, fieldState } = useController({ control: form.control, name: 'since' });
  const typed = useWatch({ control: form.control, name: 'since' });
  const since = toMoment(typed);
  const { data, error } = useQuery({
    ...eventsQuery(topicId, { since: since ?? '' }, 1),
    enabled: since !== undefined,
  });
  const first = data?.[0];
  const from = data && Math.min(first?.topicOffset ?? next, next);
  return (
    <Panel title={`Send events to ${name} again`} onClose={onClose} confirmClose={confirmClose}>
      <Form
        form={form}
        pending={isSubmitting}
        error={resend.error}
        submitLabel="Send again"
        onCancel={() => void cancel()}
        onSubmit={async (values) => {
          const start = toMoment(values.since);
          if (start === undefined) return;
          const body = { since: start };
          const sent = await resend.mutateAsync({ path: { destinationId: id }, body }).catch(() => undefined);
          if (!sent) return;
          toast({ title: `${name} gets the events again` });
          onClose();
        }}
      >
        <FieldFrame
          id="resend-since"
          noteId="resend-since-note"
          label="Since"
          hint={`In your time zone. The receiver gets them in order, with the same ${kind === 'JetStream' ? 'Nats-Msg-Id' : 'webhook-id'} as before.`}
          error={fieldState.error?.message}
        >
          <DateInput
            {...field}
            id="resend-since"
            kind="time"
            timeZone={getBrowserTimeZone()}
            isInvalid={fieldState.error !== undefined}
            describedBy="resend-since-note"
          />
        </FieldFrame>
        <section className="pub-preview" aria-label="Preview" aria-live="polite">
          {since === undefined ? (
            'Enter a time to see how many events are sent.'
          ) : error ? (
            <FailureBanner failure={toServiceError(error)} />
          ) : from === undefined ? (
            <SkeletonRows rows={2} />
          ) : (
            <>
              <strong>{pluralize(next - from + lag, 'event is sent', 'events are sent')}</strong>
              <p>
                {pluralize(next - from, 'of them was', 'of them were')} delivered before
                {first && first.topicOffset < next ? `, from ${formatExactDate(first.modifiedAt)} on` : ''}.
              </p>
            </>
          )}
        </section>
      </Form>
    </Panel>
  );
}
