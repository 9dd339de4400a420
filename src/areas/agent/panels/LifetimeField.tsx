import { addDays, formatShortDate } from '../../../lib/dates/dates.ts';
import { FieldNote } from '../../../ui/form/FieldFrame.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';

const LIFETIMES = [7, 30, 90].map((days) => ({ value: days, label: `${days} days` }));
export const DEFAULT_LIFETIME_DAYS = 30;

interface LifetimeFieldProps {
  /** Days. */
  value: number;
  maxDays: number;
  error?: string | undefined;
  onChange: (days: number) => void;
}

/** Choice of the days after which a key or a connection ends. */
export function LifetimeField({ value, maxDays, error, onChange }: LifetimeFieldProps) {
  return (
    <div className="field">
      <span className="field-label" aria-hidden>
        Ends after
      </span>
      <div>
        <SegmentedControl
          label="Ends after"
          options={LIFETIMES.filter(({ value: days }) => days <= maxDays)}
          value={value}
          onChange={onChange}
        />
      </div>
      <FieldNote
        id={undefined}
        hint={`Works until ${formatShortDate(addDays(value))} and cannot be renewed.`}
        error={error}
      />
    </div>
  );
}
