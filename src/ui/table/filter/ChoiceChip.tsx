import { Check } from 'lucide-react';
import { CardChip } from './FilterChips.tsx';

interface ChoiceChipProps<Value extends string> {
  label: string;
  operator?: string;
  options: readonly { value: Value; label: string }[];
  value: Value;
  /** The value without a filter: the chip shows it, but cannot be cleared. */
  defaultValue: Value;
  /** Whether the chip shows its default as a value. */
  showsDefault?: boolean;
  onChange: (value: Value) => void;
}

/** Filter with exactly one of a few values, such as a period. */
export function ChoiceChip<Value extends string>(props: ChoiceChipProps<Value>) {
  const { label, operator, options, value, defaultValue, showsDefault = false, onChange } = props;
  const isDefault = value === defaultValue;
  return (
    <CardChip
      {...{ label, operator }}
      value={isDefault && !showsDefault ? undefined : options.find((one) => one.value === value)?.label}
      onClear={isDefault ? undefined : () => onChange(defaultValue)}
    >
      {(close) => (
        <ul className="filter-choices" aria-label={label}>
          {options.map((option) => (
            <li key={option.value}>
              <button
                type="button"
                className="filter-option"
                aria-pressed={option.value === value}
                onClick={() => {
                  onChange(option.value);
                  close();
                }}
              >
                <span>{option.label}</span>
                {option.value === value && <Check />}
              </button>
            </li>
          ))}
        </ul>
      )}
    </CardChip>
  );
}
