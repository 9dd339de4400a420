import { Check } from 'lucide-react';
import { ListBox, ListBoxItem, Popover, Text } from 'react-aria-components';
import './options.css';

export interface FieldOption {
  value: string | number;
  label: string;
  hint?: string;
  /** Why it cannot be selected; replaces the hint. */
  disabledReason?: string | undefined;
}

/** Popup list of a select or combo box. */
export function OptionList({ label, options }: { label: string; options?: readonly FieldOption[] }) {
  return (
    <Popover className="options" offset={4}>
      <section aria-label={label}>
        <ListBox
          className="options-list"
          items={options}
          renderEmptyState={() => <div className="options-none">Nothing matches</div>}
        >
          {/* Keyed by id, because positions change while the list is filtered. */}
          {(option: FieldOption) => <Option id={option.value} option={option} />}
        </ListBox>
      </section>
    </Popover>
  );
}

interface OptionProps {
  id: string | number;
  option: FieldOption;
}

function Option({ id, option: { label, hint, disabledReason } }: OptionProps) {
  const note = disabledReason ?? hint;
  return (
    <ListBoxItem className="option" id={id} textValue={label} isDisabled={disabledReason !== undefined}>
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
