import { Check } from 'lucide-react';
import { useId, useState } from 'react';
import { ACTIVITY_RETENTION_DAYS } from '../../../../contract/rules/activity.ts';
import { parseDateTimeField, toDateTimeField, formatTimeZone } from '../../../lib/dates/time-zones.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { DateInput } from '../../../ui/form/DateInput.tsx';
import { FieldFrame } from '../../../ui/form/FieldFrame.tsx';
import { CardChip } from '../../../ui/table/filter/FilterChips.tsx';
import { formatDay, formatPeriod } from '../model/format.ts';
import {
  DEFAULT_PRESET,
  PRESETS,
  resolvePeriod,
  getPeriodError,
  PRESET_LABELS,
  getReportStart,
} from '../model/period.ts';
import type { Period } from '../model/period.ts';

interface PeriodChipProps {
  period: Period;
  /** Time of the service in milliseconds. */
  now: number;
  /** Time zone of the browser. */
  zone: string;
  /** Error of the service about the period. */
  error: string | undefined;
  onChange: (period: Period) => void;
}

/** Filter by period: a preset or a custom period. */
export function PeriodChip({ period, now, zone, error, onChange }: PeriodChipProps) {
  const isDefault = 'preset' in period && period.preset === DEFAULT_PRESET;
  return (
    <CardChip
      label="Period"
      value={formatPeriod(period, now, zone)}
      error={error}
      onClear={isDefault ? undefined : () => onChange({ preset: DEFAULT_PRESET })}
    >
      {(close) => (
        <PeriodCard
          {...{ period, now, zone, error }}
          onChange={(next) => {
            onChange(next);
            close();
          }}
        />
      )}
    </CardChip>
  );
}

function PeriodCard({ period, now, zone, error, onChange }: PeriodChipProps) {
  const preset = 'preset' in period ? period.preset : undefined;
  return (
    <div className="act-range">
      <ul className="act-presets" aria-label="Presets">
        {PRESETS.map((one) => (
          <li key={one}>
            <button
              type="button"
              className="filter-option"
              aria-pressed={preset === one}
              onClick={() => onChange({ preset: one })}
            >
              <span>{PRESET_LABELS[one]}</span>
              {preset === one && <Check />}
            </button>
          </li>
        ))}
      </ul>
      <CustomPeriodForm {...{ period, now, zone, error, onChange }} />
    </div>
  );
}

function CustomPeriodForm({ period, now, zone, error, onChange }: PeriodChipProps) {
  const id = useId();
  const bounds = resolvePeriod(period, now, zone);
  const [from, setFrom] = useState(toDateTimeField(bounds.from, zone));
  const [to, setTo] = useState(bounds.isOpen ? '' : toDateTimeField(bounds.to, zone));
  const [fieldError, setFieldError] = useState(error);
  const apply = () => {
    const start = parseDateTimeField(from, zone);
    const end = to === '' ? undefined : parseDateTimeField(to, zone);
    const nextError = getPeriodError(start, end, now);
    // A text that is no date does not count as an open end.
    if (to !== '' && end === undefined) return;
    setFieldError(nextError);
    if (nextError === undefined && start !== undefined) onChange({ from: start, to: end });
  };
  const reportStart = formatDay(getReportStart(now));
  return (
    <form
      className="act-between"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <FieldFrame id={`${id}-from`} noteId={`${id}-note`} label="From" error={fieldError}>
        <DateInput
          id={`${id}-from`}
          kind="time"
          timeZone={zone}
          value={from}
          isInvalid={fieldError !== undefined}
          describedBy={`${id}-note ${id}-hint`}
          onChange={setFrom}
        />
      </FieldFrame>
      <FieldFrame id={`${id}-to`} noteId={undefined} label="Until" optional>
        <DateInput id={`${id}-to`} kind="time" timeZone={zone} value={to} onChange={setTo} />
      </FieldFrame>
      <p id={`${id}-hint`} className="field-hint">
        The report covers the last {ACTIVITY_RETENTION_DAYS} days, since {reportStart}. Times are in{' '}
        {formatTimeZone(zone, now)}.
      </p>
      <Button type="submit" size="small" variant="primary">
        Apply
      </Button>
    </form>
  );
}
