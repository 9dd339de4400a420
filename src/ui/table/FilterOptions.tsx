import { useContext, useState } from 'react';
import type { RefObject } from 'react';
import { Button } from '../button/Button.tsx';
import PopoverCard from '../menu/PopoverCard.tsx';
import { SentenceContext } from './sentence-context.ts';
import '../form/form.css';
import '../form/check.css';
import '../form/options.css';

export interface FilterOption {
  value: string;
  label: string;
  /** Number of rows with this value. */
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

const numberFormat = new Intl.NumberFormat();
const MAX_OPTIONS_WITHOUT_SEARCH = 8;

/** Open filter: its values with their counts; a long list has a search field. */
export default function FilterOptions({
  label,
  options,
  value,
  onChange,
  anchor,
  onClose,
}: FilterOptionsProps) {
  const [text, setText] = useState('');
  const sentence = useContext(SentenceContext);
  const searchText = text.trim().toLocaleLowerCase();
  const matches = options.filter((option) => option.label.toLocaleLowerCase().includes(searchText));
  return (
    <PopoverCard label={`${label} filter`} anchor={anchor} align="start" onClose={onClose}>
      {options.length > MAX_OPTIONS_WITHOUT_SEARCH && (
        <input
          type="search"
          className="input filter-search"
          aria-label={`Search in ${label}`}
          placeholder="Search"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      )}
      <FilterOptionList {...{ label, options: matches, value, onChange }} />
      {(value.length > 0 || sentence) && (
        <footer className="filter-foot">
          {sentence?.matchCount !== undefined && (
            <span className="num">
              <b>{numberFormat.format(sentence.matchCount)}</b>{' '}
              {sentence.matchCount === 1 ? 'matches' : 'match'}
            </span>
          )}
          {value.length > 0 && (
            <Button variant="quiet" size="small" onClick={() => onChange([])}>
              Clear
            </Button>
          )}
          {sentence && (
            <Button variant="primary" size="small" onClick={onClose}>
              Done
            </Button>
          )}
        </footer>
      )}
    </PopoverCard>
  );
}

/** Checkbox list of the values of a filter, with the share of rows that have each. */
function FilterOptionList({
  label,
  options,
  value,
  onChange,
}: Omit<FilterOptionsProps, 'anchor' | 'onClose'>) {
  const highest = Math.max(1, ...options.map(({ count = 0 }) => count));
  const toggle = (one: string) =>
    onChange(value.includes(one) ? value.filter((other) => other !== one) : [...value, one]);
  return (
    <fieldset className="filter-options">
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className="filter-option">
          <input
            type="checkbox"
            className="checkbox"
            checked={value.includes(option.value)}
            onChange={() => toggle(option.value)}
          />
          <span>{option.label}</span>
          {option.count !== undefined && (
            <>
              <small className="num">{numberFormat.format(option.count)}</small>
              <span className="filter-share" aria-hidden>
                <span style={{ width: `${(100 * option.count) / highest}%` }} />
              </span>
            </>
          )}
        </label>
      ))}
      {options.length === 0 && <p className="options-none">Nothing matches</p>}
    </fieldset>
  );
}
