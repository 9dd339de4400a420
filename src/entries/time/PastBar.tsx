import type { PastState, RowsAsOf } from '../../api/generated/types.gen.ts';
import { exactDate } from '../../lib/dates.ts';
import { count } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { ToggleChip } from '../../ui/table/ToggleChip.tsx';
import { MomentField } from './MomentField.tsx';
import './past.css';

interface PastBarProps {
  asOf: string | undefined;
  past: RowsAsOf | undefined;
  only: PastState | undefined;
  onMoment: (at: string) => void;
  onOnly: (only: PastState | undefined) => void;
  onToday: () => void;
}

const HOUR = 3_600_000;
const AGO = [
  { label: 'An hour ago', ms: HOUR },
  { label: 'A day ago', ms: 24 * HOUR },
  { label: 'A week ago', ms: 7 * 24 * HOUR },
  { label: 'A month ago', ms: 30 * 24 * HOUR },
];
const STATES = [
  { state: 'added', words: 'added since' },
  { state: 'removed', words: 'removed since' },
  { state: 'changed', words: 'changed since' },
] as const;

/** Says that this is the past, which moment of it, and how much is different today. */
export function PastBar({ asOf, past, only, onMoment, onOnly, onToday }: PastBarProps) {
  return (
    <Banner
      title={asOf === undefined ? 'Choose a moment' : `As it was on ${exactDate(asOf)}`}
      actions={
        <Button size="small" onClick={onToday}>
          Back to today
        </Button>
      }
    >
      <div className="past-bar">
        <MomentField label="As of" at={asOf} onChoose={onMoment} />
        <span className="past-ago">
          {AGO.map(({ label, ms }) => (
            <Button
              key={label}
              size="small"
              variant="quiet"
              onClick={() => onMoment(new Date(Date.now() - ms).toISOString())}
            >
              {label}
            </Button>
          ))}
        </span>
      </div>
      {past && (
        <div className="past-bar">
          {STATES.map(({ state, words }) => (
            <ToggleChip
              key={state}
              label={`${count(past[state])} ${words}`}
              on={only === state}
              onChange={(on) => onOnly(on ? state : undefined)}
            />
          ))}
          <span>The names of choices, people and entries are those of today. Nothing is changed here.</span>
        </div>
      )}
    </Banner>
  );
}
