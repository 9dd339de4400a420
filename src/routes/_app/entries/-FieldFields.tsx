import { useWatch } from 'react-hook-form';
import type { Control } from 'react-hook-form';
import { fieldTypes } from '../../../../contract/rules/fields.ts';
import type { EntryTypeVm } from '../../../api/generated/types.gen.ts';
import type { Field, Schema } from '../../../entries/schema.ts';
import { typeWords } from '../../../entries/schema-words.ts';
import { SwitchField } from '../../../ui/form/CheckField.tsx';
import { MultiSelectField } from '../../../ui/form/MultiSelectField.tsx';
import { SelectField } from '../../../ui/form/SelectField.tsx';
import { TextField } from '../../../ui/form/TextField.tsx';
import { ChoicesField } from './-ChoicesField.tsx';
import { asks } from './-field-form.ts';
import type { FieldValues } from './-field-form.ts';
import { WhenField } from './-WhenField.tsx';

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
