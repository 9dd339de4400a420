import { changeWords, faultWords } from '../../../../import/row-words.ts';
import { HEADINGS } from '../../../../import/fields.ts';
import type { FieldChange, Outcome, Planned } from '../../../../import/plan.ts';
import { count } from '../../../../lib/numbers.ts';
import { Badge } from '../../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../../ui/layout/tone.ts';
import type { Column } from '../../../../ui/table/columns.ts';

export const OUTCOME_WORDS: Record<Outcome, { label: string; tone: Tone }> = {
  create: { label: 'Create', tone: 'ok' },
  update: { label: 'Update', tone: 'accent' },
  skip: { label: 'No change', tone: 'neutral' },
  cannot: { label: 'Cannot', tone: 'bad' },
};

/** Whom a row is about, and where it stands in the file. */
export const PERSON: Column<{ plan: Planned } | Planned> = {
  id: 'person',
  header: 'Person',
  width: 330,
  cell(row) {
    const { name, email } = 'plan' in row ? row.plan : row;
    return (
      <span className="import-person">
        {name !== '' && <span>{name}</span>}{' '}
        <small>{email === '' && name === '' ? 'Nobody named' : email}</small>
      </span>
    );
  },
};

export const PLACE: Column<{ plan: Planned } | Planned> = {
  id: 'row',
  header: 'Row',
  width: 76,
  align: 'end',
  small: 'line',
  cell: (row) => (
    <>
      <span className="import-row-word">Row </span>
      {count('plan' in row ? row.plan.row : row.row)}
    </>
  ),
};

/** Before and after, field by field. */
export function Changes({ changes }: { changes: readonly FieldChange[] }) {
  return (
    <span className="import-changes" title={changes.map(changeWords).join('\n')}>
      {changes.map(({ field, before, after }) => (
        <span key={field}>
          <small>{HEADINGS[field]}</small> {before !== '' && <del>{before}</del>} <ins>{after}</ins>
        </span>
      ))}
    </span>
  );
}

/** The checked rows. */
export const PLAN_COLUMNS: readonly Column<Planned>[] = [
  PERSON,
  PLACE,
  {
    id: 'outcome',
    header: 'Outcome',
    width: 110,
    small: 'aside',
    cell: ({ outcome }) => <Badge tone={OUTCOME_WORDS[outcome].tone}>{OUTCOME_WORDS[outcome].label}</Badge>,
  },
  {
    id: 'what',
    header: 'What would change',
    minWidth: 360,
    small: 'line',
    cell({ outcome, faults, changes }) {
      if (outcome === 'skip') return <span className="import-so">Is so already</span>;
      if (faults.length === 0) return <Changes changes={changes} />;
      const words = faults.map(faultWords).join('. ');
      return (
        <span className="import-fault" title={words}>
          {words}
        </span>
      );
    },
  },
];
