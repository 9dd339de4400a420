import { X } from 'lucide-react';
import { useRef, useState } from 'react';
import { ComboBox } from 'react-aria-components/ComboBox';
import { Group } from 'react-aria-components/Group';
import { Input } from 'react-aria-components/Input';
import type { FieldValues } from 'react-hook-form';
import { FieldFrame } from '../FieldFrame.tsx';
import { useField } from '../use-field.ts';
import type { FieldProps } from '../use-field.ts';
import { OptionList } from './OptionList.tsx';
import type { FieldOption } from './OptionList.tsx';

interface MultiSelectFieldProps<Values extends FieldValues, Output> extends FieldProps<
  Values,
  Output,
  readonly (string | number)[] | undefined
> {
  options: readonly FieldOption[];
  /** Name chosen values that are not, or no longer, among the options; without one the chip shows the value. */
  chosenOptions?: readonly FieldOption[] | undefined;
  placeholder?: string;
  /** Called with the typed text, to pass the options that match it. Without it the field filters the options by label. */
  onSearch?: ((text: string) => void) | undefined;
}

const isOptionValue = (value: unknown): value is FieldOption['value'] =>
  typeof value === 'string' || typeof value === 'number';

/**
 * Selects several of many options: a chip for each chosen value, typing filters the list, Backspace removes the last chip. Values
 * without an option stay chosen until their chip is removed.
 */
export function MultiSelectField<Values extends FieldValues, Output>(
  props: MultiSelectFieldProps<Values, Output>,
) {
  const { label, hint, errorHelp, options, chosenOptions = [], placeholder, onSearch } = props;
  // Another search can leave out what was chosen.
  const [found, setFound] = useState<readonly FieldOption[]>([]);
  const findOption = (one: unknown) =>
    [...options, ...chosenOptions, ...found].find((option) => option.value === one);
  const { bind, value, error, id, noteId } = useField(props, (item) => findOption(item)?.label);
  const input = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const values: readonly unknown[] = Array.isArray(value) ? value : [];
  const chosen = useStableValues(values.filter((one) => isOptionValue(one)));
  const chips = chosen.map((one): FieldOption => findOption(one) ?? { value: one, label: String(one) });
  const setChosen = (next: readonly unknown[]) => {
    setFound(next.flatMap((one) => findOption(one) ?? []));
    bind.onChange(next);
  };
  return (
    <FieldFrame {...{ id, noteId, label, hint, error, errorHelp }}>
      <ComboBox
        ref={() => {
          // The list opens when the input gets the focus, and would cover an error about what is chosen.
          bind.ref({ focus: () => (chips.length > 0 ? box : input).current?.focus() });
        }}
        selectionMode="multiple"
        menuTrigger="focus"
        allowsEmptyCollection
        aria-labelledby={`${id}-label`}
        aria-describedby={noteId}
        isInvalid={error !== undefined}
        validationBehavior="aria"
        // The field filters default items only.
        {...(onSearch ? { items: options, onInputChange: onSearch } : { defaultItems: options })}
        value={chosen}
        onChange={setChosen}
        onBlur={bind.onBlur}
      >
        <Group
          ref={box}
          className="input multi-box"
          aria-label={label}
          aria-describedby={noteId}
          tabIndex={-1}
          // Escape closes the open list but not the surrounding panel.
          onKeyDown={(event) => {
            if (event.key === 'Escape' && input.current?.ariaExpanded === 'true') event.stopPropagation();
          }}
        >
          {chips.map((option) => (
            <span key={option.value} className="chip">
              {option.icon}
              <span>{option.label}</span>
              <button
                type="button"
                aria-label={`Remove ${option.label}`}
                onClick={() => {
                  setChosen(chosen.filter((one) => one !== option.value));
                  input.current?.focus();
                }}
              >
                <X />
              </button>
            </span>
          ))}
          <Input
            ref={input}
            id={id}
            placeholder={chips.length === 0 ? placeholder : undefined}
            onKeyDown={(event) => {
              if (event.key === 'Backspace' && event.currentTarget.value === '')
                setChosen(chosen.slice(0, -1));
            }}
          />
        </Group>
        <OptionList label={label} />
      </ComboBox>
    </FieldFrame>
  );
}

/** Returns the same array for the same values: the combo box takes another array for another selection and clears what was typed. */
function useStableValues(values: readonly FieldOption['value'][]): readonly FieldOption['value'][] {
  const [stable, setStable] = useState(values);
  if (values.length === stable.length && values.every((value, index) => value === stable[index]))
    return stable;
  setStable(values);
  return values;
}
