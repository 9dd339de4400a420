import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import type { Control } from 'react-hook-form';
import { fold } from '../../../lib/fold.ts';
import { count } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { FieldNote } from '../../../ui/form/FieldFrame.tsx';
import { useField } from '../../../ui/form/use-field.ts';
import type { FieldValues } from './-field-form.ts';

type Choices = FieldValues['choiceValues'];

interface ChoicesFieldProps {
  control: Control<FieldValues, unknown, FieldValues>;
}

// Thousands of fields would hold the page up, and nobody looks through them without searching.
const MOST_SHOWN = 100;

/** The places of the choices that are in view: those that match, and those that are new. */
function placesOf(choices: Choices, q: string): number[] {
  const sought = fold(q.trim());
  const all = choices.flatMap(({ name }, at) => (fold(name).includes(sought) ? [at] : []));
  const made = choices.flatMap(({ id }, at) => (id === undefined ? [at] : []));
  return [...new Set([...all.slice(0, MOST_SHOWN), ...made.slice(-MOST_SHOWN)])].toSorted((a, b) => a - b);
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
  const [q, setQ] = useState('');
  const places = placesOf(choices, q);
  const hidden = choices.length - places.length;
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
      {choices.length > MOST_SHOWN && (
        <input
          type="search"
          className="input"
          aria-label="Find a choice"
          placeholder="Find a choice"
          value={q}
          onChange={({ target }) => setQ(target.value)}
        />
      )}
      <div className="sch-choice-list">
        {places.map((at) => (
          // New choices have no id before they are stored.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={at} className="sch-choice">
            <input
              className="input"
              aria-label={`Choice ${at + 1}`}
              aria-invalid={error !== undefined}
              maxLength={255}
              value={choices[at]?.name ?? ''}
              ref={at === 0 ? bind.ref : undefined}
              onChange={({ target }) => rename(at, target.value)}
              onPaste={(event) => {
                const text = event.clipboardData.getData('text');
                if (choices[at]?.name !== '' || !text.trim().includes('\n')) return;
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
      {hidden > 0 && <p className="field-hint">{count(hidden)} more are found by their names.</p>}
      <span>
        <Button size="small" icon={Plus} onClick={() => bind.onChange([...choices, { name: '' }])}>
          Add choice
        </Button>
      </span>
      <FieldNote id={noteId} hint="In this order. A list can be pasted." error={error} />
    </fieldset>
  );
}
