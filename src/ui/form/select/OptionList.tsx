import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { Autocomplete, useFilter } from 'react-aria-components/Autocomplete';
import { Input } from 'react-aria-components/Input';
import { ListBox, ListBoxItem } from 'react-aria-components/ListBox';
import { Popover } from 'react-aria-components/Popover';
import { SearchField } from 'react-aria-components/SearchField';
import { Text } from 'react-aria-components/Text';
import './options.css';

export interface FieldOption {
  value: string | number;
  label: string;
  /** Stands before the label, hidden from screen readers. */
  icon?: ReactNode;
  hint?: string;
  /** Why it cannot be selected; replaces the hint. */
  disabledReason?: string | undefined;
}

interface OptionListProps {
  label: string;
  options?: readonly FieldOption[];
  /** Adds a field that filters the options by label. */
  searchable?: boolean;
}

/** Popup list of a select or combo box. */
export function OptionList({ label, options, searchable = false }: OptionListProps) {
  const { contains } = useFilter({ sensitivity: 'base' });
  const list = (
    <ListBox
      className="options-list"
      items={options}
      renderEmptyState={() => <div className="options-none">Nothing matches</div>}
    >
      {/* Keyed by id, because positions change while the list is filtered. */}
      {(option: FieldOption) => <Option id={option.value} option={option} />}
    </ListBox>
  );
  return (
    <Popover className="options" offset={4}>
      <section aria-label={label}>
        {searchable ? (
          <Autocomplete filter={contains}>
            {/* The list was opened to choose from it. */}
            {/* oxlint-disable-next-line jsx-a11y/no-autofocus */}
            <SearchField className="options-search" aria-label={`Search ${label}`} autoFocus>
              <Input className="input" placeholder="Search" />
            </SearchField>
            {list}
          </Autocomplete>
        ) : (
          list
        )}
      </section>
    </Popover>
  );
}

interface OptionProps {
  id: string | number;
  option: FieldOption;
}

function Option({ id, option: { label, icon, hint, disabledReason } }: OptionProps) {
  const note = disabledReason ?? hint;
  return (
    <ListBoxItem className="option" id={id} textValue={label} isDisabled={disabledReason !== undefined}>
      {({ isSelected }) => (
        <>
          {icon}
          <Text slot="label">
            {label} {note !== undefined && <span className="option-hint">{note}</span>}
          </Text>
          {isSelected && <Check />}
        </>
      )}
    </ListBoxItem>
  );
}
