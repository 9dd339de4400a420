import { useId } from 'react';
import { addDays } from '../../../lib/dates/dates.ts';
import {
  formatTimeZone,
  getBrowserTimeZone,
  parseDateTimeField,
  toDateTimeField,
} from '../../../lib/dates/time-zones.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { DateInput } from '../../../ui/form/DateInput.tsx';
import { FieldFrame } from '../../../ui/form/FieldFrame.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { Select } from '../../../ui/form/select/Select.tsx';
import { hasEnded } from '../model/progress.ts';
import { useJobs } from '../model/use-jobs.ts';
import { getScheduleProblem, NOW } from './schedule.ts';
import type { Schedule } from './schedule.ts';
import './start-field.css';

interface StartFieldProps {
  value: Schedule;
  /** What is different for a job that starts later. */
  hint: string;
  onChange: (schedule: Schedule) => void;
}

/** Hour at which a scheduled job starts unless another time is entered. */
const DEFAULT_HOUR = '09:00';

/** Choice of when a job starts: now, at a time, or after another job of the user. */
export function StartField({ value, hint, onChange }: StartFieldProps) {
  const id = useId();
  const zone = getBrowserTimeZone();
  const open = useJobs('own', true)?.filter((job) => !hasEnded(job)) ?? [];
  const select = (kind: Schedule['kind']) => {
    if (kind === 'now') onChange(NOW);
    else if (kind === 'after') onChange({ kind, jobId: open.at(0)?.id });
    else
      onChange({
        kind,
        field: `${toDateTimeField(addDays(1).getTime(), zone).slice(0, 10)}T${DEFAULT_HOUR}`,
      });
  };
  const problem = getScheduleProblem(value);
  const at = value.kind === 'time' ? parseDateTimeField(value.field, zone) : undefined;
  return (
    <div className="start-field">
      <div className="start-field-kind">
        <span aria-hidden>Start</span>
        <SegmentedControl
          label="Start"
          value={value.kind}
          onChange={select}
          options={[
            { value: 'now', label: 'Now' },
            { value: 'time', label: 'At a time' },
            ...(open.length > 0 ? [{ value: 'after' as const, label: 'After a job' }] : []),
          ]}
        />
      </div>
      {value.kind === 'time' && (
        <FieldFrame
          id={id}
          noteId={`${id}-note`}
          label="Date and time"
          hint={at !== undefined && `In ${formatTimeZone(zone, at)}.`}
          error={problem}
        >
          <DateInput
            id={id}
            kind="time"
            timeZone={zone}
            value={value.field}
            isInvalid={problem !== undefined}
            describedBy={`${id}-note`}
            onChange={(field) => onChange({ kind: 'time', field })}
          />
        </FieldFrame>
      )}
      {value.kind === 'after' && (
        <FieldFrame
          id={id}
          noteId={`${id}-note`}
          label="Job"
          hint="It starts when this one has finished, and stops if it does not finish."
        >
          <Select
            id={id}
            label="Job"
            labelledBy={`${id}-label`}
            value={value.jobId}
            describedBy={`${id}-note`}
            onChange={(jobId) => onChange({ kind: 'after', jobId })}
            options={open.map((job) => ({
              value: job.id,
              label: `${job.title} · job ${formatNumber(job.id)}`,
            }))}
          />
        </FieldFrame>
      )}
      {value.kind !== 'now' && <p className="field-hint">{hint}</p>}
    </div>
  );
}
