import { count } from '../../../lib/numbers.ts';
import type { Tone } from '../../../ui/layout/tone.ts';

interface OutcomeOption<Value extends string> {
  value: Value;
  label: string;
  count: number;
  tone: Tone;
}

interface OutcomePickerProps<Value extends string> {
  label: string;
  options: readonly OutcomeOption<Value>[];
  value: Value;
  onChange: (value: Value) => void;
}

/** The numbers that matter; choosing one shows its rows. */
export function OutcomePicker<Value extends string>(props: OutcomePickerProps<Value>) {
  const { label, options, value, onChange } = props;
  return (
    <fieldset className="import-outcomes">
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className={`import-outcome import-outcome-${option.tone}`}>
          <input
            type="radio"
            name={label}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <strong className="num">{count(option.count)}</strong> <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
