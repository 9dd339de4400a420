import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { ListChecks, Radio, RotateCcw, UserRound } from 'lucide-react';
import { useState } from 'react';
import type { Consumer } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { usePermission } from '../../../api/session.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import type { Column } from '../../../ui/table/columns.ts';
import { FilterChip } from '../../../ui/table/filter/FilterChips.tsx';
import { formatBehind, formatConsumer, formatSpan, getTimeLeft } from '../model/format.ts';
import { consumersQuery, topicsQuery } from '../model/queries.ts';
import { parseConsumersView } from '../model/view.ts';
import { MoveConsumerPanel } from './MoveConsumerPanel.tsx';
import { OffsetsPanel } from './OffsetsPanel.tsx';
import { ReadingState } from './TopicsPage.tsx';
import './publications.css';

const route = getRouteApi('/_app/publications/{-$list}');

interface ConsumerRow extends Consumer {
  /** When the consumers were read. */
  now: number;
}

const COLUMNS: readonly Column<ConsumerRow>[] = [
  {
    id: 'consumer',
    header: 'Consumer',
    minWidth: 170,
    cell: ({ userId, userName, clientId }, { tabIndex }) => (
      <>
        <Link to="/users/$userId" params={{ userId }} tabIndex={tabIndex}>
          {userName}
        </Link>{' '}
        <small className="pub-soft">key {clientId}</small>
      </>
    ),
  },
  {
    id: 'topic',
    header: 'Topic',
    minWidth: 130,
    small: 'line',
    cell: ({ topicId, topicName }, { tabIndex }) => (
      <Link to="/publications/topics/$topicId" params={{ topicId }} tabIndex={tabIndex}>
        {topicName}
      </Link>
    ),
  },
  {
    id: 'state',
    header: 'Reading',
    minWidth: 210,
    small: 'line',
    cell: (consumer) => <ReadingState consumer={consumer} now={consumer.now} />,
  },
  {
    id: 'unread',
    header: 'Unread',
    width: 100,
    align: 'end',
    small: 'aside',
    cell: ({ lag }) => formatNumber(lag),
  },
  {
    id: 'behind',
    header: 'Oldest unread',
    width: 140,
    cell: (consumer) => formatBehind(consumer, consumer.now),
  },
  {
    id: 'deleted',
    header: 'Deleted in',
    width: 110,
    cell: (consumer) => {
      const left = getTimeLeft(consumer, consumer.now);
      if (left === undefined || typeof consumer.unreadDeletedDate !== 'string') return null;
      return (
        <span title={`Unread events are deleted from ${formatExactDate(consumer.unreadDeletedDate)}`}>
          {left <= 0 ? 'now' : formatSpan(left)}
        </span>
      );
    },
  },
  {
    id: 'offset',
    header: 'Next offset',
    width: 120,
    align: 'end',
    cell: ({ offset }) => formatNumber(offset),
  },
];

const getId = ({ topicId, clientId }: ConsumerRow) => `${topicId} ${clientId}`;

/** API keys that read topics, with their lag and the time until unread events are deleted. */
export function ConsumersPage() {
  const { topic } = parseConsumersView(route.useSearch());
  const navigate = route.useNavigate();
  const query = useQuery(consumersQuery);
  const { data, error, isFetching, refetch, dataUpdatedAt: now } = query;
  const { data: topics = [] } = useQuery(topicsQuery);
  const { reason } = usePermission('moveConsumer');
  const [moved, setMoved] = useState<Consumer>();
  const [checked, setChecked] = useState<Consumer>();
  const rows = data
    ?.filter(({ topicId }) => topic === undefined || topicId === topic)
    // Those that lose events first come first.
    .toSorted(
      (a, b) => (getTimeLeft(a, now) ?? Infinity) - (getTimeLeft(b, now) ?? Infinity) || b.lag - a.lag,
    )
    .map((consumer) => ({ ...consumer, now }));
  const show = (topicId: number | undefined) =>
    void navigate({ to: '.', search: topicId === undefined ? {} : { topic: topicId } });
  const menu = (consumer: ConsumerRow): MenuItems => [
    {
      label: 'Move…',
      hint: 'Back or forth, with a preview',
      icon: RotateCcw,
      disabledReason: reason,
      onSelect: () => setMoved(consumer),
    },
    {
      label: 'Check its reading…',
      hint: 'Gaps in the offsets of its log',
      icon: ListChecks,
      onSelect: () => setChecked(consumer),
    },
    'line',
    {
      label: 'Tail from here',
      hint: `From offset ${formatNumber(consumer.offset)}`,
      icon: Radio,
      onSelect: () =>
        void navigate({
          to: '/publications/tail',
          search: { topic: consumer.topicName, from: consumer.offset },
        }),
    },
    {
      label: 'Open owner',
      icon: UserRound,
      onSelect: () => void navigate({ to: '/users/$userId', params: { userId: consumer.userId } }),
    },
  ];
  return (
    <>
      <ListTable
        table="consumers"
        tools={<QueryAge query={query} />}
        filters={
          <FilterChip
            label="Topic"
            options={topics.map(({ id, name }) => ({
              value: String(id),
              label: name,
              count: data?.filter(({ topicId }) => topicId === id).length,
            }))}
            value={topic === undefined ? [] : [String(topic)]}
            onChange={(value) => show(value.length === 0 ? undefined : Number(value.at(-1)))}
          />
        }
        label="Consumers"
        columns={COLUMNS}
        rows={rows}
        rowId={getId}
        rowLabel={formatConsumer}
        rowMenu={menu}
        error={error === null ? undefined : toServiceError(error)}
        onRetry={() => void refetch()}
        refetching={isFetching && error !== null}
        empty={
          <EmptyState icon={Radio} title="No consumers yet">
            Each API key that polls a topic is listed here with what it has not read, and with the time until
            unread events are deleted.
          </EmptyState>
        }
        onClearFilters={topic === undefined ? undefined : () => show(undefined)}
      />
      {moved && <MoveConsumerPanel consumer={moved} onClose={() => setMoved(undefined)} />}
      {checked && <OffsetsPanel consumer={checked} onClose={() => setChecked(undefined)} />}
    </>
  );
}
