import { zodResolver } from '@hookform/resolvers/zod';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { useController, useForm, useWatch } from 'react-hook-form';
import type { Control } from 'react-hook-form';
import type {
  Consumer,
  TopicDefinition,
  MoveConsumerData,
} from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import type { Options } from '../../../api/generated/sdk.gen.ts';
import { moveConsumer } from '../../../api/generated/sdk/publications.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { getBrowserTimeZone } from '../../../lib/dates/time-zones.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { usePanelGuard } from '../../../ui/dialog/unsaved-work.ts';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { DateInput } from '../../../ui/form/DateInput.tsx';
import { FieldFrame } from '../../../ui/form/FieldFrame.tsx';
import { Form } from '../../../ui/form/Form.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { toast } from '../../../ui/toast.ts';
import { formatConsumer } from '../model/format.ts';
import { buildMoveSchema, describeMove, toStart } from '../model/move-form.ts';
import type { MoveValues } from '../model/move-form.ts';
import { eventsQuery, topicsQuery } from '../model/queries.ts';
import type { EventStart } from '../model/queries.ts';
import './publications.css';

interface MoveConsumerPanelProps {
  consumer: Consumer;
  onClose: () => void;
}

/** Panel that moves a consumer back or forth, with a preview of what it then reads. */
export function MoveConsumerPanel({ consumer, onClose }: MoveConsumerPanelProps) {
  const { data: topics, error, refetch } = useQuery(topicsQuery);
  const topic = topics?.find(({ id }) => id === consumer.topicId);
  return topic ? (
    <MovePanel {...{ consumer, topic, onClose }} />
  ) : (
    <Panel title={`Move ${formatConsumer(consumer)}`} onClose={onClose}>
      <div className="pub-panel">
        {!topics && error ? (
          <ErrorState title="The topics could not be loaded" onRetry={() => void refetch()}>
            {toServiceError(error).message}
          </ErrorState>
        ) : topics ? (
          'This topic no longer exists.'
        ) : (
          <SkeletonRows />
        )}
      </div>
    </Panel>
  );
}

const TARGETS = [
  { value: 'time', label: 'Since a time' },
  { value: 'offset', label: 'At an offset' },
] as const;

function MovePanel({
  consumer,
  topic: current,
  onClose,
}: MoveConsumerPanelProps & { topic: TopicDefinition }) {
  // The range of the start: while somebody types, it must not move.
  const [topic] = useState(current);
  const move = useWrite('moveConsumer', {
    mutationFn: (options: Options<MoveConsumerData, true>) => moveConsumer(options),
  });
  const form = useForm({
    resolver: zodResolver(buildMoveSchema(topic)),
    defaultValues: { to: 'time', offset: String(consumer.offset), time: '' } as MoveValues,
  });
  const { isDirty, isSubmitting } = form.formState;
  const { confirmClose, cancel } = usePanelGuard(isDirty, onClose);
  const values = useDeferredValue(useWatch({ control: form.control }));
  const start = toStart(topic, values);
  const preview = usePreview(topic, start);

  const submit = async (submitted: MoveValues) => {
    const target = await preview.find(toStart(topic, submitted)).catch(() => undefined);
    if (target === undefined) return;
    const path = { topicId: topic.id, clientId: consumer.clientId };
    const isMoved = await move.mutateAsync({ path, body: { offset: target } }).then(
      () => true,
      () => false,
    );
    if (!isMoved) return;
    toast({ title: `${formatConsumer(consumer)} continues at offset ${formatNumber(target)}` });
    onClose();
  };
  const choose = (offset: number) => {
    form.setValue('to', 'offset', { shouldDirty: true });
    form.setValue('offset', String(offset), { shouldDirty: true, shouldValidate: true });
  };
  return (
    <Panel title={`Move ${formatConsumer(consumer)}`} onClose={onClose} confirmClose={confirmClose}>
      <Form
        form={form}
        pending={isSubmitting}
        error={move.error}
        submitLabel="Move consumer"
        onCancel={() => void cancel()}
        onSubmit={submit}
      >
        <p className="pub-soft">
          It is at offset {formatNumber(consumer.offset)} of {topic.name}; kept are{' '}
          {formatNumber(topic.oldestOffset)} to {formatNumber(topic.nextOffset)}. It reads from the new offset
          on with its next poll.
        </p>
        <TargetField control={form.control} />
        {values.to === 'offset' ? (
          <TextField
            control={form.control}
            name="offset"
            label="Offset of the next event"
            inputMode="numeric"
          />
        ) : (
          <TimeField control={form.control} />
        )}
        <div className="pub-quick">
          <Button size="small" onClick={() => choose(topic.oldestOffset)}>
            Oldest stored event
          </Button>
          <Button size="small" onClick={() => choose(topic.nextOffset)}>
            Skip to new events
          </Button>
        </div>
        <section className="pub-preview" aria-label="Preview" aria-live="polite">
          {start === undefined ? (
            'Enter where it continues to see what it then reads.'
          ) : preview.error ? (
            <FailureBanner failure={toServiceError(preview.error)} />
          ) : preview.target === undefined ? (
            <SkeletonRows rows={2} />
          ) : (
            <>
              <strong>
                {preview.at === undefined
                  ? 'Continues with new events'
                  : `Continues with offset ${formatNumber(preview.target)} of ${formatExactDate(preview.at)}`}
              </strong>
              <p>{describeMove(consumer.offset, preview.target, topic.nextOffset)}</p>
            </>
          )}
        </section>
      </Form>
    </Panel>
  );
}

type MoveControl = Control<MoveValues, unknown, MoveValues>;

function TargetField({ control }: { control: MoveControl }) {
  const { field } = useController({ control, name: 'to' });
  return (
    <div className="field">
      <span className="field-label" aria-hidden>
        Continue
      </span>
      <SegmentedControl label="Continue" options={TARGETS} value={field.value} onChange={field.onChange} />
    </div>
  );
}

function TimeField({ control }: { control: MoveControl }) {
  const { field, fieldState } = useController({ control, name: 'time' });
  const error = fieldState.error?.message;
  return (
    <FieldFrame
      id="move-time"
      noteId="move-time-note"
      label="First event since"
      hint="In your time zone. A time before the oldest stored event starts at that event."
      error={error}
    >
      <DateInput
        {...field}
        id="move-time"
        kind="time"
        timeZone={getBrowserTimeZone()}
        isInvalid={error !== undefined}
        describedBy="move-time-note"
      />
    </FieldFrame>
  );
}

/** The offset at which a start lies, and the time of its event; without an event it is the next offset. */
function usePreview(topic: TopicDefinition, start: EventStart | undefined) {
  const client = useQueryClient();
  const query = useQuery({
    ...eventsQuery(topic.id, start ?? { from: topic.nextOffset }, 1),
    enabled: start !== undefined,
    placeholderData: keepPreviousData,
  });
  const event = query.data?.[0];
  return {
    at: event?.modifiedAt,
    target: query.data && (event?.topicOffset ?? topic.nextOffset),
    error: query.error,
    /** Reads the offset of submitted values, which the preview may not show yet. */
    async find(submitted: EventStart | undefined): Promise<number | undefined> {
      if (submitted === undefined) return undefined;
      if ('from' in submitted) return submitted.from;
      const [first] = await client.fetchQuery({ ...eventsQuery(topic.id, submitted, 1), staleTime: 0 });
      return first?.topicOffset ?? topic.nextOffset;
    },
  };
}
