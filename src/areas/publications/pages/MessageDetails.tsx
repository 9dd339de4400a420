import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Braces, FileText, GitCompareArrows } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import type { EntryChange, PublicationEvent } from '../../../../contract/generated/types.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { usePeopleById } from '../../../directory/directory.ts';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { copyText } from '../../../ui/button/CopyButton.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { Select } from '../../../ui/form/select/Select.tsx';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../ui/layout/Badge.tsx';
import { Fact, Facts } from '../../../ui/layout/Card.tsx';
import { compareTexts, formatChange } from '../model/difference.ts';
import { formatConsumer } from '../model/format.ts';
import {
  KIND_LABELS,
  formatEntity,
  formatFieldName,
  formatMessageValue,
  readEntities,
} from '../model/messages.ts';
import type { EntityKind, MessageEntity, MessageField } from '../model/messages.ts';
import { consumersQuery } from '../model/queries.ts';
import { useTopicSchema } from '../model/schema.ts';
import type { TopicSchema } from '../model/schema.ts';
import { entryChangeQuery } from '../model/source-change.ts';
import { CodeBlock } from './CodeBlock.tsx';
import './publications.css';

const KIND_TONES: Readonly<Record<EntityKind, Tone>> = { created: 'ok', updated: 'info', deleted: 'bad' };

/** What happened to an entity. */
export const KindBadge = ({ kind }: { kind: EntityKind }) => (
  <Badge tone={KIND_TONES[kind]}>{KIND_LABELS[kind]}</Badge>
);

interface AuthorProps {
  event: Pick<PublicationEvent, 'modifiedById' | 'modifiedByUserEmail' | 'proxyUserId' | 'proxyUserEmail'>;
}

/** Who made a change: the user, or the proxy and the principal. Names need the directory, others see addresses. */
function MessageAuthor({ event }: AuthorProps) {
  const { allowed } = usePermission('searchUsers');
  if (typeof event.modifiedById !== 'number') return <>The service</>;
  return allowed ? <NamedAuthor event={event} /> : <AuthorText event={event} getName={() => undefined} />;
}

function NamedAuthor({ event }: AuthorProps) {
  const { modifiedById, proxyUserId } = event;
  const ids = useMemo(
    () => [modifiedById, proxyUserId].filter((id) => typeof id === 'number'),
    [modifiedById, proxyUserId],
  );
  const people = usePeopleById(ids);
  return <AuthorText event={event} getName={(id) => people.get(id)?.name} />;
}

/** Name of the author from a function that knows some names; an address stands for an unknown one. */
export function AuthorText({
  event,
  getName,
}: AuthorProps & { getName: (id: number) => string | undefined }) {
  const { modifiedById, modifiedByUserEmail, proxyUserId, proxyUserEmail } = event;
  if (typeof modifiedById !== 'number') return <>The service</>;
  const principal = getName(modifiedById) ?? modifiedByUserEmail ?? `User ${modifiedById}`;
  if (typeof proxyUserId !== 'number') return <bdi>{principal}</bdi>;
  return (
    <>
      <bdi>{getName(proxyUserId) ?? proxyUserEmail ?? `User ${proxyUserId}`}</bdi>{' '}
      <span className="pub-for">
        for <bdi>{principal}</bdi>
      </span>
    </>
  );
}

/** Entities of a message that can be chosen; the JSON has all. */
const MAX_CHOICES = 200;

type View = 'difference' | 'json';

interface MessageDetailsProps {
  event: PublicationEvent;
  /** Names of entries by id that were looked up. */
  names?: ReadonlyMap<number, string>;
  /** Leaves out the link to the page of the message, on that page. */
  isPage?: boolean;
}

/** A message as a readable difference or as JSON, with its envelope and who has read it. */
export function MessageDetails({ event, names, isPage = false }: MessageDetailsProps) {
  const schema = useTopicSchema();
  const [view, setView] = useState<View>('difference');
  const entities = useMemo(() => readEntities(event), [event]);
  const [index, setIndex] = useState(0);
  const entity = entities[Math.min(index, entities.length - 1)];
  const json = useMemo(() => JSON.stringify(event, undefined, 2), [event]);
  const title = entity ? formatEntity(entity, event, schema, names) : 'Empty message';
  const isEntry = event.entityType === 'Data' && entity?.id !== undefined && entity.typeId !== undefined;
  return (
    <>
      <header className="pub-message-head">
        <h2>
          <bdi>{title}</bdi>
        </h2>
        {entity && <KindBadge kind={entity.kind} />}
        <SegmentedControl
          label="View"
          options={[
            { value: 'difference', label: 'Difference' },
            { value: 'json', label: 'JSON' },
          ]}
          value={view}
          onChange={setView}
        />
      </header>
      <div className="pub-message-author">
        {typeof event.modifiedById === 'number' && (
          <Avatar
            name={event.proxyUserEmail ?? event.modifiedByUserEmail ?? ''}
            id={event.proxyUserId ?? event.modifiedById}
          />
        )}
        <div>
          <MessageAuthor event={event} />
          <small>
            {formatExactDate(event.modifiedAt)}
            {event.schemaVersion !== undefined && ` · schema ${event.schemaVersion}`}
          </small>
        </div>
      </div>
      {view === 'json' ? (
        <div className="pub-message-json">
          <CodeBlock label="JSON" text={json} />
        </div>
      ) : (
        <>
          {entities.length > 1 && (
            <div className="pub-entity-choice">
              <span id="message-entities">{pluralize(entities.length, 'entity', 'entities')}</span>
              <Select
                label="Entities"
                labelledBy="message-entities"
                value={index}
                onChange={setIndex}
                options={entities.slice(0, MAX_CHOICES).map((one, at) => ({
                  value: at,
                  label: `${formatEntity(one, event, schema, names)}, ${KIND_LABELS[one.kind].toLowerCase()}`,
                }))}
              />
            </div>
          )}
          {entity && <EntityFields {...{ event, entity, schema }} />}
          <Envelope event={event} entity={entity} size={json.length} />
        </>
      )}
      <footer className="pub-message-foot">
        {isEntry && entity.id !== undefined && (
          <Link
            to="/entries/$type/$entryId"
            params={{ type: String(entity.typeId), entryId: entity.id }}
            className={buttonClass({ size: 'small' })}
          >
            <FileText />
            Open entry
          </Link>
        )}
        {!isPage && (
          <Link
            to="/publications/message"
            search={{ topic: event.topicName, offset: event.topicOffset }}
            className={buttonClass({ size: 'small' })}
          >
            <GitCompareArrows />
            See the change
          </Link>
        )}
        <Button size="small" icon={Braces} onClick={() => void copyText(json, 'JSON copied')}>
          Copy JSON
        </Button>
      </footer>
    </>
  );
}

interface EntityFieldsProps {
  event: PublicationEvent;
  entity: MessageEntity;
  schema: TopicSchema;
}

function EntityFields(props: EntityFieldsProps) {
  const { event, entity } = props;
  const { allowed } = usePermission('listEntryChanges');
  const canCompare =
    allowed && event.entityType === 'Data' && entity.id !== undefined && entity.typeId !== undefined;
  return canCompare ? <ComparedFields {...props} /> : <FieldList {...props} change={null} />;
}

/** The fields with the values that the history has from before the change. */
function ComparedFields(props: EntityFieldsProps) {
  const { data, error } = useQuery(entryChangeQuery(props.event, props.entity));
  return (
    <FieldList
      {...props}
      change={data ?? null}
      note={
        error
          ? 'The history of the entry could not be read: only new values are shown.'
          : data === null && props.entity.kind === 'updated'
            ? 'This change is not in the history of the entry: only new values are shown.'
            : undefined
      }
    />
  );
}

function FieldList({
  event,
  entity,
  schema,
  change,
  note,
}: EntityFieldsProps & { change: EntryChange | null; note?: string | undefined }) {
  if (entity.fields.length === 0)
    return (
      <p className="pub-fields-none">
        {entity.kind === 'deleted'
          ? 'The entry was deleted; the message has its id.'
          : 'The message has no values.'}
      </p>
    );
  return (
    <dl className="pub-diff">
      {note !== undefined && <p className="pub-soft">{note}</p>}
      {entity.fields.map((field) => (
        <div key={field.fieldId ?? field.apiName}>
          <dt>
            {event.entityType === 'Data' ? formatFieldName(field, entity.typeId, schema) : field.apiName}
          </dt>
          <dd>
            <FieldDifference
              field={field}
              fieldType={schema.fieldById.get(field.fieldId ?? 0)?.fieldType}
              isNew={entity.kind === 'created' || event.entityType !== 'Data'}
              change={change}
            />
          </dd>
        </div>
      ))}
    </dl>
  );
}

interface FieldDifferenceProps {
  field: MessageField;
  fieldType: number | undefined;
  /** There was no value before, or it is not known. */
  isNew: boolean;
  change: EntryChange | null;
}

/** Characters of a value that are shown. */
const MAX_VALUE = 600;
const cut = (text: string): string => (text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text);

function FieldDifference({ field, fieldType, isNew, change }: FieldDifferenceProps): ReactNode {
  if (field.isLargeText)
    return <span className="pub-soft">Text over 10,000 characters, not in the message</span>;
  const after = formatMessageValue(field.value, fieldType);
  const previous = change?.before?.[field.apiName];
  if (isNew || !change) return isNew ? <span>{cut(after)}</span> : <ins>{cut(after)}</ins>;
  const before = formatMessageValue(previous, fieldType);
  if (before === after) return <span>{cut(after)}</span>;
  const parts = compareTexts(before, after);
  if (parts)
    return (
      <span>
        {parts.map(({ kind, text }) =>
          kind === 'removed' ? (
            <del key={kind}>{cut(text)}</del>
          ) : kind === 'added' ? (
            <ins key={kind}>{cut(text)}</ins>
          ) : (
            text
          ),
        )}
      </span>
    );
  const relative = formatChange(previous, field.value);
  return (
    <>
      <del>{cut(before)}</del> <span className="visually-hidden">became</span> <ins>{cut(after)}</ins>
      {relative !== undefined && <small> {relative}</small>}
    </>
  );
}

interface EnvelopeProps {
  event: PublicationEvent;
  entity: MessageEntity | undefined;
  /** Characters of the message. */
  size: number;
}

function Envelope({ event, entity, size }: EnvelopeProps) {
  const { data: consumers = [] } = useQuery(consumersQuery);
  const readers = consumers.filter(({ topicName }) => topicName === event.topicName);
  const [read, unread] = [true, false].map((isRead) =>
    readers.filter(({ offset }) => offset > event.topicOffset === isRead).map(formatConsumer),
  );
  return (
    <Facts>
      <Fact label="Offset">{formatNumber(event.topicOffset)}</Fact>
      {entity?.id !== undefined && <Fact label="Id">{entity.id}</Fact>}
      {event.isCalculated !== undefined && (
        <Fact label="Calculated">{event.isCalculated ? 'Yes' : 'No'}</Fact>
      )}
      {event.partNumber !== undefined && (
        <Fact label="Part">
          {event.partNumber}
          {event.isLastPart === true ? ', the last' : ''}
        </Fact>
      )}
      <Fact label="Size">{formatSize(size)}</Fact>
      {read && read.length > 0 && <Fact label="Read by">{read.join('; ')}</Fact>}
      {unread && unread.length > 0 && <Fact label="Not yet by">{unread.join('; ')}</Fact>}
    </Facts>
  );
}
