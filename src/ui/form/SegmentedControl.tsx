import { useId } from 'react';
import { formatNumber } from '../../lib/numbers.ts';
import './segmented-control.css';

interface SegmentedControlProps<Value extends string | number> {
  label: string;
  options: readonly { value: Value; label: string; count?: number | undefined }[];
  value: Value;
  onChange: (value: Value) => void;
}

/** Choice between a few options side by side; radio buttons, so that arrow keys work. */
export function SegmentedControl<Value extends string | number>({
  label,
  options,
  value,
  onChange,
}: SegmentedControlProps<Value>) {
  const name = useId();
  return (
    <fieldset className="segmented-control">
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className="segmented-option">
          <input
            type="radio"
            className="visually-hidden"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <span>
            {option.label}
            {option.count !== undefined && <small className="num"> {formatNumber(option.count)}</small>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
