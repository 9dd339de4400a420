import { useQuery } from '@tanstack/react-query';
import { Link, getRouteApi, useRouter } from '@tanstack/react-router';
import { Pencil, Radio } from 'lucide-react';
import { useState } from 'react';
import type { TopicDefinition } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { usePermission } from '../../../api/session.ts';
import { saveFile } from '../../../files/download.ts';
import { formatExactDate, formatMoment } from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Select } from '../../../ui/form/select/Select.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card, CardBody, Fact, Facts } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { TabLinks } from '../../../ui/layout/TabLinks.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { formatNewest, formatRate, getRate } from '../model/format.ts';
import { KIND_LABELS, formatFields, formatTitle, summarize } from '../model/messages.ts';
import { buildConsumer, buildCurl } from '../model/programs.ts';
import {
  activityQuery,
  consumersQuery,
  destinationsQuery,
  eventsQuery,
  messageSchemaQuery,
  topicsQuery,
} from '../model/queries.ts';
import { useTopicSchema } from '../model/schema.ts';
import { parseTopicView } from '../model/view.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { FieldTree } from './FieldTree.tsx';
import { EditTopicPage, NewTopicPage } from './TopicEditor.tsx';
import { ReadingState, Sparkline, TopicGone, TopicTile, useTopicMenu } from './TopicsPage.tsx';
import './publications.css';

const route = getRouteApi('/_app/publications/topics/$topicId');

/** One topic: its fields, messages, schema and programs to copy; or the form that creates or edits one. */
export function TopicPage() {
  const { topicId } = route.useParams();
  const { edit } = parseTopicView(route.useSearch());
  const { data: topics } = useQuery(topicsQuery);
  if (topicId === 'new') return <NewTopicPage />;
  const topic = topics?.find(({ id }) => id === topicId);
  if (!topics) return null;
  if (!topic)
    return (
      <Page title="Topic" breadcrumbs={<Breadcrumbs />}>
        <TopicGone />
      </Page>
    );
  return edit && !topic.isDefault ? <EditTopicPage topic={topic} /> : <TopicDetails topic={topic} />;
}

function TopicDetails({ topic }: { topic: TopicDefinition }) {
  const { tab } = parseTopicView(route.useSearch());
  const router = useRouter();
  const { reason } = usePermission('updateTopicDefinition');
  const menu = useTopicMenu(() => void router.navigate({ to: '/publications' }));
  const { data: activity } = useQuery(activityQuery);
  const hours = activity?.find(({ topicId }) => topicId === topic.id)?.hours;
  const params = { topicId: topic.id };
  return (
    <Page
      breadcrumbs={<Breadcrumbs />}
      lead={<TopicTile topic={topic} size="large" />}
      title={topic.name}
      badge={<Badge>{topic.isDefault ? 'Default topic' : topic.format}</Badge>}
      meta={`${hours ? `${formatRate(getRate(hours))} events a minute · ` : ''}${formatNewest(topic)}`}
      actions={
        <>
          <Link to="/publications/tail" search={{ topic: topic.name }} className={buttonClass()}>
            <Radio />
            Live tail
          </Link>
          {!topic.isDefault && (
            <Button
              icon={Pencil}
              disabledReason={reason}
              onClick={() =>
                void router.navigate({
                  to: '/publications/topics/$topicId',
                  params,
                  search: { edit: true },
                })
              }
            >
              Edit
            </Button>
          )}
          <MenuButton label={`Actions for ${topic.name}`} variant="default" items={() => menu(topic)} />
        </>
      }
    >
      <TabLinks label={topic.name}>
        <Link to="/publications/topics/$topicId" params={params} search={{}} activeOptions={{ exact: true }}>
          Fields
        </Link>
        <Link to="/publications/topics/$topicId" params={params} search={{ tab: 'messages' }}>
          Messages
        </Link>
        <Link to="/publications/topics/$topicId" params={params} search={{ tab: 'schema' }}>
          Schema
        </Link>
        <Link to="/publications/topics/$topicId" params={params} search={{ tab: 'use' }}>
          Read it
        </Link>
      </TabLinks>
      <div className="pub-columns">
        <div className="pub-main">
          {tab === undefined && <FieldsTab topic={topic} />}
          {tab === 'messages' && <MessagesTab topic={topic} />}
          {tab === 'schema' && <SchemaTab topic={topic} />}
          {tab === 'use' && <UseTab topic={topic} />}
        </div>
        <TopicSide topic={topic} hours={hours} />
      </div>
    </Page>
  );
}

/** What a topic streams; topics of users and schema have whole entities. */
function FieldsTab({ topic }: { topic: TopicDefinition }) {
  const schema = useTopicSchema();
  const { allowed, reason } = usePermission('listAllFields');
  const text = ENTITY_TEXTS[topic.name];
  return (
    <Card title={topic.isDefault ? 'All events of this kind' : 'Fields'}>
      <CardBody>
        {text !== undefined && topic.isDefault ? (
          <p className="pub-prose">{text}</p>
        ) : !allowed ? (
          <p className="pub-prose">The names of types and fields cannot be shown. {reason}.</p>
        ) : schema.isLoaded ? (
          <FieldTree schema={schema} entryTypes={topic.isDefault ? null : topic.entryTypes} />
        ) : (
          <SkeletonRows />
        )}
      </CardBody>
    </Card>
  );
}

const ENTITY_TEXTS: Readonly<Record<string, string>> = {
  'default-users':
    'Each event has a user or a group with its properties after the change. Groups have UserGroupEntryID, the id of their entry. Secrets are never included.',
  'default-schema':
    'Each event has an entry type or a field with its properties after the change, and the schemaVersion of the site.',
};

/** Newest events that are shown as samples. */
const MAX_SAMPLES = 20;

function MessagesTab({ topic }: { topic: TopicDefinition }) {
  const schema = useTopicSchema();
  const from = Math.max(topic.oldestOffset, topic.nextOffset - MAX_SAMPLES);
  // The positions of the topic are read again and again; a new event changes this query, so that it is read too.
  const limit = topic.nextOffset - from + 1;
  const { data, error, refetch, isFetching } = useQuery({
    ...eventsQuery(topic.id, { from }, limit),
    placeholderData: (previous) => previous,
  });
  if (error)
    return (
      <ErrorState
        title="Messages could not be loaded"
        onRetry={() => void refetch()}
        retrying={isFetching}
        requestId={toServiceError(error).requestId}
      >
        {toServiceError(error).message}
      </ErrorState>
    );
  if (!data) return <SkeletonRows />;
  if (data.length === 0)
    return (
      <EmptyState icon={Radio} title="No stored messages">
        Events are stored for 9 days. The next change that the topic streams appears here.
      </EmptyState>
    );
  return (
    <Card
      title={`Newest ${pluralize(data.length, 'message', 'messages')}`}
      actions={
        <Link to="/publications/tail" search={{ topic: topic.name }}>
          Follow in the live tail
        </Link>
      }
    >
      <ul className="pub-messages">
        {data.toReversed().map((event) => {
          const summary = summarize(event);
          return (
            <li key={event.topicOffset}>
              <details>
                <summary>
                  <span className="num">{formatNumber(event.topicOffset)}</span>
                  <b>{formatTitle(event, summary, schema)}</b>
                  <span>
                    {[...summary.kinds].map((kind) => KIND_LABELS[kind]).join(', ')}{' '}
                    {formatFields(summary, schema)}
                  </span>
                  <time dateTime={event.modifiedAt}>{formatExactDate(event.modifiedAt)}</time>
                </summary>
                <CodeBlock
                  label={`Message ${event.topicOffset}`}
                  text={JSON.stringify(event, undefined, 2)}
                />
              </details>
            </li>
          );
        })}
      </ul>
    </Card>
  );
}

function SchemaTab({ topic }: { topic: TopicDefinition }) {
  const [version, setVersion] = useState<number>();
  const { data, error, refetch, isFetching } = useQuery({
    ...messageSchemaQuery(topic.id, version),
    // The schema before stays until the other one is there.
    placeholderData: (previous) => previous,
  });
  if (error)
    return (
      <ErrorState title="The schema could not be loaded" onRetry={() => void refetch()} retrying={isFetching}>
        {toServiceError(error).message}
      </ErrorState>
    );
  if (!data) return <SkeletonRows />;
  const text = JSON.stringify(data.schema, undefined, 2);
  return (
    <Card
      title={`JSON Schema of the messages at schema version ${data.schemaVersion}`}
      actions={
        <>
          {data.versions.length > 1 && (
            <Select
              label="Version of the schema"
              options={data.versions.map(({ schemaVersion, createdDate }) => ({
                value: schemaVersion,
                label: `Version ${schemaVersion}, since ${formatMoment(createdDate)}`,
              }))}
              value={version ?? data.schemaVersion}
              onChange={setVersion}
            />
          )}
          <Button size="small" onClick={() => saveFile(`${topic.name}.schema.json`, text)}>
            Save as file
          </Button>
        </>
      }
    >
      <CardBody>
        <p className="pub-prose">
          JSON Schema 2020-12. Programs read it at{' '}
          <code className="pub-path">GET /api/rest/v1/publication/topicdefinitions/{topic.id}/schema</code>,
          of an earlier version with <code className="pub-path">?schemaVersion=</code>, and all topics as
          AsyncAPI 3 at <code className="pub-path">GET /api/current/asyncapi.json</code>.
        </p>
        <CodeBlock label="JSON Schema" text={text} />
      </CardBody>
    </Card>
  );
}

function UseTab({ topic: { name } }: { topic: TopicDefinition }) {
  const { origin } = location;
  return (
    <>
      <Card title="With curl">
        <CardBody>
          <p className="pub-prose">
            A program needs an API key with the scope <code>publish</code>, whose user has Read Publications.
            You turn a key on in <Link to="/profile">your profile</Link>.
          </p>
          <CodeBlock label="curl commands" text={buildCurl(origin, name)} />
        </CardBody>
      </Card>
      <Card title="As a complete consumer">
        <CardBody>
          <p className="pub-prose">
            Prints each event once it is there, acknowledges it, and continues where it ended. Start it with{' '}
            <code className="pub-path">
              STEWARD_URL={origin} CLIENT_ID=… CLIENT_SECRET=… node consumer.mjs
            </code>
            .
          </p>
          <CodeBlock label="consumer" text={buildConsumer(name)} />
        </CardBody>
      </Card>
    </>
  );
}

function TopicSide({ topic, hours }: { topic: TopicDefinition; hours: readonly number[] | undefined }) {
  const { data: consumers, dataUpdatedAt: now, error } = useQuery(consumersQuery);
  const { allowed } = usePermission('listDestinations');
  const { data: destinations } = useQuery({ ...destinationsQuery, enabled: allowed });
  const readers = consumers?.filter(({ topicId }) => topicId === topic.id);
  const pushed = destinations?.filter(({ topicId }) => topicId === topic.id);
  const { oldestOffset, nextOffset, oldestAt, sourceLag } = topic;
  return (
    <div className="pub-side">
      <Card title="Kept for 9 days">
        {hours && (
          <div className="pub-day">
            <Sparkline hours={hours} />
            <span className="pub-soft">
              {pluralize(
                hours.reduce((sum, count) => sum + count, 0),
                'event',
                'events',
              )}{' '}
              in the last 24 hours
            </span>
          </div>
        )}
        <Facts>
          <Fact label="Events">{formatNumber(nextOffset - oldestOffset)}</Fact>
          <Fact label="Oldest offset">
            {nextOffset === oldestOffset ? 'None' : formatNumber(oldestOffset)}
            {typeof oldestAt === 'string' && (
              <>
                {', '}
                <Timestamp at={oldestAt} />
              </>
            )}
          </Fact>
          <Fact label="Newest offset">
            {nextOffset === oldestOffset ? 'None' : formatNumber(nextOffset - 1)}
          </Fact>
          {sourceLag !== undefined && (
            <Fact label="Pending">
              {sourceLag === 0 ? 'Nothing' : `${pluralize(sourceLag, 'change', 'changes')} of default-data`}
            </Fact>
          )}
        </Facts>
      </Card>
      <Card title="Consumers">
        {readers && readers.length > 0 ? (
          <ul className="pub-side-list">
            {readers.map((consumer) => (
              <li key={consumer.clientId}>
                <Link to="/publications/{-$list}" params={{ list: 'consumers' }} search={{ topic: topic.id }}>
                  {consumer.userName}
                </Link>{' '}
                <small>key {consumer.clientId}</small>
                <ReadingState consumer={consumer} now={now} />
              </li>
            ))}
          </ul>
        ) : (
          <CardBody>
            <p className="pub-soft">
              {readers ? 'No consumers.' : error ? 'They could not be loaded.' : 'Loading'}
            </p>
          </CardBody>
        )}
      </Card>
      {pushed && pushed.length > 0 && (
        <Card title="Destinations">
          <ul className="pub-side-list">
            {pushed.map(({ id, name, lag }) => (
              <li key={id}>
                {name} <small>{pluralize(lag, 'event', 'events')} to deliver</small>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </div>
  );
}
