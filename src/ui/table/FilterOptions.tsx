import { useState } from 'react';
import type { RefObject } from 'react';
import { Button } from '../button/Button.tsx';
import PopoverCard from '../menu/PopoverCard.tsx';
import '../form/form.css';
import '../form/check.css';
import '../form/options.css';

export interface FilterOption {
  value: string;
  label: string;
  /** How many rows have it. */
  count?: number | undefined;
}

interface FilterOptionsProps {
  label: string;
  options: readonly FilterOption[];
  value: readonly string[];
  onChange: (value: readonly string[]) => void;
  anchor: RefObject<Element | null>;
  onClose: () => void;
}

const numbers = new Intl.NumberFormat();
const MANY = 8;

/** The open filter: its values with how many rows have each; a long list can be narrowed by typing. */
export default function FilterOptions({
  label,
  options,
  value,
  onChange,
  anchor,
  onClose,
}: FilterOptionsProps) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLocaleLowerCase();
  const shown = options.filter((option) => option.label.toLocaleLowerCase().includes(wanted));
  return (
    <PopoverCard label={`${label} filter`} anchor={anchor} align="start" onClose={onClose}>
      {options.length > MANY && (
        <input
          type="search"
          className="input filter-search"
          aria-label={`Search in ${label}`}
          placeholder="Search"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <OptionList {...{ label, options: shown, value, onChange }} />
      {value.length > 0 && (
        <footer className="filter-foot">
          <Button variant="quiet" size="small" onClick={() => onChange([])}>
            Clear
          </Button>
        </footer>
      )}
    </PopoverCard>
  );
}

interface OptionListProps extends Omit<FilterOptionsProps, 'anchor' | 'onClose'> {
  /** Among other filters its name is shown. */
  named?: boolean;
}

/** The values of one filter, to be ticked. */
export function OptionList({ label, options, value, onChange, named = false }: OptionListProps) {
  const toggle = (one: string) =>
    onChange(value.includes(one) ? value.filter((other) => other !== one) : [...value, one]);
  return (
    <fieldset className="filter-options">
      <legend className={named ? 'filter-legend' : 'visually-hidden'}>{label}</legend>
      {options.map((option) => (
        <label key={option.value} className="filter-option">
          <input
            type="checkbox"
            className="checkbox"
            checked={value.includes(option.value)}
            onChange={() => toggle(option.value)}
          />
          <span>{option.label}</span>
          {option.count !== undefined && <small className="num">{numbers.format(option.count)}</small>}
        </label>
      ))}
      {options.length === 0 && <p className="options-none">Nothing matches</p>}
    </fieldset>
  );
}
