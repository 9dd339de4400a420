import { useId, useState } from 'react';
import type { ReactNode } from 'react';
import { MAX_DURATION_DAYS } from '../../../../contract/rules/people/invitations.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { FieldNote } from '../../../ui/form/FieldFrame.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { formatDays } from '../model/terms.ts';
import './invitations.css';

const PRESETS = [7, 30, 90];
const OWN = 'own';
const OPTIONS = [
  ...PRESETS.map((days) => ({ value: String(days), label: formatDays(days) })),
  { value: OWN, label: 'Other' },
];

interface DaysFieldProps {
  label: string;
  /** Undefined while the input is not a number of days. */
  days: number | undefined;
  onChange: (days: number | undefined) => void;
  /** Hint with the resulting end. */
  hint?: ReactNode;
}

const FAULT = `Enter a whole number of days between 1 and ${formatNumber(MAX_DURATION_DAYS)}`;

const read = (text: string): number | undefined => {
  const days = Number(text.trim());
  return /^\d+$/.test(text.trim()) && days >= 1 && days <= MAX_DURATION_DAYS ? days : undefined;
};

/** Number of days: a common one or any other. */
export function DaysField({ label, days, onChange, hint }: DaysFieldProps) {
  const id = useId();
  const [own, setOwn] = useState(days === undefined || !PRESETS.includes(days));
  const [text, setText] = useState(days === undefined ? '' : String(days));
  const error = own && days === undefined;
  return (
    <div className="field inv-days">
      <span className="field-label" aria-hidden>
        {label}
      </span>
      <div className="inv-days-row">
        <SegmentedControl
          label={label}
          options={OPTIONS}
          value={own ? OWN : String(days)}
          onChange={(value) => {
            setOwn(value === OWN);
            const next = value === OWN ? text : value;
            setText(next);
            onChange(read(next));
          }}
        />
        {own && (
          <label className="inv-days-own">
            <input
              className="input num"
              inputMode="numeric"
              autoComplete="off"
              value={text}
              aria-invalid={error}
              aria-describedby={`${id}-note`}
              onChange={({ target }) => {
                setText(target.value);
                onChange(read(target.value));
              }}
            />
            days
          </label>
        )}
      </div>
      <FieldNote id={`${id}-note`} hint={hint} error={error ? FAULT : undefined} />
    </div>
  );
}
