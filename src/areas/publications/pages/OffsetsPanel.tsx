import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useDeferredValue } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import type { Consumer } from '../../../../contract/generated/types.gen.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { formatConsumer } from '../model/format.ts';
import { checkOffsets, parseOffsets } from '../model/offset-check.ts';
import type { OffsetCheck } from '../model/offset-check.ts';
import { topicsQuery } from '../model/queries.ts';
import './publications.css';

/** Gaps and offsets that are listed; more are counted. */
const MAX_LISTED = 20;

interface OffsetsPanelProps {
  consumer: Consumer;
  onClose: () => void;
}

/** Panel that checks the offsets that a consumer says to have read: gaps, repetitions and disorder. Nothing is sent to the service. */
export function OffsetsPanel({ consumer, onClose }: OffsetsPanelProps) {
  const { control } = useForm({ defaultValues: { text: '' } });
  const text = useDeferredValue(useWatch({ control, name: 'text' }));
  const check = checkOffsets(parseOffsets(text));
  const { data: topics } = useQuery(topicsQuery);
  const oldest = topics?.find(({ id }) => id === consumer.topicId)?.oldestOffset ?? 0;
  return (
    <Panel title={`Check what ${formatConsumer(consumer)} has read`} onClose={onClose}>
      <div className="pub-panel pub-check">
        <TextField
          control={control}
          name="text"
          label="Offsets, or messages, in the order in which they were read"
          rows={8}
        />
        <section className="pub-preview" aria-label="Result" aria-live="polite">
          {check ? (
            <Result {...{ check, oldest }} topic={consumer.topicName} />
          ) : (
            'Paste offsets, or messages as JSON, from the log of the consumer. They stay in this browser.'
          )}
        </section>
      </div>
    </Panel>
  );
}

function Result({ check, topic, oldest }: { check: OffsetCheck; topic: string; oldest: number }) {
  const { count, first, last, gaps, repeated, late } = check;
  const missing = gaps.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  return (
    <>
      <p>
        {pluralize(count, 'offset', 'offsets')} from {formatNumber(first)} to {formatNumber(last)}:{' '}
        <strong>
          {missing === 0 && repeated.length === 0 && late.length === 0
            ? 'complete and in order'
            : [
                missing > 0 && `${formatNumber(missing)} missing`,
                repeated.length > 0 && `${formatNumber(repeated.length)} repeated`,
                late.length > 0 && `${formatNumber(late.length)} out of order`,
              ]
                .filter(Boolean)
                .join(', ')}
        </strong>
      </p>
      {gaps.length > 0 && (
        <ul>
          {gaps.slice(0, MAX_LISTED).map(({ from, to }) => (
            <li key={from}>
              Gap {formatNumber(from)}
              {to > from && ` to ${formatNumber(to)}`}:{' '}
              {to < oldest ? (
                'these messages have been deleted'
              ) : (
                <Link to="/publications/tail" search={{ topic, from: Math.max(from, oldest) }}>
                  show the messages
                </Link>
              )}
            </li>
          ))}
          {gaps.length > MAX_LISTED && <li>and {formatNumber(gaps.length - MAX_LISTED)} more gaps</li>}
        </ul>
      )}
      <OffsetList label="Repeated" offsets={repeated} />
      <OffsetList label="Out of order" offsets={late} />
    </>
  );
}

const OffsetList = ({ label, offsets }: { label: string; offsets: readonly number[] }) =>
  offsets.length === 0 ? null : (
    <p>
      {label}: {offsets.slice(0, MAX_LISTED).map(formatNumber).join(' · ')}
      {offsets.length > MAX_LISTED && ` and ${formatNumber(offsets.length - MAX_LISTED)} more`}
    </p>
  );
