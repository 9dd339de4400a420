import { useQuery } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import {
  Copy,
  CornerDownRight,
  History,
  Lock,
  Pencil,
  Radio,
  Rows3,
  Table2,
  Trash2,
  TriangleAlert,
} from 'lucide-react';
import type { Consumer, TopicDefinition } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { usePermission } from '../../../api/session.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { formatExactDate, formatMoment } from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { copyText } from '../../../ui/button/CopyButton.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Tile } from '../../../ui/layout/Tile.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { Tooltip } from '../../../ui/tooltip/Tooltip.tsx';
import {
  describeContent,
  describeReading,
  formatBehind,
  formatRate,
  formatSpan,
  getPosition,
  getRate,
  getTimeLeft,
  isInDanger,
} from '../model/format.ts';
import { activityQuery, consumersQuery, topicsQuery } from '../model/queries.ts';
import { useTopicSchema } from '../model/schema.ts';
import { useDeleteTopic } from '../model/use-delete-topic.tsx';
import './publications.css';

/** Topics with their rate, the range of their kept events, and where each consumer reads in it. */
export function TopicsPage() {
  const topics = useQuery(topicsQuery);
  const readers = useQuery(consumersQuery);
  const rates = useQuery(activityQuery);
  const { data: consumers, dataUpdatedAt: now } = readers;
  const { data: activity } = rates;
  // Shown together: consumers and rates that come later would move the rows.
  if (!topics.data || readers.isPending || rates.isPending)
    return topics.error ? (
      <ErrorState
        title="Topics could not be loaded"
        onRetry={() => void topics.refetch()}
        retrying={topics.isFetching}
        requestId={toServiceError(topics.error).requestId}
      >
        {toServiceError(topics.error).message}
      </ErrorState>
    ) : (
      <SkeletonRows rows={8} />
    );
  const error = topics.error ?? readers.error ?? rates.error;
  const isComplete = consumers !== undefined && activity !== undefined;
  const hoursById = new Map(activity?.map(({ topicId, hours }) => [topicId, hours]));
  return (
    <>
      {consumers && <LossWarning consumers={consumers} now={now} />}
      {error && (
        <Banner
          tone="warn"
          title={isComplete ? 'These figures may be out of date' : 'Some figures could not be loaded'}
        >
          {toServiceError(error).message}
        </Banner>
      )}
      <section className="card pub-topics-card" aria-label="Topics">
        <table className="pub-topics" aria-label="Topics">
          <thead>
            <tr>
              <th>Topic</th>
              <th>Events a minute</th>
              <th>
                <span className="pub-ends">
                  Kept for 9 days <span aria-hidden>now</span>
                </span>
              </th>
              <th className="pub-end">Unread</th>
              <th>Reading</th>
              <th>
                <span className="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          {topics.data.map((topic) => (
            <TopicRows
              key={topic.id}
              topic={topic}
              hours={hoursById.get(topic.id)}
              consumers={consumers?.filter(({ topicId }) => topicId === topic.id)}
              now={now}
            />
          ))}
        </table>
        <footer className="tbl-footer">
          <span>Marks show where each consumer reads between the oldest and the newest event</span>
          <QueryAge query={topics} />
        </footer>
      </section>
    </>
  );
}

/** Warning about the consumer that loses unread events first. */
function LossWarning({ consumers, now }: { consumers: readonly Consumer[]; now: number }) {
  const endangered = consumers
    .filter((consumer) => isInDanger(consumer, now))
    .toSorted((a, b) => (getTimeLeft(a, now) ?? 0) - (getTimeLeft(b, now) ?? 0));
  const [first, ...others] = endangered;
  if (!first) return null;
  const left = getTimeLeft(first, now) ?? 0;
  return (
    <section className="card pub-loss" aria-label="Unread events are deleted soon">
      <Tile icon={History} tone="bad" />
      <div className="pub-loss-text">
        <strong>
          {left <= 0
            ? `${first.userName} is losing unread events`
            : `${first.userName} will lose unread events in ${formatSpan(left)}`}
        </strong>
        <p>
          {typeof first.unreadSince === 'string' &&
            `It has not read ${first.topicName} since ${formatMoment(first.unreadSince)}. `}
          {pluralize(first.lag, 'event is', 'events are')} unread
          {typeof first.unreadDeletedDate === 'string' &&
            `; the oldest are deleted from ${formatMoment(first.unreadDeletedDate)}`}
          .
          {others.length > 0 &&
            ` So will ${pluralize(others.length, 'other consumer', 'other consumers')} soon.`}
        </p>
      </div>
      <Link to="/users/$userId" params={{ userId: first.userId }} className={buttonClass({ size: 'small' })}>
        Open owner
      </Link>
      <Link
        to="/publications/{-$list}"
        params={{ list: 'consumers' }}
        search={{ topic: first.topicId }}
        className={buttonClass({ size: 'small' })}
      >
        Open consumer
      </Link>
    </section>
  );
}

interface TopicRowsProps {
  topic: TopicDefinition;
  /** Events of each of the last 24 hours; undefined while loading. */
  hours: readonly number[] | undefined;
  consumers: readonly Consumer[] | undefined;
  /** When the consumers were read. */
  now: number;
}

function TopicRows({ topic, hours, consumers, now }: TopicRowsProps) {
  const schema = useTopicSchema();
  const menu = useTopicMenu();
  const { id, name, isDefault, format, oldestOffset, nextOffset, oldestAt, sourceLag = 0 } = topic;
  return (
    <tbody>
      <tr className="pub-topic">
        <th scope="row">
          <span className="pub-topic-name">
            <TopicTile topic={topic} />
            <span>
              <span className="pub-topic-title">
                <Link to="/publications/topics/$topicId" params={{ topicId: id }}>
                  {name}
                </Link>
                {isDefault ? (
                  <Tooltip text="Default topic: cannot be changed or deleted">
                    {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- content shown on hover must be available to the keyboard */}
                    <span className="pub-lock" tabIndex={0}>
                      <Lock />
                      <span className="visually-hidden">Default topic</span>
                    </span>
                  </Tooltip>
                ) : (
                  <Badge>{format}</Badge>
                )}
              </span>
              <small>
                {describeContent(topic, schema)}
                {sourceLag > 0 && ` · ${pluralize(sourceLag, 'change', 'changes')} to come`}
              </small>
            </span>
          </span>
        </th>
        <td>
          {hours && (
            <span className="pub-rate">
              <Sparkline hours={hours} />
              <b className="num">{formatRate(getRate(hours))}</b>
            </span>
          )}
        </td>
        <td>
          <span className="pub-ends num">
            <span>
              <span className="visually-hidden">Oldest offset </span>
              {nextOffset === oldestOffset ? 'No events' : formatNumber(oldestOffset)}
            </span>
            {nextOffset > oldestOffset && (
              <span>
                <span className="visually-hidden">newest offset </span>
                {formatNumber(nextOffset - 1)}
              </span>
            )}
          </span>
          <Tooltip
            text={typeof oldestAt === 'string' ? `Oldest event: ${formatExactDate(oldestAt)}` : undefined}
          >
            <span className="pub-range" aria-hidden />
          </Tooltip>
        </td>
        <td className="pub-blank">
          <span className="visually-hidden">See its consumers</span>
        </td>
        <td>
          {consumers &&
            (consumers.length === 0 ? 'No consumers' : pluralize(consumers.length, 'consumer', 'consumers'))}
        </td>
        <td className="pub-menu">
          <MenuButton label={`Actions for ${name}`} items={() => menu(topic)} />
        </td>
      </tr>
      {consumers?.map((consumer) => (
        <ConsumerRow key={consumer.clientId} {...{ topic, consumer, now }} />
      ))}
    </tbody>
  );
}

/** Icon of the kind of a topic. */
export function TopicTile({
  topic: { isDefault, format },
  size = 'medium',
}: {
  topic: TopicDefinition;
  size?: 'medium' | 'large';
}) {
  const icon = isDefault ? Radio : format === 'Rows' ? Rows3 : Table2;
  const tone = isDefault ? 'accent' : format === 'Rows' ? 'info' : 'neutral';
  return <Tile icon={icon} tone={tone} size={size} />;
}

interface ConsumerRowProps {
  topic: TopicDefinition;
  consumer: Consumer;
  now: number;
}

function ConsumerRow({ topic, consumer, now }: ConsumerRowProps) {
  const { tone } = describeReading(consumer, now);
  const position = getPosition(consumer.offset, topic);
  return (
    <tr className="pub-consumer">
      <th scope="row">
        <span className="pub-consumer-name">
          <CornerDownRight aria-hidden />
          <Link to="/publications/{-$list}" params={{ list: 'consumers' }} search={{ topic: topic.id }}>
            {consumer.userName}
          </Link>
          <small>key {consumer.clientId}</small>
        </span>
      </th>
      <td>{formatBehind(consumer, now)}</td>
      <td>
        <span className="visually-hidden">Next offset {formatNumber(consumer.offset)}</span>
        <svg
          className={`pub-position pub-tone-${tone}`}
          viewBox="0 0 100 14"
          preserveAspectRatio="none"
          aria-hidden
        >
          <line className="pub-track" x1="0" x2="100" y1="7" y2="7" />
          <line className="pub-unread" x1={position * 100} x2="100" y1="7" y2="7" />
          <rect
            x={Math.min(98.6, Math.max(0, position * 100 - 0.7))}
            width="1.4"
            y="0"
            height="14"
            rx="0.5"
          />
        </svg>
      </td>
      <td className="pub-end num">
        <span className={tone === 'bad' ? 'pub-bad' : undefined}>{formatNumber(consumer.lag)}</span>
      </td>
      <td>
        <ReadingState consumer={consumer} now={now} />
      </td>
      <td className="pub-blank">
        <span className="visually-hidden">None</span>
      </td>
    </tr>
  );
}

/** State of a consumer; events that were deleted before it read them are always named. */
export function ReadingState({ consumer, now }: { consumer: Consumer; now: number }) {
  const { tone, label } = describeReading(consumer, now);
  return (
    <span className={`pub-state pub-tone-${tone}`}>
      {tone === 'bad' ? <History /> : tone === 'warn' ? <TriangleAlert /> : <i className="pub-dot" />}
      {label}
      {consumer.lostEvents > 0 && (
        <small className="pub-bad">{pluralize(consumer.lostEvents, 'event', 'events')} lost</small>
      )}
    </span>
  );
}

/** Events of the last 24 hours, an hour for each step; the number stands beside it. */
export function Sparkline({ hours }: { hours: readonly number[] }) {
  const most = Math.max(1, ...hours);
  const step = 100 / Math.max(1, hours.length - 1);
  const points = hours.map(
    (count, index) => `${(index * step).toFixed(1)},${(30 - (count / most) * 27).toFixed(1)}`,
  );
  return (
    <svg className="pub-spark" viewBox="0 0 100 31" preserveAspectRatio="none" aria-hidden>
      <path className="pub-spark-area" d={`M0,31 L${points.join(' L')} L100,31 Z`} />
      <polyline className="pub-spark-line" points={points.join(' ')} />
    </svg>
  );
}

/** Menu of a topic. */
export function useTopicMenu(onDeleted?: () => void): (topic: TopicDefinition) => MenuItems {
  const router = useRouter();
  const edit = usePermission('updateTopicDefinition');
  const { remove, reason } = useDeleteTopic();
  return (topic) => {
    const fixed = topic.isDefault ? 'A default topic cannot be changed' : undefined;
    return [
      {
        label: 'Live tail',
        icon: Radio,
        onSelect: () => void router.navigate({ to: '/publications/tail', search: { topic: topic.name } }),
      },
      { label: 'Copy name', icon: Copy, onSelect: () => void copyText(topic.name) },
      'line',
      {
        label: 'Edit',
        icon: Pencil,
        disabledReason: fixed ?? edit.reason,
        onSelect: () =>
          void router.navigate({
            to: '/publications/topics/$topicId',
            params: { topicId: topic.id },
            search: { edit: true },
          }),
      },
      {
        label: 'Delete',
        icon: Trash2,
        danger: true,
        disabledReason: topic.isDefault ? 'A default topic cannot be deleted' : reason,
        onSelect: () => void remove(topic).then((isDeleted) => isDeleted && onDeleted?.()),
      },
    ];
  };
}

/** Placeholder of a page whose topic was deleted. */
export function TopicGone() {
  return (
    <ErrorState title="This topic no longer exists">
      It was deleted. <Link to="/publications">Show the topics</Link>
    </ErrorState>
  );
}
