import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useId, useState } from 'react';
import { ComboBox, Input } from 'react-aria-components';
import { findPeople, useDirectory } from './directory.ts';
import type { DirectoryRow } from './row.ts';
import { FieldFrame } from '../ui/form/FieldFrame.tsx';
import { OptionList } from '../ui/form/options.tsx';

interface PersonPickerProps {
  label: string;
  hint?: string;
  placeholder?: string;
  /** The panel around it was opened for this. */
  first?: boolean;
  onPick: (userId: number) => void;
  /** Why somebody cannot be picked. */
  reasonFor: (userId: number, person: DirectoryRow) => string | undefined;
}

const MOST = 12;

/** Finds one person by name, e-mail or id while one types. What was typed goes when somebody is picked. */
export function PersonPicker({
  label,
  hint,
  placeholder,
  first = false,
  onPick,
  reasonFor,
}: PersonPickerProps) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const asked = useDeferredValue(typed.trim());
  const { version } = useDirectory();
  const { data: people = [] } = useQuery({
    queryKey: ['people', asked, version],
    queryFn: () => findPeople(asked, MOST),
    enabled: asked !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const options = people.map((person) => ({
    value: person.id,
    label: person.name,
    hint: person.email,
    disabledReason: reasonFor(person.id, person),
  }));
  return (
    <FieldFrame id={id} noteId={hint === undefined ? undefined : `${id}-note`} label={label} hint={hint}>
      <ComboBox
        items={typed.trim() === '' ? [] : options}
        inputValue={typed}
        onInputChange={setTyped}
        value={null}
        onChange={(userId) => {
          if (typeof userId !== 'number') return;
          setTyped('');
          onPick(userId);
        }}
        // Who was picked is gone from the field: an empty list must not cover what comes next.
        allowsEmptyCollection={typed.trim() !== ''}
        aria-labelledby={`${id}-label`}
        aria-describedby={hint === undefined ? undefined : `${id}-note`}
      >
        <Input
          id={id}
          className="input"
          placeholder={placeholder}
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus={first}
        />
        <OptionList label={label} />
      </ComboBox>
    </FieldFrame>
  );
}
