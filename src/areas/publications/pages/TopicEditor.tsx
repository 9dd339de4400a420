import { zodResolver } from '@hookform/resolvers/zod';
import { keepPreviousData, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useDeferredValue, useId, useState } from 'react';
import { useController, useForm, useWatch } from 'react-hook-form';
import type { Control, FieldError, UseFormReturn } from 'react-hook-form';
import type {
  NewTopicDefinition,
  TopicDefinition,
  TopicRehearsal,
} from '../../../../contract/generated/types.gen.ts';
import { useConditionalSave } from '../../../api/conditional-save.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import {
  createTopicDefinition,
  getTopicDefinition,
  rehearseTopicDefinition,
  updateTopicDefinition,
} from '../../../api/generated/sdk/publications.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { ConflictBanner } from '../../../app/freshness/ConflictBanner.tsx';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { useUnsavedGuard } from '../../../ui/dialog/unsaved-work.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { FieldNote } from '../../../ui/form/FieldFrame.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Card, CardBody, Fact, Facts } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { toast } from '../../../ui/toast.ts';
import { formatConsumer } from '../model/format.ts';
import { formatTitle, summarize } from '../model/messages.ts';
import { consumersQuery, topicQuery } from '../model/queries.ts';
import { useTopicSchema } from '../model/schema.ts';
import { toRehearsed, toTopicValues, topicSchema } from '../model/topic-form.ts';
import type { TopicValues } from '../model/topic-form.ts';
import { CodeBlock } from './CodeBlock.tsx';
import { FieldTree } from './FieldTree.tsx';
import './publications.css';

/** Page that creates a custom topic. */
export function NewTopicPage() {
  const { allowed, reason } = usePermission('createTopicDefinition');
  if (!allowed) throw new ServiceError(403, reason);
  return <NewTopic />;
}

function NewTopic() {
  const router = useRouter();
  const create = useWrite('createTopicDefinition', {
    mutationFn: async (body: TopicValues) => (await createTopicDefinition({ body })).data,
  });
  const form = useForm({ resolver: zodResolver(topicSchema), defaultValues: toTopicValues() });
  const submit = async (body: TopicValues) => {
    const topic = await create.mutateAsync(body).catch(() => undefined);
    if (!topic) return;
    toast({ title: `The topic ${topic.name} was created` });
    await router.navigate({
      to: '/publications/topics/$topicId',
      params: { topicId: topic.id },
      ignoreBlocker: true,
    });
  };
  return (
    <TopicEditor
      form={form}
      title="New topic"
      meta="Streams changes made after its creation"
      submitLabel="Create topic"
      error={create.error}
      onSubmit={submit}
      onCancel={() => void router.navigate({ to: '/publications' })}
    />
  );
}

/** Page that edits a custom topic. */
export function EditTopicPage({ topic }: { topic: TopicDefinition }) {
  const { allowed, reason } = usePermission('updateTopicDefinition');
  if (!allowed) throw new ServiceError(403, reason);
  return <EditTopic key={topic.id} topicId={topic.id} />;
}

function EditTopic({ topicId }: { topicId: number }) {
  const router = useRouter();
  const client = useQueryClient();
  const { data: current } = useSuspenseQuery(topicQuery(topicId));
  // Editing starts with this state: a later reading must not replace what was typed.
  const [initial] = useState(current);
  const path = { topicId };
  const { base, hasConflict, error, save } = useConditionalSave({
    initial,
    operation: 'updateTopicDefinition',
    write: (body: TopicValues, match) => updateTopicDefinition({ path, body, ...match }),
    read: () => getTopicDefinition({ path }),
  });
  const form = useForm({ resolver: zodResolver(topicSchema), defaultValues: toTopicValues(initial.data) });
  const leave = (ignoreBlocker: boolean) =>
    router.navigate({ to: '/publications/topics/$topicId', params: path, search: {}, ignoreBlocker });
  const submit = async (values: TopicValues) => {
    const saved = await save(values);
    if (!saved) return;
    await client.invalidateQueries({ queryKey: topicQuery(topicId).queryKey });
    toast({ title: `The topic ${saved.name} was saved` });
    await leave(true);
  };
  return (
    <TopicEditor
      form={form}
      title={`Edit ${initial.data.name}`}
      meta="Applies to changes from now on; stored events do not change"
      submitLabel="Save topic"
      topicId={topicId}
      error={error}
      onSubmit={submit}
      onCancel={() => void leave(false)}
      conflict={
        hasConflict
          ? `It is now ${base.name} with ${pluralize(base.entryTypes.length, 'entry type', 'entry types')}.`
          : undefined
      }
    />
  );
}

interface TopicEditorProps {
  form: UseFormReturn<TopicValues, unknown, TopicValues>;
  title: string;
  meta: string;
  submitLabel: string;
  /** Set for a stored topic. */
  topicId?: number;
  error: ServiceError | null | undefined;
  onSubmit: (values: TopicValues) => Promise<void>;
  onCancel: () => void;
  /** What another user has saved in the meantime. */
  conflict?: string | undefined;
}

function TopicEditor(props: TopicEditorProps) {
  const { form, title, meta, submitLabel, topicId, error, onSubmit, onCancel, conflict } = props;
  const { isDirty, isSubmitting } = form.formState;
  useUnsavedGuard(isDirty, (search) => !('edit' in search));
  // The rehearsal follows the input with low priority.
  const values = useDeferredValue(useWatch({ control: form.control }));
  return (
    <Page title={title} meta={meta} breadcrumbs={<Breadcrumbs />}>
      <div className="pub-editor">
        <Card title="Definition">
          <CardBody>
            <Form {...{ form, error, submitLabel, onSubmit, onCancel }} pending={isSubmitting}>
              {conflict !== undefined && (
                <ConflictBanner
                  action="topic.update"
                  subjectType="topic"
                  subjectId={topicId ?? 0}
                  what="the topic"
                >
                  {conflict} Your changes are not saved yet. Saving again replaces it with yours.
                </ConflictBanner>
              )}
              <TextField
                control={form.control}
                name="name"
                label="Name"
                placeholder="energy-deals"
                hint={
                  topicId === undefined
                    ? 'Programs poll the topic by this name.'
                    : 'Programs that poll the old name are refused.'
                }
              />
              <FormatField control={form.control} />
              <EntryTypesField control={form.control} />
            </Form>
          </CardBody>
        </Card>
        <div className="pub-side">
          <RehearsalCard body={toRehearsed(values)} />
          {topicId !== undefined && <ReadersCard topicId={topicId} />}
        </div>
      </div>
    </Page>
  );
}

type TopicControl = Control<TopicValues, unknown, TopicValues>;

const FORMATS = [
  { value: 'Rows', label: 'Rows' },
  { value: 'Cells', label: 'Cells' },
] as const;

function FormatField({ control }: { control: TopicControl }) {
  const { field } = useController({ control, name: 'format' });
  return (
    <div className="field">
      <span className="field-label" aria-hidden>
        Format
      </span>
      <SegmentedControl label="Format" options={FORMATS} value={field.value} onChange={field.onChange} />
      <span className="field-hint">
        {field.value === 'Rows'
          ? 'A row for each changed entry, with its name and the changed fields.'
          : 'Each changed cell on its own, as in default-data; entries have ids only.'}
      </span>
    </div>
  );
}

/** Messages of an error and of those below it: the service names single types and fields. */
function collectMessages(error: unknown): string[] {
  if (typeof error !== 'object' || error === null) return [];
  const { message, ...rest } = error as Partial<FieldError>;
  const own = typeof message === 'string' && message !== '' ? [message] : [];
  const below = Object.entries(rest).flatMap(([key, value]) =>
    key === 'ref' || key === 'type' || key === 'types' ? [] : collectMessages(value),
  );
  return [...own, ...below];
}

function EntryTypesField({ control }: { control: TopicControl }) {
  const schema = useTopicSchema();
  const { allowed, reason } = usePermission('listAllFields');
  const id = useId();
  const { field, fieldState } = useController({ control, name: 'entryTypes' });
  const messages = collectMessages(fieldState.error);
  return (
    <fieldset
      ref={(element) => field.ref({ focus: () => element?.querySelector('input')?.focus() })}
      className="field"
      aria-describedby={`${id}-note`}
    >
      <legend className="field-label">Entry types and fields</legend>
      {!allowed ? (
        <p className="pub-soft">{reason}.</p>
      ) : schema.isLoaded ? (
        <FieldTree schema={schema} entryTypes={field.value} onChange={field.onChange} />
      ) : (
        <SkeletonRows />
      )}
      <FieldNote
        id={`${id}-note`}
        hint="Types selected as a whole also stream fields that are added later."
        error={messages.length > 0 ? messages.join('; ') : undefined}
      />
    </fieldset>
  );
}

const PERIODS = [
  { value: 1, label: '1 hour' },
  { value: 24, label: '1 day' },
  { value: 216, label: '9 days' },
] as const;

/** Time without further input before the rehearsal reads events. */
const REHEARSAL_DELAY_MS = 300;

const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(new DOMException('The input changed', 'AbortError'));
    });
  });

/** What the topic would have had in the past, computed by the function that fills topics. */
function RehearsalCard({ body }: { body: NewTopicDefinition | undefined }) {
  const [hours, setHours] = useState<number>(24);
  const options = {
    body: body ?? { name: 'rehearsal', format: 'Rows' as const, entryTypes: [] },
    query: { hours },
  };
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: [{ _id: 'rehearseTopicDefinition', options }],
    queryFn: async ({ signal }) => {
      await wait(REHEARSAL_DELAY_MS, signal);
      const { data: rehearsal } = await rehearseTopicDefinition({ ...options, signal });
      return { rehearsal, hours };
    },
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
  return (
    <Card
      title="What it would have streamed"
      actions={<SegmentedControl label="Period" options={PERIODS} value={hours} onChange={setHours} />}
    >
      {body === undefined ? (
        <CardBody>
          <p className="pub-soft">Choose entry types or fields to see the messages of the past.</p>
        </CardBody>
      ) : error ? (
        <ErrorState
          title="The preview could not be loaded"
          onRetry={() => void refetch()}
          retrying={isFetching}
        >
          {toServiceError(error).message}
        </ErrorState>
      ) : data ? (
        <RehearsalResult {...data} isStale={isFetching} />
      ) : (
        <SkeletonRows rows={4} />
      )}
    </Card>
  );
}

const MAX_SAMPLES = 3;
const HOURS_A_DAY = 24;

interface RehearsalResultProps {
  rehearsal: TopicRehearsal;
  isStale: boolean;
  /** Period of the rehearsal, which another one may be replacing. */
  hours: number;
}

function RehearsalResult({ rehearsal, isStale, hours }: RehearsalResultProps) {
  const schema = useTopicSchema();
  const { messages, sourceEvents, bytes, isComplete, since, samples } = rehearsal;
  const perDay = (bytes * HOURS_A_DAY) / hours;
  return (
    <div className={isStale ? 'pub-stale' : undefined} aria-busy={isStale}>
      {!isComplete && (
        <div className="pub-notice">
          <Banner tone="info">
            Only the first {formatNumber(sourceEvents)} events of this time were read. Choose a shorter one
            for the whole of it.
          </Banner>
        </div>
      )}
      <Facts>
        <Fact label="Messages">
          <output>
            <b className="num">{formatNumber(messages)}</b> of {pluralize(sourceEvents, 'event', 'events')} of
            default-data
          </output>
        </Fact>
        <Fact label="Size">
          {formatSize(bytes)}
          {isComplete && hours > 1 && bytes > 0 && ` · ${formatSize(perDay)} a day`}
        </Fact>
        <Fact label="Since">{formatExactDate(since)}</Fact>
      </Facts>
      {samples.length > 0 && (
        <div className="pub-samples">
          <h3>Newest messages</h3>
          {samples
            .slice(-MAX_SAMPLES)
            .toReversed()
            .map((event) => (
              <details key={event.eventId}>
                <summary>
                  <b>{formatTitle(event, summarize(event), schema)}</b>{' '}
                  <time dateTime={event.modifiedAt}>{formatExactDate(event.modifiedAt)}</time>
                </summary>
                <CodeBlock label="sample message" text={JSON.stringify(event, undefined, 2)} />
              </details>
            ))}
        </div>
      )}
    </div>
  );
}

/** Programs that see the change. */
function ReadersCard({ topicId }: { topicId: number }) {
  const { data } = useQuery(consumersQuery);
  const consumers = data?.filter((consumer) => consumer.topicId === topicId);
  if (!consumers) return null;
  return (
    <Card title="Who sees the change">
      <CardBody>
        <p className="pub-soft">
          {consumers.length === 0
            ? 'This topic has no consumers.'
            : `${pluralize(consumers.length, 'consumer reads', 'consumers read')} it: ${consumers
                .map(formatConsumer)
                .join('; ')}.`}
        </p>
      </CardBody>
    </Card>
  );
}
