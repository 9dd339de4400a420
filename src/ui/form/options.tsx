import { Check } from 'lucide-react';
import { ListBox, ListBoxItem, Popover, Text } from 'react-aria-components';
import './form.css';

export interface FieldOption {
  value: string | number;
  label: string;
  hint?: string;
  /** Why it cannot be chosen; stands in place of the hint. */
  disabledReason?: string | undefined;
}

/** The list that opens under a select or a multi-select. */
export function OptionList({ options }: { options?: readonly FieldOption[] }) {
  return (
    <Popover className="options" offset={4}>
      <ListBox
        className="options-list"
        items={options}
        renderEmptyState={() => <div className="options-none">Nothing matches</div>}
      >
        {(option: FieldOption) => <Option option={option} />}
      </ListBox>
    </Popover>
  );
}

function Option({ option: { value, label, hint, disabledReason } }: { option: FieldOption }) {
  const note = disabledReason ?? hint;
  return (
    <ListBoxItem className="option" id={value} textValue={label} isDisabled={disabledReason !== undefined}>
      {({ isSelected }) => (
        <>
          <Text slot="label">{label}</Text>
          {isSelected && <Check />}
          {note !== undefined && (
            <Text slot="description" className="option-hint">
              {note}
            </Text>
          )}
        </>
      )}
    </ListBoxItem>
  );
}
