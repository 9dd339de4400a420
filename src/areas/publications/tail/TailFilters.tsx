import { Radio } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { ReactNode } from 'react';
import type { TopicDefinition } from '../../../../contract/generated/types.gen.ts';
import { EVENT_RETENTION_DAYS } from '../../../../contract/rules/events.ts';
import { usePermission } from '../../../api/session.ts';
import { usePeopleById } from '../../../directory/directory.ts';
import { PersonPicker } from '../../../directory/PersonPicker.tsx';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { getBrowserTimeZone, parseDateTimeField } from '../../../lib/dates/time-zones.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { formatList } from '../../../lib/search-params.ts';
import type { RawSearch } from '../../../lib/search-params.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { DateInput } from '../../../ui/form/DateInput.tsx';
import { FieldFrame } from '../../../ui/form/FieldFrame.tsx';
import { toTypeOption } from '../../../ui/layout/TypeTile.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { FilterChip, CardChip, ToggleChip } from '../../../ui/table/filter/FilterChips.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { ENTITY_KINDS, KIND_LABELS } from '../model/messages.ts';
import type { TopicSchema } from '../model/schema.ts';
import { parseTailView } from '../model/view.ts';
import type { TailView } from '../model/view.ts';
import type { TailSnapshot } from './tail-client.ts';

interface TailFiltersProps {
  view: TailView;
  topics: readonly TopicDefinition[];
  schema: TopicSchema;
  snapshot: TailSnapshot;
  onChange: (view: TailView) => void;
  /** State of the connection, at the end of the bar. */
  children: ReactNode;
}

/** Topic, start and filters of the tail. */
export function TailFilters({ view, topics, schema, snapshot, onChange, children }: TailFiltersProps) {
  const author = usePermission('searchUsers');
  const topic = topics.find(({ name }) => name === view.topic);
  const change = (next: RawSearch<TailView>) => onChange(parseTailView(dropEmpty({ ...view, ...next })));
  const types = useTypeOptions(topic, schema);
  const fields = useFieldOptions(topic, view, schema);
  const isData = topic?.name !== 'default-users' && topic?.name !== 'default-schema';
  return (
    <TableBar tools={children}>
      <MenuButton
        label={`Topic: ${view.topic}`}
        variant="default"
        size="small"
        icon={Radio}
        align="start"
        items={topics.map(({ name }) => ({
          label: name,
          checked: name === view.topic,
          isRadio: true,
          closesMenu: true,
          onSelect: () => onChange({ topic: name }),
        }))}
      >
        {view.topic}
      </MenuButton>
      <StartChip {...{ view, topic, change }} />
      <FilterChip
        label="Kind"
        options={ENTITY_KINDS.map((kind) => ({
          value: kind,
          label: KIND_LABELS[kind],
          count: countEvents(snapshot, ({ kinds }) => kinds.has(kind)),
        }))}
        value={split(view.kind)}
        onChange={(value) => change({ kind: formatList(value) })}
      />
      {types.length > 1 && (
        <FilterChip
          label="Type"
          options={types.map((type) => ({
            ...type,
            count: countEvents(snapshot, (summary) => summary.types.has(type.value)),
          }))}
          value={split(view.type)}
          onChange={(value) => change({ type: formatList(value) })}
        />
      )}
      {isData && fields.length > 0 && (
        <FilterChip
          label="Field"
          options={fields}
          value={view.field?.split(',') ?? []}
          onChange={(value) => change({ field: value.join(',') })}
        />
      )}
      {author.allowed && <AuthorChip userId={view.by} onChange={(by) => change({ by })} />}
      <ToggleChip
        label="Only through a proxy"
        on={view.proxied === true}
        onChange={(on) => change({ proxied: on || undefined })}
      />
      {isData && (
        <FilterChip
          label="Calculated"
          options={CALCULATED}
          value={view.calculated === undefined ? [] : [view.calculated]}
          onChange={(value) => change({ calculated: value.at(-1) })}
        />
      )}
    </TableBar>
  );
}

const split = (list: string | number = ''): string[] => (list === '' ? [] : String(list).split('-'));

const CALCULATED = [
  { value: 'hidden', label: 'Hidden' },
  { value: 'only', label: 'Only calculated' },
];

const dropEmpty = (view: RawSearch<TailView>): RawSearch<TailView> =>
  Object.fromEntries(Object.entries(view).filter(([, value]) => value !== undefined && value !== ''));

/** Events of the buffer with a property. */
const countEvents = (
  { buffer }: TailSnapshot,
  matches: (summary: { kinds: ReadonlySet<string>; types: ReadonlySet<string> }) => boolean,
): number => buffer.items.filter((item) => item.type === 'event' && matches(item.summary)).length;

/** Entry types that the topic streams, or kinds of entities. */
function useTypeOptions(topic: TopicDefinition | undefined, { types, typeById }: TopicSchema) {
  return useMemo(() => {
    if (topic?.name === 'default-users')
      return [
        { value: 'Users', label: 'Users' },
        { value: 'UserGroups', label: 'Groups' },
      ];
    if (topic?.name === 'default-schema') return [];
    const ids =
      topic?.isDefault === true
        ? types.map(({ id }) => id)
        : (topic?.entryTypes ?? []).map(({ entryTypeId }) => entryTypeId);
    return ids.map((id) => {
      const type = typeById.get(id);
      return type ? { ...toTypeOption(type), value: String(id) } : { value: String(id), label: `Type ${id}` };
    });
  }, [topic, types, typeById]);
}

/** Fields that the topic streams of the chosen types, by API name; fields of several types count as one. */
function useFieldOptions(topic: TopicDefinition | undefined, { type }: TailView, schema: TopicSchema) {
  return useMemo(() => {
    const chosen = type === undefined ? undefined : split(type);
    const streamed =
      topic?.isDefault === true
        ? schema.types.map(({ id }) => ({ entryTypeId: id, fieldIds: undefined }))
        : (topic?.entryTypes ?? []);
    const fields = streamed
      .filter(({ entryTypeId }) => !chosen || chosen.includes(String(entryTypeId)))
      .flatMap(({ entryTypeId, fieldIds }) =>
        schema.getFields(entryTypeId).filter(({ id }) => !fieldIds || fieldIds.includes(id)),
      );
    const names = new Map(fields.map(({ apiName, name }) => [apiName, name]));
    return [...names]
      .map(([value, label]) => ({ value, label }))
      .toSorted((a, b) => a.label.localeCompare(b.label));
  }, [topic, type, schema]);
}

interface StartChipProps {
  view: TailView;
  topic: TopicDefinition | undefined;
  change: (next: RawSearch<TailView>) => void;
}

/** Where the tail begins: with new events, at an offset, or at a time. */
function StartChip({ view: { from, since }, topic, change }: StartChipProps) {
  const value =
    from !== undefined
      ? `offset ${formatNumber(from)}`
      : since !== undefined
        ? formatExactDate(since)
        : 'newest events';
  const isLive = from === undefined && since === undefined;
  return (
    <CardChip
      label="Start"
      value={value}
      onClear={isLive ? undefined : () => change({ from: undefined, since: undefined })}
    >
      {(close) => (
        <StartForm
          topic={topic}
          onChange={(next) => {
            close();
            change({ from: undefined, since: undefined, ...next });
          }}
        />
      )}
    </CardChip>
  );
}

interface StartFormProps {
  topic: TopicDefinition | undefined;
  onChange: (start: { from?: number; since?: string }) => void;
}

function StartForm({ topic, onChange }: StartFormProps) {
  const [offset, setOffset] = useState('');
  const [time, setTime] = useState('');
  const [problem, setProblem] = useState<{ field: 'time' | 'offset'; text: string }>();
  const { oldestOffset = 0, nextOffset = 0 } = topic ?? {};
  const submit = () => {
    if (time !== '') {
      const since = parseDateTimeField(time, getBrowserTimeZone());
      if (since === undefined)
        setProblem({ field: 'time', text: 'Enter a date and time, or an offset only' });
      else onChange({ since: new Date(since).toISOString() });
      return;
    }
    const from = Number(offset);
    if (/^\d{1,16}$/.test(offset.trim()) && from >= oldestOffset && from <= nextOffset) onChange({ from });
    else
      setProblem({
        field: 'offset',
        text: `Enter a time, or an offset from ${formatNumber(oldestOffset)} to ${formatNumber(nextOffset)}`,
      });
  };
  return (
    <form
      className="tail-start"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <FieldFrame id="tail-since" noteId={undefined} label="Since">
        <DateInput
          id="tail-since"
          kind="time"
          timeZone={getBrowserTimeZone()}
          value={time}
          isInvalid={problem?.field === 'time'}
          describedBy="tail-start-note"
          onChange={setTime}
        />
      </FieldFrame>
      <label className="field">
        <span className="field-label">or at offset</span>
        <input
          className="input"
          inputMode="numeric"
          placeholder={formatNumber(oldestOffset)}
          value={offset}
          aria-invalid={problem?.field === 'offset'}
          aria-describedby="tail-start-note"
          onChange={({ target }) => setOffset(target.value)}
        />
      </label>
      <p id="tail-start-note" className={problem === undefined ? 'field-hint' : 'field-error'}>
        {problem?.text ??
          `Events are stored for ${EVENT_RETENTION_DAYS} days. The tail continues with new events.`}
      </p>
      <div className="tail-start-foot">
        <Button onClick={() => onChange({})}>Newest events</Button>
        <Button type="submit" variant="primary">
          Start there
        </Button>
      </div>
    </form>
  );
}

interface AuthorChipProps {
  userId: number | undefined;
  onChange: (userId: number | undefined) => void;
}

const NOBODY: readonly number[] = [];

/** Filters by the user who made the change, or for whom a proxy made it. */
function AuthorChip({ userId, onChange }: AuthorChipProps) {
  const ids = useMemo(() => (userId === undefined ? NOBODY : [userId]), [userId]);
  const people = usePeopleById(ids);
  return (
    <CardChip
      label="Author"
      value={userId === undefined ? undefined : (people.get(userId)?.name ?? `User ${userId}`)}
      onClear={() => onChange(undefined)}
    >
      {(close) => (
        <div className="tail-start">
          <PersonPicker
            label="Author"
            placeholder="Name, e-mail or id"
            hint="Finds changes of the person, also through a proxy and as one."
            // The popover was opened to find a person.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            getDisabledReason={() => undefined}
            onSelect={(id) => {
              close();
              onChange(id);
            }}
          />
        </div>
      )}
    </CardChip>
  );
}
