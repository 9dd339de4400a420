import { FIELD, isIdField } from '../../../../contract/rules/fields.ts';
import type { FieldType } from '../../../../contract/rules/fields.ts';
import type { Operand } from '../../../../contract/rules/query/tree.ts';
import { fold } from '../../../lib/fold.ts';
import { usePeopleFinder } from '../model/people.ts';
import { typesOf } from '../model/schema.ts';
import type { Field, Schema } from '../model/schema.ts';
import { readRows } from '../model/use-rows.ts';
import { entryName } from '../model/values.ts';
import type { Rule } from './draft.ts';
import { operationOf } from './operators.ts';
import { RELATIVE_DAYS, relativeDay } from './relative-days.ts';
import { PickBox } from './PickBox.tsx';
import type { NameOf } from './words.ts';

export interface ValueEditorProps {
  rule: Rule;
  /** Undefined for EntryId. */
  field: Field | undefined;
  schema: Schema;
  nameOf: NameOf;
  onChange: (operands: readonly Operand[]) => void;
}

const MOST = 30;

/** What a comparison compares with, asked for as the field type has it. */
export function ValueEditor(props: ValueEditorProps) {
  const { rule, field, onChange } = props;
  const operand = operationOf(rule.operator)?.operand;
  const label = `Value of ${field?.name ?? rule.field}`;
  if (operand === 'none') return null;
  if (field && isIdField(field.fieldType))
    return <IdsEditor {...props} field={field} label={label} many={operand === 'several'} />;
  if (operand === 'several')
    return <ListEditor {...{ label, onChange }} operands={rule.operands} fieldType={field?.fieldType} />;
  const set = (at: number) => (value: Operand) => {
    const next = operand === 'pair' ? [rule.operands[0] ?? '', rule.operands[1] ?? ''] : [''];
    onChange(next.with(at, value));
  };
  if (operand !== 'pair')
    return <OneEditor label={label} field={field} value={rule.operands[0]} onChange={set(0)} />;
  return (
    <>
      <OneEditor label={`${label}, from`} field={field} value={rule.operands[0]} onChange={set(0)} />
      <span className="find-and">and</span>
      <OneEditor label={`${label}, to`} field={field} value={rule.operands[1]} onChange={set(1)} />
    </>
  );
}

interface OneEditorProps {
  label: string;
  field: Field | undefined;
  value: Operand | undefined;
  onChange: (value: Operand) => void;
}

/** What is no number stays a text: the query then says that it must be one. */
const numberOf = (text: string): Operand =>
  text.trim() !== '' && Number.isFinite(Number(text)) && String(Number(text)) === text.trim()
    ? Number(text)
    : text;

const DAY = 10;
const MINUTE = 16;

function OneEditor({ label, field, value, onChange }: OneEditorProps) {
  if (field?.fieldType === FIELD.boolean)
    return (
      <select
        className="input find-select"
        aria-label={label}
        value={String(value ?? '')}
        onChange={({ target }) => onChange(target.value === 'true')}
      >
        {value === undefined && <option value="">Choose</option>}
        <option value="true">Yes</option>
        <option value="false">No</option>
      </select>
    );
  if (field?.fieldType === FIELD.date) return <DateEditor {...{ label, field, value, onChange }} />;
  const isText = field?.fieldType === FIELD.text;
  return (
    <input
      className="input"
      aria-label={label}
      inputMode={isText ? undefined : 'decimal'}
      autoComplete="off"
      value={String(value ?? '')}
      onChange={({ target }) => onChange(isText ? target.value : numberOf(target.value))}
    />
  );
}

const HAS_OFFSET = /T.*(?:Z|[+-]\d\d:?\d\d)$/i;

/** A date of a query as its field shows it: the moment in UTC, however it is written there. */
function shownDate(value: Operand | undefined, isDateOnly: boolean): string {
  const text = String(value ?? '');
  if (isDateOnly) return text.slice(0, DAY);
  if (text.length === DAY) return `${text}T00:00`;
  const moment = HAS_OFFSET.test(text) ? Date.parse(text) : Number.NaN;
  return (Number.isNaN(moment) ? text : new Date(moment).toISOString()).slice(0, MINUTE);
}

/** A date, or one that is reckoned from today: the query holds the day that it is now. */
function DateEditor({ label, field, value, onChange }: OneEditorProps & { field: Field }) {
  const { isDateOnly } = field;
  return (
    <>
      <input
        className="input find-date"
        type={isDateOnly ? 'date' : 'datetime-local'}
        aria-label={isDateOnly ? label : `${label}, UTC`}
        value={shownDate(value, isDateOnly)}
        onChange={({ target }) =>
          onChange(target.value === '' || isDateOnly ? target.value : `${target.value}:00Z`)
        }
      />
      <select
        className="input find-select find-relative"
        aria-label={`${label}, from today`}
        value=""
        onChange={({ target }) => {
          const day = relativeDay(target.value, new Date());
          if (day !== undefined) onChange(isDateOnly ? day : `${day}T00:00:00Z`);
        }}
      >
        <option value="">From today</option>
        {RELATIVE_DAYS.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </>
  );
}

interface ListEditorProps {
  label: string;
  operands: readonly Operand[];
  fieldType: FieldType | undefined;
  onChange: (operands: readonly Operand[]) => void;
}

/** Several texts, numbers or dates: one on each line. */
function ListEditor({ label, operands, fieldType, onChange }: ListEditorProps) {
  const read = (line: string): Operand =>
    fieldType === FIELD.text || fieldType === FIELD.date ? line : numberOf(line);
  return (
    <textarea
      className="input find-lines"
      aria-label={`${label}, one on each line`}
      placeholder="One on each line"
      rows={Math.min(6, Math.max(2, operands.length + 1))}
      value={operands.join('\n')}
      onChange={({ target }) => onChange(target.value === '' ? [] : target.value.split('\n').map(read))}
    />
  );
}

interface IdsEditorProps extends ValueEditorProps {
  field: Field;
  label: string;
  many: boolean;
}

function IdsEditor({ rule, field, schema, nameOf, onChange, label, many }: IdsEditorProps) {
  const findPeople = usePeopleFinder();
  const chosen = rule.operands.filter((one) => typeof one === 'number');
  return (
    <PickBox
      label={label}
      topic={`field ${field.id}`}
      find={async (typed, signal) =>
        field.fieldType === FIELD.user
          ? (await findPeople(typed, MOST)).map(({ id, name, email }) => ({
              value: id,
              label: name,
              hint: email,
            }))
          : findFor(field, schema, typed, signal)
      }
      chosen={chosen}
      nameOf={(id) => nameOf(field, id) ?? `#${id}`}
      many={many}
      onChange={onChange}
    />
  );
}

/** Choices or entries whose name fits what was typed. */
async function findFor(field: Field, schema: Schema, typed: string, signal: AbortSignal) {
  if (field.fieldType === FIELD.reference) return findEntries(field, schema, typed, signal);
  const sought = fold(typed);
  return (field.choiceValues ?? [])
    .filter(({ name }) => fold(name).includes(sought))
    .slice(0, MOST)
    .map(({ id, name }) => ({ value: id, label: name }));
}

async function findEntries(field: Field, schema: Schema, typed: string, signal: AbortSignal) {
  const found = await Promise.all(
    typesOf(field, schema).map(async (typeId) => {
      const key = schema.fieldsOf(typeId).find(({ isKey }) => isKey);
      if (!key) return [];
      const query = typed === '' ? {} : { [key.apiName]: { $contains: typed } };
      const { rows } = await readRows(typeId, { query, fields: [key.apiName], limit: MOST }, signal);
      return rows.map((row) => ({
        value: row.EntryId,
        label: entryName(row, key),
        hint: `${schema.typeById.get(typeId)?.singularName ?? ''} ${row.EntryId}`,
      }));
    }),
  );
  return found.flat();
}
