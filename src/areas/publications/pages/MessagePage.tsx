import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi } from '@tanstack/react-router';
import { Radio } from 'lucide-react';
import { useMemo } from 'react';
import type { EntryChange, PublicationEvent, UserChange } from '../../../../contract/generated/types.gen.ts';
import { EVENT_RETENTION_DAYS } from '../../../../contract/rules/events.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { listTopicEvents } from '../../../api/generated/sdk/publications.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card, CardBody, Fact, Facts } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { formatMessageValue, readEntities } from '../model/messages.ts';
import type { MessageEntity } from '../model/messages.ts';
import { topicsQuery } from '../model/queries.ts';
import { entryChangeQuery, userChangeQuery } from '../model/source-change.ts';
import { parseMessageView } from '../model/view.ts';
import type { MessageView } from '../model/view.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { MessageDetails } from './MessageDetails.tsx';
import './publications.css';

const route = getRouteApi('/_app/publications/message');

/** A change, its stored row and its message side by side. */
export function MessagePage() {
  const { allowed, reason } = usePermission('listTopicEvents');
  if (!allowed) throw new ServiceError(403, reason);
  const params = route.useSearch();
  const view = useMemo(() => parseMessageView(params), [params]);
  const topicList = useQuery(topicsQuery);
  const topics = topicList.data;
  const topic = topics?.find(({ name }) => name === view.topic);
  const search = useQuery({
    queryKey: [{ _id: 'listTopicEvents', message: view, topicId: topic?.id }],
    queryFn: ({ signal }) => findMessage(topic?.id ?? 0, view, signal),
    enabled: topic !== undefined,
    staleTime: Infinity,
  });
  const found = search.data;
  const failed = [topicList, search].find(({ data, error }) => data === undefined && error !== null);
  const event = found && 'eventId' in found ? found : undefined;
  return (
    <Page
      title={event ? `Event ${formatNumber(event.topicOffset)} of ${view.topic}` : 'Event'}
      breadcrumbs={<Breadcrumbs />}
      meta={event && formatExactDate(event.modifiedAt)}
      actions={
        event && (
          <Link
            to="/publications/tail"
            search={{ topic: view.topic, from: Math.max(0, event.topicOffset - EVENTS_BEFORE) }}
          >
            Show it in the tail
          </Link>
        )
      }
    >
      {failed ? (
        <ErrorState
          title="The event could not be loaded"
          onRetry={() => void failed.refetch()}
          retrying={failed.isFetching}
        >
          {toServiceError(failed.error).message}
        </ErrorState>
      ) : event ? (
        <SideBySide event={event} view={view} />
      ) : found && 'nextOffset' in found ? (
        <EmptyState
          icon={Radio}
          title={`Not among ${formatNumber(MAX_PAGES * PAGE_SIZE)} events`}
          actions={
            <Link
              to="/publications/tail"
              search={{ topic: view.topic, from: found.nextOffset }}
              className={buttonClass()}
            >
              Show the events after them
            </Link>
          }
        >
          Many events begin at the time of this change, as after a change of many entries. Its own may follow
          later.
        </EmptyState>
      ) : found === null || (topics && !topic) ? (
        <EmptyState icon={Radio} title="No event for this change">
          Events are kept for {EVENT_RETENTION_DAYS} days. A change that is older, or that {view.topic} does
          not stream, has no message any more.
        </EmptyState>
      ) : (
        <SkeletonRows />
      )}
    </Page>
  );
}

/** Events that the tail shows before the one of this page. */
const EVENTS_BEFORE = 10;
/** Events that are searched for the entity of a change. */
const PAGE_SIZE = 100;
const MAX_PAGES = 10;
/** Events are found by the start of their transaction, which is before the time of a row that it writes. */
const MAX_TRANSACTION_MS = 120_000;

/** A search that ended before the last event. */
interface EndedSearch {
  nextOffset: number;
}

/**
 * The message at an offset, or the first one about an entity that was finished at or after the time of its change; null if there
 * is none.
 */
async function findMessage(
  topicId: number,
  { offset, at, entity }: MessageView,
  signal: AbortSignal,
): Promise<PublicationEvent | EndedSearch | null> {
  const list = async (query: { from?: number; since?: string; limit: number }) =>
    (await listTopicEvents({ path: { topicId }, query, signal })).data;
  if (offset !== undefined)
    return (await list({ from: offset, limit: 1 })).find(({ topicOffset }) => topicOffset === offset) ?? null;
  if (at === undefined) return null;
  const since = new Date(Date.parse(at) - MAX_TRANSACTION_MS).toISOString();
  let events = await list({ since, limit: PAGE_SIZE });
  for (let page = 1; ; page += 1) {
    const found = events.find(
      (event) =>
        Date.parse(event.modifiedAt) >= Date.parse(at) && readEntities(event).some(({ id }) => id === entity),
    );
    const last = events.at(-1);
    if (found || !last) return found ?? null;
    if (page === MAX_PAGES) return { nextOffset: last.topicOffset + 1 };
    events = await list({ from: last.topicOffset + 1, limit: PAGE_SIZE });
  }
}

function SideBySide({ event, view }: { event: PublicationEvent; view: MessageView }) {
  const entities = useMemo(() => readEntities(event), [event]);
  const entity = entities.find(({ id }) => view.entity !== undefined && id === view.entity) ?? entities[0];
  return (
    <div className="pub-sides">
      <section className="card" aria-label="Change">
        <MessageDetails event={event} isPage />
      </section>
      <StoredRow event={event} entity={entity} />
      <Card title="Message">
        <CardBody>
          <CodeBlock label="Message" text={JSON.stringify(event, undefined, 2)} />
        </CardBody>
      </Card>
    </div>
  );
}

/** Where the change is stored: the history of an entry, or the audit log of a user. */
function StoredRow({ event, entity }: { event: PublicationEvent; entity: MessageEntity | undefined }) {
  const history = usePermission('listEntryChanges');
  const audit = usePermission('listUserChanges');
  if (event.entityType === 'Data' && entity?.id !== undefined && entity.typeId !== undefined)
    return history.allowed ? (
      <HistoryRow event={event} entity={entity} />
    ) : (
      <NoRow title="History row" text={`${history.reason}.`} />
    );
  if (event.entityType === 'Users' && entity?.id !== undefined)
    return audit.allowed ? (
      <AuditRow event={event} userId={entity.id} />
    ) : (
      <NoRow title="Audit row" text={`${audit.reason}.`} />
    );
  return (
    <NoRow
      title="Audit row"
      text="The audit rows of groups, entry types and fields cannot be read one by one; the message has the author and the time."
    />
  );
}

function NoRow({ title, text }: { title: string; text: string }) {
  return (
    <Card title={title}>
      <CardBody>
        <p className="pub-soft">{text}</p>
      </CardBody>
    </Card>
  );
}

const NOT_FOUND =
  'No row agrees with the message in time, author and fields. It may have been written by a task of the service, or the entry was deleted for good.';

function HistoryRow({ event, entity }: { event: PublicationEvent; entity: MessageEntity }) {
  const { data, error } = useQuery(entryChangeQuery(event, entity));
  if (error) return <NoRow title="History row" text={toServiceError(error).message} />;
  if (data === null) return <NoRow title="History row" text={NOT_FOUND} />;
  return (
    <Card
      title="History row"
      actions={
        <Link to="/entries/$type/$entryId" params={{ type: String(entity.typeId), entryId: entity.id ?? 0 }}>
          Open entry
        </Link>
      }
    >
      {data ? <HistoryFacts change={data} /> : <SkeletonRows />}
    </Card>
  );
}

function HistoryFacts({ change }: { change: EntryChange }) {
  const { at, kind, by, proxy, fields = [], before, after } = change;
  return (
    <Facts>
      <Fact label="Time">{formatExactDate(at)}</Fact>
      <Fact label="Kind">{kind}</Fact>
      <Fact label="By">{by ? `${by.name}, user ${by.id}` : 'The service'}</Fact>
      {proxy && <Fact label="Proxy">{`${proxy.name}, user ${proxy.id}`}</Fact>}
      {fields.map((apiName) => (
        <Fact key={apiName} label={apiName}>
          <span className="pub-diff">
            <del>{formatMessageValue(before?.[apiName])}</del> <span className="visually-hidden">became</span>{' '}
            <ins>{formatMessageValue(after?.[apiName])}</ins>
          </span>
        </Fact>
      ))}
    </Facts>
  );
}

function AuditRow({ event, userId }: { event: PublicationEvent; userId: number }) {
  const { data, error } = useQuery(userChangeQuery(event, userId));
  if (error) return <NoRow title="Audit row" text={toServiceError(error).message} />;
  if (data === null) return <NoRow title="Audit row" text={NOT_FOUND} />;
  return (
    <Card
      title={data ? `Audit row ${data.id}` : 'Audit row'}
      actions={
        <Link to="/users/$userId/activity" params={{ userId }} search={{ view: 'to' }}>
          Open changes
        </Link>
      }
    >
      {data ? <AuditFacts change={data} /> : <SkeletonRows />}
    </Card>
  );
}

function AuditFacts({ change }: { change: UserChange }) {
  const { date, action, changedByName, changedBy, proxyUserName, ipAddress, changes } = change;
  return (
    <Facts>
      <Fact label="Time">{formatExactDate(date)}</Fact>
      <Fact label="Action">
        <code>{action}</code>
      </Fact>
      <Fact label="By">{changedByName ?? (changedBy === null ? 'The service' : `User ${changedBy}`)}</Fact>
      {proxyUserName !== null && <Fact label="Proxy">{proxyUserName}</Fact>}
      {ipAddress !== null && <Fact label="Address">{ipAddress}</Fact>}
      {Object.entries(changes).map(([property, value]) => {
        const isPair = Array.isArray(value) && value.length === 2;
        return (
          <Fact key={property} label={property}>
            {isPair ? (
              <span className="pub-diff">
                <del>{formatMessageValue(value[0])}</del> <span className="visually-hidden">became</span>{' '}
                <ins>{formatMessageValue(value[1])}</ins>
              </span>
            ) : (
              formatMessageValue(value)
            )}
          </Fact>
        );
      })}
    </Facts>
  );
}
