import { Check } from 'lucide-react';
import { ListBox, ListBoxItem, Popover, Text } from 'react-aria-components';
import './options.css';

export interface FieldOption {
  value: string | number;
  label: string;
  hint?: string;
  /** Why it cannot be chosen; stands in place of the hint. */
  disabledReason?: string | undefined;
}

/** The list that opens under a select or a multi-select. */
export function OptionList({ label, options }: { label: string; options?: readonly FieldOption[] }) {
  return (
    <Popover className="options" offset={4}>
      <section aria-label={label}>
        <ListBox
          className="options-list"
          items={options}
          renderEmptyState={() => <div className="options-none">Nothing matches</div>}
        >
          {(option: FieldOption) => <Option option={option} />}
        </ListBox>
      </section>
    </Popover>
  );
}

function Option({ option: { value, label, hint, disabledReason } }: { option: FieldOption }) {
  const note = disabledReason ?? hint;
  return (
    <ListBoxItem className="option" id={value} textValue={label} isDisabled={disabledReason !== undefined}>
      {({ isSelected }) => (
        <>
          <Text slot="label">
            {label} {note !== undefined && <span className="option-hint">{note}</span>}
          </Text>
          {isSelected && <Check />}
        </>
      )}
    </ListBoxItem>
  );
}
