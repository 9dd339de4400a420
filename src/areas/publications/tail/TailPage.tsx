import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { ArrowUp, ChevronRight, Download, Pause, Play, Radio, TriangleAlert } from 'lucide-react';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import type { TopicDefinition } from '../../../../contract/generated/types.gen.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { usePermission } from '../../../api/session.ts';
import { saveFile } from '../../../files/download.ts';
import { formatExactDate, formatTime } from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { AsOf } from '../../../ui/table/TableBar.tsx';
import { toast } from '../../../ui/toast.ts';
import { useMedia } from '../../../ui/use-media.ts';
import { formatNewest, formatRate, getRate } from '../model/format.ts';
import { formatFields, formatTitle } from '../model/messages.ts';
import { activityQuery, topicsQuery } from '../model/queries.ts';
import { useTopicSchema } from '../model/schema.ts';
import type { TopicSchema } from '../model/schema.ts';
import { parseTailView } from '../model/view.ts';
import type { TailView } from '../model/view.ts';
import { AuthorText, KindBadge, MessageDetails } from '../pages/MessageDetails.tsx';
import { buildRows, countBySteps, getRowId, toTailFilter } from './tail-buffer.ts';
import type { TailBurst, TailEvent, TailGap, TailRow } from './tail-buffer.ts';
import { TailClient } from './tail-client.ts';
import type { TailSnapshot, TailStatus } from './tail-client.ts';
import { TailFilters } from './TailFilters.tsx';
import { useNames } from './use-names.ts';
import type { Names } from './use-names.ts';
import '../pages/publications.css';
import './tail.css';

const route = getRouteApi('/_app/publications/tail');

/** Events of a topic as they are published, with filters. It reads as a person: no consumer is moved. */
export function TailPage() {
  const { allowed, reason } = usePermission('streamTopic');
  if (!allowed) throw new ServiceError(403, reason);
  const search = route.useSearch();
  const view = useMemo(() => parseTailView(search), [search]);
  const { data: topics, error } = useQuery(topicsQuery);
  const topic = topics?.find(({ name }) => name === view.topic);
  if (topics && topic)
    // Another topic or start is another tail; filters are not.
    return <Tail key={`${topic.id} ${view.from ?? ''} ${view.since ?? ''}`} {...{ view, topic, topics }} />;
  return (
    <Page title={view.topic} breadcrumbs={<Breadcrumbs />}>
      {error ? (
        <EmptyState icon={Radio} title="The topics could not be loaded">
          {toServiceError(error).message}
        </EmptyState>
      ) : topics ? (
        <EmptyState
          icon={Radio}
          title={`There is no topic ${view.topic}`}
          actions={<Link to="/publications">Show the topics</Link>}
        >
          It was deleted or renamed.
        </EmptyState>
      ) : (
        <SkeletonRows />
      )}
    </Page>
  );
}

/** Row of the table with what its cells need. */
interface ShownRow {
  row: TailRow;
  context: RowContext;
}

interface RowContext {
  schema: TopicSchema;
  names: Names;
  selected: number | undefined;
  open: (offset: number) => void;
  expand: (burst: TailBurst) => void;
  readGap: (gap: TailGap) => void;
}

const clockFormat = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 1,
  hour12: false,
});

const getNewest = (row: TailRow): TailEvent | undefined =>
  row.type === 'burst' ? row.events[0] : row.type === 'event' ? row : undefined;

const COLUMNS: readonly Column<ShownRow>[] = [
  {
    id: 'offset',
    header: 'Offset',
    width: 116,
    cell: ({ row, context }, { tabIndex }) => {
      if (row.type === 'gap') return <GapLabel />;
      if (row.type === 'burst')
        return (
          <Button
            size="small"
            variant="quiet"
            icon={ChevronRight}
            tabIndex={tabIndex}
            onClick={() => context.expand(row)}
          >
            Show {formatNumber(row.events.length)}
          </Button>
        );
      return (
        <button
          type="button"
          className="tail-open num"
          tabIndex={tabIndex}
          aria-pressed={context.selected === row.offset}
          onClick={() => context.open(row.offset)}
        >
          {formatNumber(row.offset)}
        </button>
      );
    },
  },
  {
    id: 'time',
    header: 'Time',
    width: 96,
    align: 'end',
    small: 'aside',
    cell: ({ row }) => {
      const newest = getNewest(row);
      return (
        newest && (
          <time dateTime={newest.event.modifiedAt} title={formatExactDate(newest.event.modifiedAt)}>
            {clockFormat.format(new Date(newest.event.modifiedAt))}
          </time>
        )
      );
    },
  },
  {
    id: 'entity',
    header: 'Entry and author',
    minWidth: 260,
    small: 'line',
    cell: ({ row, context }) => <EntityCell {...{ row, context }} />,
  },
  {
    id: 'changed',
    header: 'Changed',
    width: 230,
    small: 'line',
    cell: ({ row, context: { schema, readGap } }, { tabIndex }) => {
      if (row.type === 'gap')
        return row.isDeleted ? null : (
          <Button size="small" tabIndex={tabIndex} onClick={() => readGap(row)}>
            Read them again
          </Button>
        );
      const newest = getNewest(row);
      const kinds = newest ? [...newest.summary.kinds].filter((kind) => kind !== 'updated') : [];
      return (
        newest && (
          <>
            {kinds.map((kind) => (
              <KindBadge key={kind} kind={kind} />
            ))}{' '}
            {formatFields(newest.summary, schema)}
          </>
        )
      );
    },
  },
];

const GapLabel = () => (
  <span className="tail-gap">
    <TriangleAlert aria-hidden />
    Gap
  </span>
);

function EntityCell({ row, context: { schema, names } }: ShownRow) {
  if (row.type === 'gap')
    return (
      <span className="tail-gap-text">
        {pluralize(row.to - row.from + 1, 'event', 'events')}{' '}
        {row.isDeleted ? 'had been deleted' : 'did not arrive'}: {formatNumber(row.from)} to{' '}
        {formatNumber(row.to)}
      </span>
    );
  const newest = getNewest(row);
  if (!newest) return null;
  const { event, summary } = newest;
  return (
    <>
      <b className="tail-title">
        <bdi>
          {row.type === 'burst'
            ? formatBurst(row, schema)
            : formatTitle(event, summary, schema, names.entries)}
        </bdi>
      </b>{' '}
      <span className="tail-author">
        <AuthorText event={event} getName={(id) => names.users.get(id) || undefined} />
        {event.isCalculated === true && ', calculated'}
      </span>
    </>
  );
}

/** Formats similar events in one line: "1,204 messages of Companies, 2 s". */
function formatBurst({ events }: TailBurst, schema: TopicSchema): string {
  const [newest] = events;
  const oldest = events.at(-1);
  const type = newest?.event.entityType === 'Data' ? [...newest.summary.types][0] : undefined;
  const name = type === undefined ? undefined : schema.typeById.get(Number(type))?.pluralName;
  const ms = Date.parse(newest?.event.modifiedAt ?? '') - Date.parse(oldest?.event.modifiedAt ?? '');
  return `${pluralize(events.length, 'message', 'messages')}${name === undefined ? '' : ` of ${name}`} in ${formatNumber(
    Math.max(1, Math.round(ms / 1000)),
  )} s`;
}

const getShownId = ({ row }: ShownRow): string => getRowId(row);
const getShownLabel = ({ row }: ShownRow): string =>
  row.type === 'gap' ? `gap ${row.from}` : `event ${getNewest(row)?.offset ?? ''}`;

interface TailProps {
  view: TailView;
  topic: TopicDefinition;
  topics: readonly TopicDefinition[];
}

const WIDE_SCREEN = '(min-width: 1100px)';

/** The tail of a topic. Its client lives as long as this component, which another topic or start replaces. */
function Tail({ view, topic, topics }: TailProps) {
  const navigate = route.useNavigate();
  const schema = useTopicSchema();
  const [client] = useState(() => new TailClient(topic, getStart(view)));
  const snapshot = useSyncExternalStore(client.subscribe, client.getSnapshot);
  const filter = useMemo(() => toTailFilter(view), [view]);
  const [expanded, setExpanded] = useState<ReadonlySet<number>>(new Set());
  const held = useHeldRows(snapshot, filter, expanded);
  const names = useNames(held.rows, schema);
  const [selected, setSelected] = useState<TailEvent>();
  const isWide = useMedia(WIDE_SCREEN);
  const { data: activity } = useQuery(activityQuery);
  const hours = activity?.find(({ topicId }) => topicId === topic.id)?.hours;

  const context = useMemo(
    (): RowContext => ({
      schema,
      names,
      selected: selected?.offset,
      open: (offset) => setSelected(findEvent(client.getSnapshot(), offset)),
      expand: ({ events }) => setExpanded((now) => new Set(now).add(events.at(-1)?.offset ?? -1)),
      readGap: (gap) =>
        void client.readGap(gap).catch((thrown: unknown) =>
          toast({
            title: 'The events could not be read',
            description: toServiceError(thrown).message,
            tone: 'bad',
          }),
        ),
    }),
    [client, schema, names, selected],
  );
  const rows = useMemo(() => held.rows.map((row): ShownRow => ({ row, context })), [held.rows, context]);
  const { status, hasStarted } = snapshot;
  const isPaused = status.state === 'paused';
  const hasFilter = Object.keys(view).some((name) => !['topic', 'from', 'since'].includes(name));
  const details = selected && (
    <MessageDetails key={selected.offset} event={selected.event} names={names.entries} />
  );
  return (
    <Page
      fill
      breadcrumbs={<Breadcrumbs />}
      title={topic.name}
      meta={`${hours ? `${formatRate(getRate(hours))} events a minute · ` : ''}${formatNewest(topic)}`}
      actions={
        <>
          <Button
            icon={Download}
            disabledReason={held.rows.length === 0 ? 'There are no events to save' : undefined}
            onClick={() => saveRows(topic.name, held.rows)}
          >
            Save as file
          </Button>
          <Button
            variant="primary"
            icon={isPaused ? Play : Pause}
            onClick={() => (isPaused ? client.resume() : client.pause())}
          >
            {isPaused ? 'Resume' : 'Pause'}
          </Button>
        </>
      }
    >
      <TailFilters
        {...{ view, topics, schema, snapshot }}
        onChange={(next) => void navigate({ to: '.', search: next, replace: true })}
      >
        <StatusText
          status={status}
          waiting={topic.nextOffset - (snapshot.buffer.next ?? topic.nextOffset)}
          onRetry={() => client.retry()}
        />
      </TailFilters>
      <TailChart snapshot={snapshot} />
      <div className="tail-columns">
        <div className="tail-rows">
          {held.newer > 0 && (
            <div className="tail-new">
              <Button size="small" icon={ArrowUp} onClick={held.showNewest}>
                {pluralize(held.newer, 'new row', 'new rows')}
              </Button>
            </div>
          )}
          <DataTable
            label="Events"
            columns={COLUMNS}
            rows={hasStarted ? rows : undefined}
            error={!hasStarted && 'message' in status ? status : undefined}
            {...(status.state === 'lost' && { onRetry: () => client.retry() })}
            rowId={getShownId}
            rowLabel={getShownLabel}
            onScrolledAway={held.setIsReading}
            empty={
              <EmptyState icon={Radio} title="No events yet">
                The next change that {topic.name} streams appears here.
              </EmptyState>
            }
            onClearFilters={
              hasFilter && snapshot.buffer.items.length > 0
                ? () => void navigate({ to: '.', search: keepStart(view), replace: true })
                : undefined
            }
            footer={<TailFooter snapshot={snapshot} shown={held.rows.length} />}
          />
        </div>
        {isWide && (
          <aside className="card tail-dock" aria-label="Event">
            {details ?? (
              <EmptyState icon={Radio} title="Choose an event">
                Its values before and after, its author and who has read it are shown here.
              </EmptyState>
            )}
          </aside>
        )}
      </div>
      {!isWide && selected && (
        <Panel title={`Event ${formatNumber(selected.offset)}`} onClose={() => setSelected(undefined)}>
          <div className="tail-panel">{details}</div>
        </Panel>
      )}
    </Page>
  );
}

const getStart = ({ from, since }: TailView) =>
  from !== undefined ? { from } : since === undefined ? ('live' as const) : { since };

const keepStart = ({ topic, from, since }: TailView): TailView => ({
  topic,
  ...(from !== undefined && { from }),
  ...(since !== undefined && { since }),
});

const findEvent = ({ buffer }: TailSnapshot, offset: number): TailEvent | undefined =>
  buffer.items.find((item): item is TailEvent => item.type === 'event' && item.offset === offset);

/** Rows of the buffer; while somebody has scrolled down, those at that time, with the number of newer ones. */
function useHeldRows(
  { buffer, revision }: TailSnapshot,
  filter: ReturnType<typeof toTailFilter>,
  expanded: ReadonlySet<number>,
) {
  const [isReading, setIsReading] = useState(false);
  const current = useMemo(
    () => buildRows(buffer.items, filter, expanded),
    // oxlint-disable-next-line react/exhaustive-deps -- the buffer changes in place; its revision tells
    [buffer, revision, filter, expanded],
  );
  const [held, setHeld] = useState({ rows: current, filter, expanded });
  const isHeld = isReading && held.filter === filter && held.expanded === expanded;
  if (!isHeld && (held.rows !== current || held.filter !== filter))
    setHeld({ rows: current, filter, expanded });
  const rows = isHeld ? held.rows : current;
  const newest = rows[0] && getRowId(rows[0]);
  const newer = isHeld
    ? Math.max(
        0,
        current.findIndex((row) => getRowId(row) === newest),
      )
    : 0;
  return {
    rows,
    newer,
    setIsReading,
    showNewest: () => {
      setIsReading(false);
      document.querySelector('.tail-rows .tbl-scroll')?.scrollTo({ top: 0 });
    },
  };
}

interface StatusTextProps {
  status: TailStatus;
  /** Events published after the last one that arrived. */
  waiting: number;
  onRetry: () => void;
}

/** State of the connection in words. */
function StatusText({ status, waiting, onRetry }: StatusTextProps): ReactNode {
  const { state } = status;
  return (
    <output className="tail-status">
      {state === 'live' && <AsOf>Live</AsOf>}
      {state === 'connecting' && <AsOf tone="warn">Connecting</AsOf>}
      {state === 'paused' && (
        <AsOf tone="warn">
          Paused{waiting > 0 ? `, ${pluralize(waiting, 'new event', 'new events')}` : ''}
        </AsOf>
      )}
      {'message' in status && (
        <>
          <AsOf tone="bad">{status.message}</AsOf>
          {state === 'lost' && (
            <Button size="small" onClick={onRetry}>
              Try now
            </Button>
          )}
        </>
      )}
    </output>
  );
}

const STEP_MS = 2_000;
const STEPS = 150;
const CHART_HEIGHT = 38;
const CHART_INTERVAL_MS = 2_000;

/** Events of the last five minutes by time, with gaps hatched. */
function TailChart({ snapshot: { buffer, revision } }: { snapshot: TailSnapshot }) {
  const [end, setEnd] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setEnd(Date.now()), CHART_INTERVAL_MS);
    return () => clearInterval(timer);
  }, []);
  const bars = useMemo(
    () => countBySteps(buffer.items, { end, stepMs: STEP_MS, steps: STEPS }),
    // oxlint-disable-next-line react/exhaustive-deps -- the buffer changes in place; its revision tells
    [buffer, revision, end],
  );
  const most = Math.max(1, ...bars.map(({ events }) => events));
  const total = bars.reduce((sum, { events }) => sum + events, 0);
  return (
    <section className="card tail-chart" aria-label="Last five minutes">
      <p className="visually-hidden">
        {pluralize(total, 'event', 'events')} in the last five minutes,{' '}
        {pluralize(bars.filter(({ hasGap }) => hasGap).length, 'gap', 'gaps')}
      </p>
      <svg viewBox={`0 0 ${STEPS} ${CHART_HEIGHT}`} preserveAspectRatio="none" aria-hidden>
        {bars.map(({ events, hasGap }, index) => {
          const height = hasGap ? CHART_HEIGHT : (events / most) * (CHART_HEIGHT - 2);
          return events === 0 && !hasGap ? null : (
            <rect
              // oxlint-disable-next-line react/no-array-index-key -- the place is the identity
              key={index}
              className={hasGap ? 'tail-bar-gap' : 'tail-bar'}
              x={index + 0.12}
              width={0.76}
              y={CHART_HEIGHT - height}
              height={height}
            />
          );
        })}
      </svg>
      <p className="tail-axis num" aria-hidden>
        <span>{formatTime(end - STEPS * STEP_MS)}</span>
        <span>5 minutes, 2 seconds a bar</span>
        <span>{formatTime(end)}</span>
      </p>
    </section>
  );
}

function TailFooter({ snapshot: { buffer }, shown }: { snapshot: TailSnapshot; shown: number }) {
  const { dropped, repeated, items } = buffer;
  const events = items.filter(({ type }) => type === 'event').length;
  const missing = items.filter(({ type }) => type === 'gap').length;
  return (
    <>
      <span>
        {pluralize(events, 'event', 'events')} received, {pluralize(shown, 'row', 'rows')} shown
        {dropped > 0 && `; ${formatNumber(dropped)} older ones are no longer shown`}
      </span>
      <span>
        {missing === 0 && repeated === 0
          ? 'Offsets without gaps, in order'
          : `${pluralize(missing, 'gap', 'gaps')}, ${pluralize(repeated, 'repeated event', 'repeated events')}`}
      </span>
    </>
  );
}

/** Saves the events of the rows, oldest first, a line of JSON each. */
function saveRows(topic: string, rows: readonly TailRow[]): void {
  const events = rows.flatMap((row) =>
    row.type === 'burst' ? row.events : row.type === 'event' ? [row] : [],
  );
  const lines = events.toReversed().map(({ event }) => JSON.stringify(event));
  saveFile(`${topic}.jsonl`, `${lines.join('\n')}\n`, 'application/jsonl');
}
