import { Check } from 'lucide-react';
import { useId, useState } from 'react';
import { ACTIVITY_DAYS } from '../../../../contract/rules/activity.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { FieldFrame } from '../../../ui/form/FieldFrame.tsx';
import { CardChip } from '../../../ui/table/CardChip.tsx';
import { dayOf } from '../model/moments.ts';
import { DEFAULT_PRESET, PRESETS } from '../model/presets.ts';
import { boundsOf, faultOf, PRESET_WORDS, reachOf } from '../model/range.ts';
import type { Range } from '../model/presets.ts';
import { rangeWords } from '../model/words.ts';
import { fromField, toField, zoneWords } from '../../../lib/site-zone.ts';

interface RangeChipProps {
  range: Range;
  /** The service's time, and the reader's zone. */
  now: number;
  zone: string;
  /** What the service says of the period. */
  error: string | undefined;
  onChange: (range: Range) => void;
}

/** The period of the report: one of the usual ones, or between two moments. */
export function RangeChip({ range, now, zone, error, onChange }: RangeChipProps) {
  const isDefault = 'preset' in range && range.preset === DEFAULT_PRESET;
  return (
    <CardChip
      label="Period"
      value={rangeWords(range, now, zone)}
      error={error}
      onClear={isDefault ? undefined : () => onChange({ preset: DEFAULT_PRESET })}
    >
      {(close) => (
        <RangeCard
          {...{ range, now, zone, error }}
          onChange={(next) => {
            onChange(next);
            close();
          }}
        />
      )}
    </CardChip>
  );
}

function RangeCard({ range, now, zone, error, onChange }: RangeChipProps) {
  const preset = 'preset' in range ? range.preset : undefined;
  return (
    <div className="act-range">
      <ul className="act-presets" aria-label="Usual periods">
        {PRESETS.map((one) => (
          <li key={one}>
            <button
              type="button"
              className="filter-option"
              aria-pressed={preset === one}
              onClick={() => onChange({ preset: one })}
            >
              <span>{PRESET_WORDS[one]}</span>
              {preset === one && <Check />}
            </button>
          </li>
        ))}
      </ul>
      <BetweenForm {...{ range, now, zone, error, onChange }} />
    </div>
  );
}

function BetweenForm({ range, now, zone, error, onChange }: RangeChipProps) {
  const id = useId();
  const bounds = boundsOf(range, now, zone);
  const [from, setFrom] = useState(toField(bounds.from, zone));
  const [to, setTo] = useState(bounds.open ? '' : toField(bounds.to, zone));
  const [fault, setFault] = useState(error);
  const apply = () => {
    const begin = fromField(from, zone);
    const end = to === '' ? undefined : fromField(to, zone);
    const wrong = faultOf(begin, end, now);
    setFault(wrong);
    if (wrong === undefined && begin !== undefined) onChange({ from: begin, to: end });
  };
  const first = dayOf(reachOf(now));
  return (
    <form
      className="act-between"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      <FieldFrame id={`${id}-from`} noteId={`${id}-note`} label="From" error={fault}>
        <input
          id={`${id}-from`}
          type="datetime-local"
          className="input"
          value={from}
          aria-invalid={fault !== undefined}
          aria-describedby={`${id}-note ${id}-hint`}
          onChange={({ target }) => setFrom(target.value)}
        />
      </FieldFrame>
      <FieldFrame id={`${id}-to`} noteId={undefined} label="Until" optional>
        <input
          id={`${id}-to`}
          type="datetime-local"
          className="input"
          value={to}
          onChange={({ target }) => setTo(target.value)}
        />
      </FieldFrame>
      <p id={`${id}-hint`} className="field-hint">
        The report reaches {ACTIVITY_DAYS} days back, to {first}. Times are in {zoneWords(zone, now)}.
      </p>
      <Button type="submit" size="small" variant="primary">
        Show this period
      </Button>
    </form>
  );
}
