import { Plus, X } from 'lucide-react';
import type { Control } from 'react-hook-form';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { FieldNote } from '../../../ui/form/FieldFrame.tsx';
import { useField } from '../../../ui/form/use-field.ts';
import type { FieldValues } from './-field-form.ts';

type Choices = FieldValues['choiceValues'];

interface ChoicesFieldProps {
  control: Control<FieldValues, unknown, FieldValues>;
}

const isChoices = (value: unknown): value is Choices => Array.isArray(value);

/** The choices in their order: renamed where they stand; a pasted list becomes one choice for each line. */
export function ChoicesField({ control }: ChoicesFieldProps) {
  const { bind, value, error, id, noteId } = useField({
    control,
    name: 'choiceValues',
    label: 'Choices',
    hint: 'In this order. A list can be pasted.',
  });
  const choices = isChoices(value) ? value : [];
  const rename = (at: number, name: string) => bind.onChange(choices.with(at, { ...choices[at], name }));
  const paste = (at: number, text: string) => {
    const names = text
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '');
    bind.onChange(choices.toSpliced(at, 1, ...names.map((name) => ({ name }))));
  };
  return (
    <fieldset className="field sch-fieldset" aria-labelledby={`${id}-label`} aria-describedby={noteId}>
      <span id={`${id}-label`} className="field-label">
        Choices
      </span>
      <div className="sch-choice-list">
        {choices.map((choice, at) => (
          // New choices have no id before they are stored.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={at} className="sch-choice">
            <input
              className="input"
              aria-label={`Choice ${at + 1}`}
              aria-invalid={error !== undefined}
              maxLength={255}
              value={choice.name}
              ref={at === 0 ? bind.ref : undefined}
              onChange={({ target }) => rename(at, target.value)}
              onPaste={(event) => {
                const text = event.clipboardData.getData('text');
                if (choice.name !== '' || !text.trim().includes('\n')) return;
                event.preventDefault();
                paste(at, text);
              }}
            />
            <IconButton
              label={`Remove choice ${at + 1}`}
              icon={X}
              size="small"
              onClick={() => bind.onChange(choices.toSpliced(at, 1))}
            />
          </div>
        ))}
      </div>
      <span>
        <Button size="small" icon={Plus} onClick={() => bind.onChange([...choices, { name: '' }])}>
          Add choice
        </Button>
      </span>
      <FieldNote id={noteId} hint="In this order. A list can be pasted." error={error} />
    </fieldset>
  );
}
