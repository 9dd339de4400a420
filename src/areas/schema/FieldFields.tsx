import { useWatch } from 'react-hook-form';
import type { Control } from 'react-hook-form';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { fieldTypes } from '../../../contract/rules/fields.ts';
import type { EntryTypeVm } from '../../api/generated/types.gen.ts';
import type { Field, Schema } from '../entries/model/schema.ts';
import { typeWords } from '../entries/model/schema-words.ts';
import { SwitchField } from '../../ui/form/CheckField.tsx';
import { MultiSelectField } from '../../ui/form/MultiSelectField.tsx';
import { SelectField } from '../../ui/form/SelectField.tsx';
import { TextField } from '../../ui/form/TextField.tsx';
import { asks } from './field-form.ts';
import type { FieldValues } from './field-form.ts';
import { Builder } from '../entries/filter/Builder.tsx';
import { EMPTY } from '../entries/filter/draft.ts';
import type { Group } from '../entries/filter/draft.ts';
import { useNameOf } from '../entries/filter/use-name-of.ts';
import { FieldNote } from '../../ui/form/FieldFrame.tsx';
import { useField } from '../../ui/form/use-field.ts';
import { fold } from '../../lib/fold.ts';
import { count } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { IconButton } from '../../ui/button/IconButton.tsx';

interface FieldFieldsProps {
  control: Control<FieldValues, unknown, FieldValues>;
  field: Field | undefined;
  type: EntryTypeVm;
  fields: readonly Field[];
  schema: Schema;
}

const TYPES = fieldTypes.map(({ id: value, name: label }) => ({ value, label }));
const NEEDS = [
  { value: 'never', label: 'Never' },
  { value: 'always', label: 'Always' },
  { value: 'when', label: 'When conditions hold' },
];

/** What a field is made of; only what its type asks for is in view. */
export function FieldFields({ control, field, type, fields, schema }: FieldFieldsProps) {
  const [fieldType, isMoney, isMultiSelect, need, formula] = useWatch({
    control,
    name: ['fieldType', 'isMoney', 'isMultiSelect', 'need', 'formula'],
  });
  const asked = asks({ fieldType, isMoney, isMultiSelect });
  // The values that are there were stored so.
  const fixed =
    field && (type.entryCount ?? 0) > 0 ? `${type.pluralName} have entries: this stays as it is` : undefined;
  const calculated = asked.formula && formula.trim() !== '';
  return (
    <>
      {/* The panel was opened to type. */}
      {/* oxlint-disable-next-line jsx-a11y/no-autofocus */}
      <TextField control={control} name="name" label="Name" maxLength={100} autoFocus />
      <TextField
        control={control}
        name="apiName"
        label="API name"
        maxLength={64}
        hint={
          field
            ? 'Queries and programs that use the old name no longer find the field.'
            : 'What programs call it: a letter, then letters, digits and underscores.'
        }
      />
      <TextField
        control={control}
        name="description"
        label="Description"
        optional
        rows={2}
        maxLength={1000}
      />
      {field ? (
        <p className="field-hint">{typeWords(field, schema)}. The type of a field stays as it is.</p>
      ) : (
        <SelectField control={control} name="fieldType" label="Type" options={TYPES} />
      )}
      {asked.choices && <ChoicesField control={control} />}
      {asked.targets && (
        <MultiSelectField
          control={control}
          name="entryLists"
          label="Refers to"
          placeholder="Entry types"
          options={schema.types.map(({ id: value, pluralName: label }) => ({ value, label }))}
        />
      )}
      {asked.several && (
        <SwitchField control={control} name="isMultiSelect" label="Several values" disabledReason={fixed} />
      )}
      {asked.money && (
        <SwitchField
          control={control}
          name="isMoney"
          label="An amount of money"
          hint="Each value has its currency."
          disabledReason={fixed}
        />
      )}
      {asked.dateOnly && (
        <SwitchField
          control={control}
          name="isDateOnly"
          label="Without a time of day"
          hint="A day is the same day in every time zone."
          disabledReason={fixed}
        />
      )}
      {asked.searchable && (
        <SwitchField
          control={control}
          name="isSearchable"
          label="Searchable"
          hint="Pieces of its texts are found by an index, also among a million entries."
        />
      )}
      {asked.formula && (
        <TextField
          control={control}
          name="formula"
          label="Formula"
          optional
          rows={2}
          hint="Makes the field calculated: an expression over other fields, such as round(Revenue / Employees, 2)."
        />
      )}
      {asked.need && !calculated && (
        <SelectField control={control} name="need" label="Required" options={NEEDS} />
      )}
      {asked.need && !calculated && need === 'when' && (
        <WhenField
          control={control}
          fields={fields.filter((one) => one.id !== field?.id && !one.isCalculated)}
          schema={schema}
        />
      )}
      <SwitchField control={control} name="isOnEntryForm" label="On the entry form" />
    </>
  );
}

interface WhenFieldProps {
  control: Control<FieldValues, unknown, FieldValues>;
  /** Those that conditions may ask. */
  fields: readonly Field[];
  schema: Schema;
}

const isGroup = (value: unknown): value is Group =>
  typeof value === 'object' && value !== null && 'of' in value;

/** The conditions under which a value is needed. */
function WhenField({ control, fields, schema }: WhenFieldProps) {
  const {
    bind: { ref, onChange },
    value,
    error,
    id,
    noteId,
  } = useField({
    control,
    name: 'requiredWhen',
    label: 'Conditions',
    hint: 'A value is needed where these hold.',
  });
  const draft = isGroup(value) ? value : EMPTY;
  const nameOf = useNameOf(draft, fields, schema);
  return (
    <fieldset className="field sch-fieldset" aria-labelledby={`${id}-label`} aria-describedby={noteId}>
      <span id={`${id}-label`} className="field-label" ref={ref} tabIndex={-1}>
        Required when
      </span>
      <div className="sch-when">
        <Builder flat draft={draft} {...{ fields, schema, nameOf }} onChange={onChange} />
      </div>
      <FieldNote id={noteId} hint="A value is needed where these hold." error={error} />
    </fieldset>
  );
}

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
function ChoicesField({ control }: ChoicesFieldProps) {
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
