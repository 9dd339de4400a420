import { useId, useState } from 'react';
import { foldText } from '../../../../contract/rules/fold-text.ts';
import type { Comparison, Operand } from '../../../../contract/rules/query/condition.ts';
import { FIELD, isIdField } from '../../../../contract/rules/schema/fields.ts';
import { formatTimeZoneName } from '../../../lib/dates/time-zones.ts';
import { DateInput } from '../../../ui/form/DateInput.tsx';
import { Select } from '../../../ui/form/select/Select.tsx';
import { SwitchInput } from '../../../ui/form/SwitchInput.tsx';
import { parseNumber } from '../editing/parse-input.ts';
import { formatZoneName } from '../model/dates.ts';
import { queryRows } from '../model/entry-rows.ts';
import { useUserFinder } from '../model/field-users.ts';
import { getReferenceTypeIds } from '../model/schema.ts';
import type { Field, Schema } from '../model/schema.ts';
import { formatEntryName } from '../model/values.ts';
import { useTimeZone } from '../model/zone.ts';
import { addZone, formatDateInput, parseDateInput } from './date-input.ts';
import { getFieldName } from './draft.ts';
import type { NameLookup } from './format-filter.ts';
import { IdPicker } from './IdPicker.tsx';
import { RELATIVE_DAYS, getRelativeDay } from './relative-days.ts';

export interface ValueEditorProps {
  comparison: Comparison;
  /** The compared field; undefined for EntryId. */
  field: Field | undefined;
  schema: Schema;
  lookUpName: NameLookup;
  onChange: (operands: readonly Operand[]) => void;
}

const MAX_OPTIONS = 30;

/** Editor of the operands of a comparison, by the type of its field. */
export function ValueEditor(props: ValueEditorProps) {
  const { comparison, field, onChange } = props;
  const { operand } = comparison.operation;
  const [first, second] = comparison.operands;
  const label = `Value of ${field?.name ?? getFieldName(comparison)}`;
  if (operand === 'none') return null;
  if (field && isIdField(field.fieldType))
    return <IdsEditor {...props} field={field} label={label} isMulti={operand === 'several'} />;
  if (operand === 'several' && field?.fieldType === FIELD.date)
    return <DateListEditor {...{ label, onChange, field }} operands={comparison.operands} />;
  if (operand === 'several')
    return <ListEditor {...{ label, onChange, field }} operands={comparison.operands} />;
  const set = (index: number) => (value: Operand) => {
    const next = operand === 'pair' ? [first ?? '', second ?? ''] : [''];
    onChange(next.with(index, value));
  };
  if (operand !== 'pair')
    return <SingleValueEditor label={label} field={field} value={first} onChange={set(0)} />;
  return (
    <>
      <SingleValueEditor label={`${label}, from`} field={field} value={first} onChange={set(0)} />
      <span className="find-and">and</span>
      <SingleValueEditor label={`${label}, to`} field={field} value={second} onChange={set(1)} />
    </>
  );
}

interface SingleValueEditorProps {
  label: string;
  field: Field | undefined;
  value: Operand | undefined;
  onChange: (value: Operand) => void;
}

/** Parses a number as in cells; other input stays a text, so that the query reports the error. */
function parseNumberOperand(text: string): Operand {
  const number = parseNumber(text.trim());
  return typeof number === 'number' ? number : text;
}

function SingleValueEditor({ label, field, value, onChange }: SingleValueEditorProps) {
  if (field?.fieldType === FIELD.boolean)
    return (
      <SwitchInput
        label={label}
        value={value === undefined ? undefined : value === true}
        onChange={onChange}
      />
    );
  if (field?.fieldType === FIELD.date) return <DateEditor {...{ label, field, value, onChange }} />;
  if (field?.fieldType !== FIELD.text) return <NumberEditor {...{ label, value, onChange }} />;
  return (
    <input
      className="input"
      aria-label={label}
      autoComplete="off"
      value={String(value ?? '')}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

/** Input for a number, which stays as it was typed: 2.50 is the number 2.5. */
function NumberEditor({ label, value, onChange }: Omit<SingleValueEditorProps, 'field'>) {
  const [typed, setTyped] = useState('');
  return (
    <input
      className="input"
      aria-label={label}
      inputMode="decimal"
      autoComplete="off"
      value={parseNumberOperand(typed) === value ? typed : String(value ?? '')}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(parseNumberOperand(target.value));
      }}
    />
  );
}

/** Date input with a menu of dates relative to today; the query stores the resulting date. */
function DateEditor({ label, field, value, onChange }: SingleValueEditorProps & { field: Field }) {
  const { isDateOnly } = field;
  const { name: zone, own } = useTimeZone();
  const zoneId = useId();
  const zoneName = typeof value === 'string' ? formatZoneName(addZone(value), zone) : '';
  return (
    <>
      <DateInput
        className="find-date"
        kind={isDateOnly ? 'day' : 'time'}
        timeZone={zone}
        aria-label={label}
        describedBy={isDateOnly ? undefined : zoneId}
        value={formatDateInput(value, isDateOnly, zone)}
        onChange={(text) => onChange(parseDateInput(text, isDateOnly, zone))}
      />
      {!isDateOnly && (
        <span id={zoneId} className="find-and">
          {zoneName === '' ? formatTimeZoneName(zone) : zoneName}
        </span>
      )}
      <Select
        className="find-select find-relative"
        label={`${label}, from today`}
        placeholder="From today"
        value={undefined}
        onChange={(name) => {
          // A day without a time is the user's own, whatever zone times are displayed in.
          const day = getRelativeDay(name, Date.now(), isDateOnly ? own : zone);
          if (day !== undefined) onChange(isDateOnly ? day : parseDateInput(`${day}T00:00`, false, zone));
        }}
        options={RELATIVE_DAYS.map((name) => ({ value: name, label: name }))}
      />
    </>
  );
}

interface ListEditorProps {
  label: string;
  operands: readonly Operand[];
  field: Field | undefined;
  onChange: (operands: readonly Operand[]) => void;
}

/** Date inputs for several dates, in the zone of the list, and an empty one for another date. */
function DateListEditor({ label, operands, field, onChange }: ListEditorProps & { field: Field }) {
  const { isDateOnly } = field;
  const { name: zone } = useTimeZone();
  const zoneId = useId();
  const values = operands.at(-1) === '' ? operands : [...operands, ''];
  return (
    <fieldset className="find-dates" aria-label={label} aria-describedby={isDateOnly ? undefined : zoneId}>
      {values.map((value, index) => (
        <DateInput
          // oxlint-disable-next-line react/no-array-index-key -- dates have no identity but their place
          key={index}
          className="find-date"
          kind={isDateOnly ? 'day' : 'time'}
          timeZone={zone}
          aria-label={`${label}, date ${index + 1}`}
          value={formatDateInput(value, isDateOnly, zone)}
          onChange={(text) => onChange(values.with(index, parseDateInput(text, isDateOnly, zone)))}
        />
      ))}
      {!isDateOnly && (
        <span id={zoneId} className="find-and">
          {formatTimeZoneName(zone)}
        </span>
      )}
    </fieldset>
  );
}

/** Text area for several texts or numbers, one per line, which stay as they were typed. */
function ListEditor({ label, operands, field, onChange }: ListEditorProps) {
  const [typed, setTyped] = useState('');
  const parseLine = field?.fieldType === FIELD.text ? (line: string): Operand => line : parseNumberOperand;
  const parseLines = (text: string): readonly Operand[] =>
    text === '' ? [] : text.split('\n').map(parseLine);
  const isTyped = JSON.stringify(parseLines(typed)) === JSON.stringify(operands);
  return (
    <textarea
      className="input find-lines"
      aria-label={`${label}, one per line`}
      placeholder="One per line"
      rows={Math.min(6, Math.max(2, operands.length + 1))}
      value={isTyped ? typed : operands.join('\n')}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(parseLines(target.value));
      }}
    />
  );
}

interface IdsEditorProps extends ValueEditorProps {
  field: Field;
  label: string;
  isMulti: boolean;
}

function IdsEditor({ comparison, field, schema, lookUpName, onChange, label, isMulti }: IdsEditorProps) {
  const findUsers = useUserFinder();
  const ids = comparison.operands.filter((operand) => typeof operand === 'number');
  return (
    <IdPicker
      label={label}
      queryKey={`field ${field.id}`}
      loadOptions={async (text, signal) =>
        field.fieldType === FIELD.user
          ? (await findUsers(text, MAX_OPTIONS)).map(({ id, name, email }) => ({
              value: id,
              label: name,
              hint: email,
            }))
          : findOptions(field, schema, text, signal)
      }
      value={ids}
      formatId={(id) => lookUpName(field, id) ?? `#${id}`}
      isMulti={isMulti}
      onChange={onChange}
    />
  );
}

/** Finds choices or entries whose name contains the text. */
async function findOptions(field: Field, schema: Schema, text: string, signal: AbortSignal) {
  if (field.fieldType === FIELD.reference) return findEntries(field, schema, text, signal);
  const needle = foldText(text);
  return (field.choiceValues ?? [])
    .filter(({ name }) => foldText(name).includes(needle))
    .slice(0, MAX_OPTIONS)
    .map(({ id, name }) => ({ value: id, label: name }));
}

async function findEntries(field: Field, schema: Schema, text: string, signal: AbortSignal) {
  const found = await Promise.all(
    getReferenceTypeIds(field, schema).map(async (typeId) => {
      const key = schema.getFields(typeId).find(({ isKey }) => isKey);
      if (!key) return [];
      const query = text === '' ? {} : { [key.apiName]: { $contains: text } };
      const { rows } = await queryRows(typeId, { query, fields: [key.apiName], limit: MAX_OPTIONS }, signal);
      return rows.map((row) => ({
        value: row.EntryId,
        label: formatEntryName(row, key),
        hint: `${schema.typeById.get(typeId)?.singularName ?? ''} ${row.EntryId}`,
      }));
    }),
  );
  return found.flat();
}
