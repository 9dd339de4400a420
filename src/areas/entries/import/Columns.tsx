import type { EntryTypeVm, NewEntryTypeInfo } from '../../../../contract/generated/types.gen.ts';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import { FIELD, holdsMoney } from '../../../../contract/rules/schema/fields.ts';
import { countFileColumns } from '../../../../contract/rules/tables/problem-columns.ts';
import { usePermission } from '../../../api/session.ts';
import { assignColumn, getDuplicateNote } from '../../../files/import-plan/file-columns.ts';
import type { ReadOptions } from '../../../files/table/table.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { suggestApiName } from '../../../lib/text/api-names.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { FieldFrame, FieldNote } from '../../../ui/form/FieldFrame.tsx';
import { LabelledSelect, Select } from '../../../ui/form/select/Select.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { toTypeOption } from '../../../ui/layout/TypeTile.tsx';
import { ColumnRow, FileSummary } from '../../import-view/index.ts';
import type { Prepared } from '../../import-view/index.ts';
import { formatFieldType } from '../model/field-usage.ts';
import type { Field, Schema } from '../model/schema.ts';
import { useTimeZone } from '../model/zone.ts';
import type { ColumnGuess, NewFieldKind } from './guess-field.ts';
import { getGuessedRules, toNewField } from './new-fields.ts';
import type { ChoiceCount, NewField, NewFields, SchemaPlan } from './new-fields.ts';
import type { ParseRules } from './parse-row.ts';
import { canHold } from './row-references.ts';
import { MAX_NAMES_TO_COMPARE } from './session.ts';
import type { EntryFileSession } from './session.ts';
import { getAvailableKeys, resolveKey } from './setup.ts';
import type { EntryImportSetup } from './setup.ts';
import { getColumnTargets, getIgnoredReason } from './targets.ts';
import './new-fields.css';

/** What rows are imported into. */
export interface ImportSubject {
  schema: Schema;
  /** Undefined while the import still has to create it. */
  type: EntryTypeVm | undefined;
  fields: readonly Field[];
}

/** Errors of what the import would create. */
export interface SchemaErrors {
  columns: ReadonlyMap<number, string>;
  type: Partial<Record<keyof NewEntryTypeInfo, string>>;
}

interface ColumnsCardProps {
  subject: ImportSubject;
  plan: SchemaPlan;
  errors: SchemaErrors;
  prepared: Prepared<EntryFileSession, EntryImportSetup>;
  onChange: (part: Partial<EntryImportSetup>) => void;
  onReadAs: (part: ReadOptions) => void;
  onDiscard: () => void;
}

/** Value of the select of a column for a field that the import creates; no target key has a space. */
const NEW_FIELD = 'new field';

/** Second step: the target of each column and the parse rules. */
export function ColumnsCard({
  subject,
  plan,
  errors,
  prepared,
  onChange,
  onReadAs,
  onDiscard,
}: ColumnsCardProps) {
  const { type, fields } = subject;
  const { reason } = usePermission('extendSchema');
  const { file, setup, session } = prepared;
  const { mapping, newFields, rules, newType } = setup;
  const guesses = session.getGuesses();
  const targets = type ? getColumnTargets(fields) : [];
  const headingOf = (at: number): string => {
    const heading = file.headings[at] ?? '';
    return heading === '' ? `Column ${formatNumber(at + 1)}` : heading;
  };
  const options = [
    { value: NEW_FIELD, label: 'New field', disabledReason: reason },
    ...targets.map(({ key, label }) => ({ value: key, label })),
  ];
  const isIgnored = (at: number): boolean => mapping[at] === undefined && newFields[at] === undefined;
  const free = file.headings.flatMap((heading, at) =>
    at < countFileColumns(file.headings) &&
    isIgnored(at) &&
    (file.samples[at] ?? '') !== '' &&
    getIgnoredReason(heading, fields) === undefined &&
    getDuplicateNote(file.headings, at) === undefined
      ? [at]
      : [],
  );
  const addFields = (columns: readonly number[]) =>
    onChange({
      mapping: mapping.map((key, at) => (columns.includes(at) ? undefined : key)),
      newFields: {
        ...newFields,
        ...Object.fromEntries(columns.map((at) => [at, toNewField(headingOf(at), guesses[at])])),
      },
      rules: {
        ...rules,
        ...getGuessedRules(file.source.kind === 'text' ? columns.map((at) => guesses[at]) : []),
      },
    });
  const choose = (at: number, selected: string) => {
    if (selected === NEW_FIELD) return addFields([at]);
    const key = selected === '' ? undefined : selected;
    return onChange({
      mapping: assignColumn(mapping, at, key),
      newFields: omitColumn(newFields, at),
    });
  };
  return (
    <Card
      title="2. Columns"
      actions={
        <Button size="small" onClick={onDiscard}>
          Choose another file
        </Button>
      }
    >
      <CardBody>
        <div className="import-columns-head">
          <FileSummary
            {...{ prepared, onReadAs }}
            ignoredCount={file.headings.filter((_, at) => isIgnored(at)).length}
          />
        </div>
        {newType && (
          <TypeFields names={newType} errors={errors.type} onChange={(part) => onChange({ newType: part })} />
        )}
        <ul className="import-columns">
          {file.headings.map((heading, at) => {
            const field = newFields[at];
            return (
              // Columns have no identity but their place; headings may repeat.
              // oxlint-disable-next-line react/no-array-index-key
              <li key={at}>
                <ColumnRow
                  heading={headingOf(at)}
                  note={
                    (isIgnored(at)
                      ? (getIgnoredReason(heading, fields) ?? getDuplicateNote(file.headings, at))
                      : undefined) ??
                    file.samples[at] ??
                    ''
                  }
                  value={field ? NEW_FIELD : (mapping[at] ?? '')}
                  onChoose={(key) => choose(at, key)}
                  options={options}
                />
                {field && (
                  <NewFieldRow
                    heading={headingOf(at)}
                    {...{ field, subject, plan }}
                    column={at}
                    error={errors.columns.get(at)}
                    onChange={(next) => onChange({ newFields: withField(newFields, at, next, guesses) })}
                  />
                )}
              </li>
            );
          })}
        </ul>
        {type && free.length > 0 && (
          <p className="import-free">
            <Button size="small" disabledReason={reason} onClick={() => addFields(free)}>
              {free.length === 1
                ? 'Create a field for the ignored column'
                : `Create fields for ${formatNumber(free.length)} ignored columns`}
            </Button>
            {reason !== undefined && <span className="field-hint">New fields and choices: {reason}.</span>}
          </p>
        )}
        <RulesFields {...{ subject, plan, prepared, onChange }} schemaReason={reason} />
        <CreatedList {...{ subject, plan, newType }} />
      </CardBody>
    </Card>
  );
}

const omitColumn = (newFields: NewFields, column: number): NewFields =>
  Object.fromEntries(Object.entries(newFields).filter(([at]) => Number(at) !== column));

/** Sets the field of a column. One field of a type names its entries, so that another one gets its guessed kind. */
function withField(
  newFields: NewFields,
  column: number,
  field: NewField,
  guesses: readonly ColumnGuess[],
): NewFields {
  const others = Object.entries(newFields).map(([at, other]): [string, NewField] => [
    at,
    field.isKey && other.isKey && Number(at) !== column ? toNewField(other.name, guesses[Number(at)]) : other,
  ]);
  return { ...Object.fromEntries(others), [column]: field };
}

interface TypeFieldsProps {
  names: NewEntryTypeInfo;
  errors: SchemaErrors['type'];
  onChange: (names: NewEntryTypeInfo) => void;
}

/** Names of the type that the import creates; the API name follows the singular until it was edited. */
function TypeFields({ names, errors, onChange }: TypeFieldsProps) {
  const { singularName, apiName } = names;
  const follows = apiName === suggestApiName(singularName);
  const change = (key: keyof NewEntryTypeInfo, value: string) =>
    onChange({
      ...names,
      [key]: value,
      ...(key === 'singularName' && follows && { apiName: suggestApiName(value) }),
    });
  return (
    <div className="import-type">
      {TYPE_FIELDS.map(([key, label]) => (
        <FieldFrame
          key={key}
          id={`import-type-${key}`}
          noteId={`import-type-${key}-note`}
          label={label}
          error={errors[key]}
        >
          <input
            id={`import-type-${key}`}
            className="input"
            value={names[key]}
            aria-invalid={errors[key] !== undefined}
            aria-describedby={`import-type-${key}-note`}
            onChange={({ target }) => change(key, target.value)}
          />
        </FieldFrame>
      ))}
    </div>
  );
}

const TYPE_FIELDS = [
  ['singularName', 'Singular name'],
  ['pluralName', 'Plural name'],
  ['apiName', 'API name'],
] as const;

const KIND_LABELS: readonly (readonly [NewFieldKind, string])[] = [
  ['text', 'Text'],
  ['number', 'Number'],
  ['money', 'Amount of money'],
  ['date', 'Date'],
  ['dateTime', 'Date and time'],
  ['boolean', 'Yes or no'],
  ['choice', 'Choice'],
  ['choices', 'Choice, several'],
  ['user', 'User'],
];
const KEY_KIND = 'key';
const REFERENCE = /^reference (\d+)$/;

interface NewFieldRowProps {
  heading: string;
  column: number;
  field: NewField;
  subject: ImportSubject;
  plan: SchemaPlan;
  error: string | undefined;
  onChange: (field: NewField) => void;
}

/** Name and kind of the field that the import creates for a column. */
function NewFieldRow({ heading, column, field, subject, plan, error, onChange }: NewFieldRowProps) {
  const { schema, type } = subject;
  const { name, kind, typeId, isKey } = field;
  const noteId = `import-new-${column}`;
  const choose = (value: string) => {
    if (value === KEY_KIND) return onChange({ name, kind: 'text', isKey: true });
    const target = REFERENCE.exec(value)?.[1];
    if (target !== undefined) return onChange({ name, kind: 'reference', typeId: Number(target) });
    const found = KIND_LABELS.find(([one]) => one === value);
    return found && onChange({ name, kind: found[0] });
  };
  const choices = plan.created.find((one) => one.column === column)?.field.choiceValues;
  return (
    <div className="import-new">
      <input
        className="input"
        aria-label={`Name of the new field for ${heading}`}
        aria-invalid={error !== undefined}
        aria-describedby={noteId}
        value={name}
        onChange={({ target }) => onChange({ ...field, name: target.value })}
      />
      <Select
        label={`Kind of the new field for ${heading}`}
        value={isKey ? KEY_KIND : kind === 'reference' ? `reference ${typeId}` : kind}
        onChange={choose}
        options={[
          ...(type ? [] : [{ value: KEY_KIND, label: 'Name of the entry' }]),
          ...KIND_LABELS.map(([value, label]) => ({ value, label })),
          ...schema.types.map((referenced) => ({
            ...toTypeOption(referenced),
            value: `reference ${referenced.id}`,
            label: `Reference to ${referenced.pluralName}`,
          })),
        ]}
      />
      <div className="import-new-note">
        <FieldNote
          id={noteId}
          error={error}
          hint={choices && `${pluralize(choices.length, 'choice', 'choices')}: ${formatChoices(choices)}`}
        />
      </div>
    </div>
  );
}

const MAX_LISTED_CHOICES = 8;

const formatChoices = (choices: readonly { name: string }[]): string => {
  const more = choices.length - MAX_LISTED_CHOICES;
  const names = choices.slice(0, MAX_LISTED_CHOICES).map(({ name }) => name);
  return `${names.join(', ')}${more > 0 ? ` and ${formatNumber(more)} more` : ''}`;
};

const formatCounts = (choices: readonly ChoiceCount[]): string =>
  formatChoices(
    choices.map(({ name, rowCount }) => ({ name: `${name} (${pluralize(rowCount, 'row', 'rows')})` })),
  );

/** What the import creates, as a noun for its button: "2 fields"; undefined if nothing. */
export function formatCreated(plan: SchemaPlan, newType: NewEntryTypeInfo | undefined): string | undefined {
  if (newType) return newType.pluralName;
  const choiceCount = plan.added.reduce((sum, { choices }) => sum + choices.length, 0);
  const parts = [
    ...(plan.created.length > 0 ? [pluralize(plan.created.length, 'field', 'fields')] : []),
    ...(choiceCount > 0 ? [pluralize(choiceCount, 'choice', 'choices')] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(', ');
}

interface CreatedListProps {
  subject: ImportSubject;
  plan: SchemaPlan;
  newType: NewEntryTypeInfo | undefined;
}

/** Everything that the import creates before its rows. */
function CreatedList({ subject: { schema }, plan, newType }: CreatedListProps) {
  const { created, added } = plan;
  if (formatCreated(plan, newType) === undefined) return null;
  return (
    <Banner title="Created with the import">
      <p>
        Nothing is created before you start the import. If a field or choice is refused, none of them is
        created.
      </p>
      <ul className="import-created" aria-label="Created with the import">
        {newType && (
          <li>
            Entry type <strong>{newType.pluralName}</strong>
          </li>
        )}
        {created.map(({ column, field }) => (
          <li key={column}>
            Field <strong>{field.name}</strong>:{' '}
            {field.isKey ? 'names the entries' : formatFieldType(field, schema)}
            {field.choiceValues && ` with ${pluralize(field.choiceValues.length, 'choice', 'choices')}`}
          </li>
        ))}
        {added.map(({ field, choices }) => (
          <li key={field.id}>
            {pluralize(choices.length, 'choice', 'choices')} of <strong>{field.name}</strong>:{' '}
            {formatCounts(choices)}
          </li>
        ))}
      </ul>
    </Banner>
  );
}

interface RulesFieldsProps extends Pick<ColumnsCardProps, 'subject' | 'plan' | 'prepared' | 'onChange'> {
  /** Why missing choices cannot be added. */
  schemaReason: string | undefined;
}

/** Form of the parse rules; shows only rules relevant to the columns. */
function RulesFields({ subject, plan, prepared, onChange, schemaReason }: RulesFieldsProps) {
  const { type, fields } = subject;
  const { site, own } = useTimeZone();
  const { file, setup } = prepared;
  const { mapping, rules } = setup;
  const typeId = type?.id ?? 0;
  const set = (part: Partial<ParseRules>) => onChange({ rules: { ...rules, ...part } });
  const inFile = plan.fields.filter(({ apiName }) => plan.mapping.includes(apiName));
  const addsChoices = fields.some(
    ({ apiName, fieldType }) => fieldType === FIELD.choice && mapping.includes(apiName),
  );
  const hasNumbers =
    file.source.kind === 'text' &&
    inFile.some((field) => field.fieldType === FIELD.number || holdsMoney(field));
  const dates = inFile.filter(({ fieldType }) => fieldType === FIELD.date);
  const keys = getAvailableKeys(mapping, fields);
  const key = resolveKey(setup, fields);
  const namesEntries = inFile.some((field) => canHold(field, typeId));
  const nameOf = (one: string) => fields.find(({ apiName }) => apiName === one)?.name ?? 'Entry id';
  return (
    <>
      <div className="import-rules">
        {type && (
          <LabelledSelect
            className="import-rule"
            label="Match entries by"
            value={key}
            onChange={(selected) => onChange({ key: selected })}
            options={[
              ...keys.map((one) => ({ value: one, label: nameOf(one) })),
              { value: '', label: 'None: every row is a new entry' },
            ]}
          />
        )}
        <LabelledSelect
          className="import-rule"
          label="Empty cells"
          value={rules.empty}
          onChange={(empty) => set({ empty })}
          options={[
            { value: 'keep', label: 'Change nothing' },
            { value: 'clear', label: 'Clear the field' },
          ]}
        />
        {hasNumbers && (
          <LabelledSelect
            className="import-rule"
            label="Decimal separator"
            value={rules.decimal}
            onChange={(decimal) => set({ decimal })}
            options={[
              { value: 'point', label: 'Point: 1,234.5' },
              { value: 'comma', label: 'Comma: 1.234,5' },
            ]}
          />
        )}
        {dates.length > 0 && (
          <LabelledSelect
            className="import-rule"
            label="3/4/2026 is"
            value={rules.dates}
            onChange={(order) => set({ dates: order })}
            options={[
              { value: 'dmy', label: '3 April' },
              { value: 'mdy', label: '4 March' },
            ]}
          />
        )}
        {dates.some(({ isDateOnly }) => !isDateOnly) && (
          <LabelledSelect
            className="import-rule"
            label="Time zone of times without an offset"
            value={rules.zone}
            onChange={(zone) => set({ zone })}
            options={[...new Set(['UTC', site, own, rules.zone])].map((zone) => ({
              value: zone,
              label: zone,
            }))}
          />
        )}
        {addsChoices && (
          <LabelledSelect
            className="import-rule"
            label="Missing choices"
            value={schemaReason === undefined ? rules.choices : 'refuse'}
            onChange={(choices) => set({ choices })}
            options={[
              ...(schemaReason === undefined ? ([{ value: 'add', label: 'Add to the field' }] as const) : []),
              { value: 'refuse', label: 'Report as errors' },
            ]}
          />
        )}
        <LabelledSelect
          className="import-rule"
          label="Possible duplicates"
          value={rules.near}
          onChange={(near) => set({ near })}
          options={[
            { value: 'refuse', label: 'Skip and report' },
            { value: 'allow', label: 'Import anyway' },
          ]}
        />
      </div>
      <p className="field-hint">
        Choices, users and entries are matched by name or id; separate several with semicolons. Dates that
        begin with the year are always recognized.
        {namesEntries &&
          ` Other rows of the file can be referenced too, by their names${key === '' || key === ENTRY_ID ? '' : ` or by ${nameOf(key)}`}; their order does not matter.`}
        {rules.near === 'refuse' &&
          (type?.entryCount ?? 0) > MAX_NAMES_TO_COMPARE &&
          ` Of the ${formatNumber(type?.entryCount ?? 0)} stored names, possible duplicates are found only when a row is imported.`}
      </p>
    </>
  );
}
