import { formatFieldChange, formatRowError } from '../../files/import-plan/plan.ts';
import type { FieldChange, FieldLabels, RowOutcome, ImportRowPlan } from '../../files/import-plan/plan.ts';
import { formatNumber } from '../../lib/numbers.ts';
import { Badge } from '../../ui/layout/Badge.tsx';
import type { Tone } from '../../ui/layout/Badge.tsx';
import type { Column } from '../../ui/table/columns.ts';

export const OUTCOME_LABELS: Record<RowOutcome, { label: string; tone: Tone }> = {
  create: { label: 'Create', tone: 'ok' },
  update: { label: 'Update', tone: 'accent' },
  skip: { label: 'No change', tone: 'neutral' },
  cannot: { label: 'Error', tone: 'bad' },
};

/** Name and detail of a row. */
const buildSubjectColumn = (header: string): Column<ImportRowPlan> => ({
  id: 'subject',
  header,
  width: 330,
  cell({ name, detail }) {
    return (
      <span className="import-subject">
        {name !== '' && (
          <span>
            <bdi>{name}</bdi>
          </span>
        )}{' '}
        <small>{detail === '' && name === '' ? 'No name' : detail}</small>
      </span>
    );
  },
});

const ROW_NUMBER_COLUMN: Column<ImportRowPlan> = {
  id: 'row',
  header: 'Row',
  width: 76,
  align: 'end',
  small: 'line',
  cell: ({ row }) => (
    <>
      <span className="import-row-word">Row </span>
      {formatNumber(row)}
    </>
  ),
};

const MAX_VALUE_LENGTH = 120;
const MAX_TOOLTIP_LENGTH = 2000;
// Cells may hold a million characters.
const truncateValue = (text: string): string =>
  text.length > MAX_VALUE_LENGTH ? `${text.slice(0, MAX_VALUE_LENGTH)}…` : text;
const truncateTooltip = (text: string): string => text.slice(0, MAX_TOOLTIP_LENGTH);

/** Changes of a row with before and after. */
function Changes({ changes, labels }: { changes: readonly FieldChange[]; labels: FieldLabels }) {
  return (
    <span
      className="import-changes"
      title={truncateTooltip(changes.map((change) => formatFieldChange(change, labels)).join('\n'))}
    >
      {changes.map(({ field, before, after }) => (
        <span key={field}>
          <small>{labels[field] ?? field}</small> {before !== '' && <del>{truncateValue(before)}</del>}{' '}
          <ins>{after === '' ? 'nothing' : truncateValue(after)}</ins>
        </span>
      ))}
    </span>
  );
}

/** Columns of planned rows. */
export const buildPlanColumns = (subject: string, labels: FieldLabels): readonly Column<ImportRowPlan>[] => [
  buildSubjectColumn(subject),
  ROW_NUMBER_COLUMN,
  {
    id: 'outcome',
    header: 'Outcome',
    width: 110,
    small: 'aside',
    cell: ({ outcome }) => <Badge tone={OUTCOME_LABELS[outcome].tone}>{OUTCOME_LABELS[outcome].label}</Badge>,
  },
  {
    id: 'what',
    header: 'Changes',
    minWidth: 360,
    small: 'line',
    cell({ outcome, errors, changes }) {
      if (outcome === 'skip') return <span className="import-so">No change</span>;
      if (errors.length === 0) return <Changes {...{ changes, labels }} />;
      const words = truncateTooltip(errors.map((error) => formatRowError(error, labels)).join('. '));
      return (
        <span className="import-fault" title={words}>
          {words}
        </span>
      );
    },
  },
];

interface OutcomeOption<Value extends string> {
  value: Value;
  label: string;
  count: number;
  tone: Tone;
}

interface OutcomePickerProps<Value extends string> {
  label: string;
  options: readonly OutcomeOption<Value>[];
  value: Value;
  onChange: (value: Value) => void;
}

/** Number of rows by outcome; choosing one filters the table. */
export function OutcomePicker<Value extends string>(props: OutcomePickerProps<Value>) {
  const { label, options, value, onChange } = props;
  return (
    <fieldset className="import-outcomes">
      <legend className="visually-hidden">{label}</legend>
      {options.map((option) => (
        <label key={option.value} className={`import-outcome import-outcome-${option.tone}`}>
          <input
            type="radio"
            name={label}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          <strong className="num">{formatNumber(option.count)}</strong> <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
