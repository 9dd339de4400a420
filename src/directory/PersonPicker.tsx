import { useId, useState } from 'react';
import { ComboBox } from 'react-aria-components/ComboBox';
import { Input } from 'react-aria-components/Input';
import { FieldFrame } from '../ui/form/FieldFrame.tsx';
import { OptionList } from '../ui/form/select/OptionList.tsx';
import type { DirectoryRow } from './engine/row.ts';
import { useFoundPeople } from './use-found-people.ts';

interface PersonPickerProps {
  label: string;
  /** In a bar of filters the placeholder shows the label, which is then for screen readers only. */
  isLabelHidden?: boolean;
  hint?: string;
  placeholder?: string;
  /** Focuses the field on mount. */
  autoFocus?: boolean;
  onSelect: (userId: number) => void;
  /** Returns why a user cannot be selected. */
  getDisabledReason: (userId: number, person: DirectoryRow) => string | undefined;
}

const MAX_RESULTS = 12;

/** Combo box that finds a user by name, e-mail or id; the text is cleared after a selection. */
export function PersonPicker({
  label,
  isLabelHidden = false,
  hint,
  placeholder,
  autoFocus = false,
  onSelect,
  getDisabledReason,
}: PersonPickerProps) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const { people } = useFoundPeople(typed, MAX_RESULTS);
  const options = people.map((person) => ({
    value: person.id,
    label: person.name,
    hint: person.email,
    disabledReason: getDisabledReason(person.id, person),
  }));
  return (
    <FieldFrame
      id={id}
      noteId={hint === undefined ? undefined : `${id}-note`}
      label={label}
      isLabelHidden={isLabelHidden}
      hint={hint}
    >
      <ComboBox
        items={typed.trim() === '' ? [] : options}
        inputValue={typed}
        onInputChange={setTyped}
        value={null}
        onChange={(userId) => {
          if (typeof userId !== 'number') return;
          setTyped('');
          onSelect(userId);
        }}
        // After a selection the field is empty: an empty list must not cover the page.
        allowsEmptyCollection={typed.trim() !== ''}
        aria-labelledby={`${id}-label`}
        aria-describedby={hint === undefined ? undefined : `${id}-note`}
      >
        <Input
          id={id}
          className="input"
          placeholder={placeholder}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- set only by panels opened for this field
          autoFocus={autoFocus}
        />
        <OptionList label={label} />
      </ComboBox>
    </FieldFrame>
  );
}
