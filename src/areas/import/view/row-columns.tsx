import { changeWords, faultWords } from '../row-words.ts';
import type { FieldChange, Labels, Outcome, Planned } from '../plan.ts';
import { count } from '../../../lib/numbers.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../ui/layout/tone.ts';
import type { Column } from '../../../ui/table/columns.ts';

export const OUTCOME_WORDS: Record<Outcome, { label: string; tone: Tone }> = {
  create: { label: 'Create', tone: 'ok' },
  update: { label: 'Update', tone: 'accent' },
  skip: { label: 'No change', tone: 'neutral' },
  cannot: { label: 'Cannot', tone: 'bad' },
};

type Line = { plan: Planned } | Planned;
const planOf = (line: Line): Planned => ('plan' in line ? line.plan : line);

/** What a row is about, and where it stands in the file. */
export const subjectColumn = (header: string): Column<Line> => ({
  id: 'subject',
  header,
  width: 330,
  cell(line) {
    const { name, detail } = planOf(line);
    return (
      <span className="import-subject">
        {name !== '' && (
          <span>
            <bdi>{name}</bdi>
          </span>
        )}{' '}
        <small>{detail === '' && name === '' ? 'Nothing named' : detail}</small>
      </span>
    );
  },
});

export const PLACE: Column<Line> = {
  id: 'row',
  header: 'Row',
  width: 76,
  align: 'end',
  small: 'line',
  cell: (row) => (
    <>
      <span className="import-row-word">Row </span>
      {count(planOf(row).row)}
    </>
  ),
};

const MOST_SHOWN = 120;
const MOST_TITLE = 2000;
// A million characters in a cell say no more than the first hundred.
const brief = (text: string): string => (text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);
const cut = (text: string): string => text.slice(0, MOST_TITLE);

/** Before and after, field by field. */
export function Changes({ changes, labels }: { changes: readonly FieldChange[]; labels: Labels }) {
  return (
    <span
      className="import-changes"
      title={cut(changes.map((change) => changeWords(change, labels)).join('\n'))}
    >
      {changes.map(({ field, before, after }) => (
        <span key={field}>
          <small>{labels[field] ?? field}</small> {before !== '' && <del>{brief(before)}</del>}{' '}
          <ins>{after === '' ? 'nothing' : brief(after)}</ins>
        </span>
      ))}
    </span>
  );
}

/** The checked rows. */
export const planColumns = (subject: string, labels: Labels): readonly Column<Planned>[] => [
  subjectColumn(subject),
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
      if (faults.length === 0) return <Changes {...{ changes, labels }} />;
      const words = cut(faults.map((fault) => faultWords(fault, labels)).join('. '));
      return (
        <span className="import-fault" title={words}>
          {words}
        </span>
      );
    },
  },
];
