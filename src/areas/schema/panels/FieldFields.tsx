import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { useWatch } from 'react-hook-form';
import type { Control } from 'react-hook-form';
import type { EntryTypeVm } from '../../../../contract/generated/types.gen.ts';
import { foldText } from '../../../../contract/rules/fold-text.ts';
import { DEFAULT_FORMULA_MAX_LENGTH } from '../../../../contract/rules/formula/formula.ts';
import { MATCH_ALL } from '../../../../contract/rules/query/condition.ts';
import type { ConditionGroup } from '../../../../contract/rules/query/condition.ts';
import { fieldTypes } from '../../../../contract/rules/schema/fields.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { FieldNote } from '../../../ui/form/FieldFrame.tsx';
import { MultiSelectField } from '../../../ui/form/select/MultiSelectField.tsx';
import { SelectField } from '../../../ui/form/select/SelectField.tsx';
import { SwitchField } from '../../../ui/form/SwitchField.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { useField } from '../../../ui/form/use-field.ts';
import { toTypeOption } from '../../../ui/layout/TypeTile.tsx';
import { FilterBuilder, formatFieldType, useNameLookup } from '../../entries/index.ts';
import type { Field, Schema } from '../../entries/index.ts';
import { getApplicableProperties, hasMaxLength } from '../model/schema-forms.ts';
import type { FieldValues } from '../model/schema-forms.ts';

interface FieldFieldsProps {
  control: Control<FieldValues, unknown, FieldValues>;
  field: Field | undefined;
  type: EntryTypeVm;
  fields: readonly Field[];
  schema: Schema;
}

const TYPES = fieldTypes.map(({ id: value, name: label }) => ({ value, label }));
const REQUIREMENTS = [
  { value: 'never', label: 'Never' },
  { value: 'always', label: 'Always' },
  { value: 'when', label: 'Under conditions' },
];

/** Form controls of a field; only properties that apply to its type are shown. */
export function FieldFields({ control, field, type, fields, schema }: FieldFieldsProps) {
  const [fieldType, isMoney, isMultiSelect, requirement, formula] = useWatch({
    control,
    name: ['fieldType', 'isMoney', 'isMultiSelect', 'requirement', 'formula'],
  });
  const applicable = getApplicableProperties({ fieldType, isMoney, isMultiSelect });
  // Stored values depend on these properties.
  const fixedReason =
    field && (type.entryCount ?? 0) > 0
      ? `Cannot be changed while ${type.pluralName} have entries`
      : undefined;
  const isCalculated = applicable.formula && formula.trim() !== '';
  return (
    <>
      {/* The panel is opened to enter the name. */}
      {/* oxlint-disable-next-line jsx-a11y/no-autofocus */}
      <TextField control={control} name="name" label="Name" autoFocus />
      <TextField
        control={control}
        name="apiName"
        label="API name"
        hint={
          field
            ? 'Queries and programs that use the old name will no longer work.'
            : 'Used by programs: a letter, then letters, digits and underscores.'
        }
      />
      <TextField control={control} name="description" label="Description" optional rows={2} />
      {field ? (
        <p className="field-hint">{formatFieldType(field, schema)}. The type of a field cannot be changed.</p>
      ) : (
        <SelectField control={control} name="fieldType" label="Type" options={TYPES} />
      )}
      {applicable.choices && <ChoicesField control={control} field={field} />}
      {applicable.targets && (
        <MultiSelectField
          control={control}
          name="entryLists"
          label="Refers to"
          placeholder="Entry types"
          options={schema.types.map(toTypeOption)}
        />
      )}
      {applicable.several && (
        <SwitchField
          control={control}
          name="isMultiSelect"
          label="Several values"
          disabledReason={fixedReason}
        />
      )}
      {applicable.money && (
        <SwitchField
          control={control}
          name="isMoney"
          label="Amount of money"
          hint="Each value has a currency."
          disabledReason={fixedReason}
        />
      )}
      {applicable.dateOnly && (
        <SwitchField
          control={control}
          name="isDateOnly"
          label="Without a time of day"
          hint="The date is the same in every time zone."
          disabledReason={fixedReason}
        />
      )}
      {applicable.searchable && (
        <SwitchField
          control={control}
          name="isSearchable"
          label="Searchable"
          hint="Parts of its texts are found through an index."
        />
      )}
      {applicable.formula && (
        <TextField
          control={control}
          name="formula"
          label="Formula"
          optional
          rows={2}
          hint="Makes the field calculated. An expression over other fields, such as round(Revenue / Employees, 2)."
        />
      )}
      {hasMaxLength({ fieldType, formula }) && (
        <TextField
          control={control}
          name="formulaMaxLength"
          label="Longest result"
          optional
          inputMode="numeric"
          placeholder={formatNumber(DEFAULT_FORMULA_MAX_LENGTH)}
          hint="Characters. An entry whose result is longer has no value in this field."
        />
      )}
      {applicable.requirement && !isCalculated && (
        <SelectField control={control} name="requirement" label="Required" options={REQUIREMENTS} />
      )}
      {applicable.requirement && !isCalculated && requirement === 'when' && (
        <RequiredWhenField
          control={control}
          fields={fields.filter((one) => one.id !== field?.id && !one.isCalculated)}
          schema={schema}
        />
      )}
      <SwitchField control={control} name="isOnEntryForm" label="On the entry form" />
    </>
  );
}

interface RequiredWhenFieldProps {
  control: Control<FieldValues, unknown, FieldValues>;
  /** Fields that conditions may use. */
  fields: readonly Field[];
  schema: Schema;
}

const isGroup = (value: unknown): value is ConditionGroup =>
  typeof value === 'object' && value !== null && 'conditions' in value;

/** Conditions under which a value is required. */
function RequiredWhenField({ control, fields, schema }: RequiredWhenFieldProps) {
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
    hint: 'A value is required if these conditions match.',
  });
  const draft = isGroup(value) ? value : MATCH_ALL;
  const lookUpName = useNameLookup(draft, fields, schema);
  return (
    <fieldset className="field sch-fieldset" aria-labelledby={`${id}-label`} aria-describedby={noteId}>
      <span id={`${id}-label`} className="field-label" ref={ref} tabIndex={-1}>
        Required when
      </span>
      <div className="sch-when">
        <FilterBuilder flat draft={draft} {...{ fields, schema, lookUpName }} onChange={onChange} />
      </div>
      <FieldNote id={noteId} hint="A value is required if these conditions match." error={error} />
    </fieldset>
  );
}

type Choices = FieldValues['choiceValues'];

/** Thousands of inputs would slow down the page; the rest is found by the search. */
const MAX_SHOWN = 100;

/**
 * Indexes of the visible choices: those whose name or stored name matches the search, so that a choice stays visible
 * while it is renamed, and new ones.
 */
function getVisibleIndexes(choices: Choices, stored: ReadonlyMap<number, string>, q: string): number[] {
  const searchText = foldText(q.trim());
  const isMatch = (name: string) => foldText(name).includes(searchText);
  const matches = choices.flatMap(({ id, name }, at) =>
    isMatch(name) || isMatch(stored.get(id ?? 0) ?? name) ? [at] : [],
  );
  const added = choices.flatMap(({ id }, at) => (id === undefined ? [at] : []));
  return [...new Set([...matches.slice(0, MAX_SHOWN), ...added.slice(-MAX_SHOWN)])].toSorted((a, b) => a - b);
}

const isChoices = (value: unknown): value is Choices => Array.isArray(value);

/** Choices in their order. Pasting a list adds one choice per line. */
function ChoicesField({ control, field }: Pick<FieldFieldsProps, 'control' | 'field'>) {
  const { bind, value, error, id, noteId } = useField({
    control,
    name: 'choiceValues',
    label: 'Choices',
    hint: 'Shown in this order. You can paste a list.',
  });
  const choices = isChoices(value) ? value : [];
  const [q, setQ] = useState('');
  const stored = new Map((field?.choiceValues ?? []).map((choice) => [choice.id, choice.name]));
  const indexes = getVisibleIndexes(choices, stored, q);
  const hidden = choices.length - indexes.length;
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
      {choices.length > MAX_SHOWN && (
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
        {indexes.map((at) => (
          // New choices have no id before they are saved.
          // oxlint-disable-next-line react/no-array-index-key
          <div key={at} className="sch-choice">
            <input
              className="input"
              aria-label={`Choice ${at + 1}`}
              aria-invalid={error !== undefined}
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
      {hidden > 0 && <p className="field-hint">{formatNumber(hidden)} more. Use the search to find them.</p>}
      <span>
        <Button size="small" icon={Plus} onClick={() => bind.onChange([...choices, { name: '' }])}>
          Add choice
        </Button>
      </span>
      <FieldNote id={noteId} hint="Shown in this order. You can paste a list." error={error} />
    </fieldset>
  );
}
