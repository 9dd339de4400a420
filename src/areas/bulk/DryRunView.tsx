import { useMemo, useState } from 'react';
import { useSession } from '../../api/session.ts';
import { useDirectory } from '../../directory/directory.ts';
import { shortDate } from '../../lib/dates.ts';
import { count } from '../../lib/numbers.ts';
import { OneWayWords } from '../../ui/dialog/one-way-door.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { Check } from '../../ui/form/Check.tsx';
import { DataTable } from '../../ui/table/DataTable.tsx';
import type { RowSource } from '../../ui/table/row-source.ts';
import type { BulkAction } from './actions.ts';
import type { DryRun } from './dry-run.ts';
import type { Change, Person } from './person.ts';
import { billableDelta } from './plan.ts';
import { EFFECTS_IN_WORDS, inWords, oneWayOf, people } from './words.ts';
import type { Names } from './words.ts';
import type { Column } from '../../ui/table/columns.ts';
import { changeColumns } from './change-columns.tsx';

interface DryRunViewProps {
  action: BulkAction;
  result: DryRun;
  /** Those who will be changed: all, or without who was changed meanwhile. */
  changes: readonly Change[];
  names: Names;
  leaveOut: boolean;
  onLeaveOut: (leaveOut: boolean) => void;
}

type Part = 'change' | 'meanwhile' | 'refused' | 'same';

const PARTS: Record<Part, string> = {
  change: 'Will change',
  meanwhile: 'Changed meanwhile',
  refused: 'Cannot be changed',
  same: 'So already',
};

/** Before and after of each person, who is left out and why, and what it does to the bill. */
export function DryRunView(props: DryRunViewProps) {
  const { action, result, changes, leaveOut, onLeaveOut } = props;
  const { conflicts, missing, lacks } = result;
  const { user: me, site } = useSession();
  const [wanted, setPart] = useState<Part>('change');
  const lines = useLines(props);
  const shown = (Object.keys(PARTS) as Part[]).filter((part) => part === 'change' || lines[part].length > 0);
  const part = shown.includes(wanted) ? wanted : 'change';
  const oneWay = oneWayOf(action, changes.length, site.name);
  return (
    <>
      {oneWay === undefined ? <p>{EFFECTS_IN_WORDS[action.kind]}</p> : <OneWayWords {...oneWay} />}
      {lacks !== undefined && <Banner tone="warn" title={lacks} />}
      {conflicts.size > 0 && (
        <Banner
          tone="warn"
          title={`${people(conflicts.size)} ${conflicts.size === 1 ? 'was' : 'were'} changed by somebody else meanwhile`}
        >
          <Check
            kind="checkbox"
            id="bulk-leave-out"
            label="Leave them out"
            checked={leaveOut}
            onChange={onLeaveOut}
          />
        </Banner>
      )}
      {changes.some(({ person }) => person.id === me.id) && (
        <Banner title="You are among them">What you lose here, you lose at once.</Banner>
      )}
      <Bill changes={changes} />
      {missing > 0 && (
        <p>
          {people(missing)} selected {missing === 1 ? 'is' : 'are'} no longer on this site.
        </p>
      )}
      <fieldset className="bulk-parts">
        <legend className="visually-hidden">Shown people</legend>
        {shown.map((one) => (
          <button key={one} type="button" aria-pressed={one === part} onClick={() => setPart(one)}>
            {PARTS[one]} <span className="num">{count(lines[one].length)}</span>
          </button>
        ))}
      </fieldset>
      <DataTable
        key={part}
        label={PARTS[part]}
        columns={columnsOf(part, conflicts.size > 0)}
        rows={lines[part]}
        rowId={idOf}
        rowLabel={nameOf}
        empty={
          <EmptyState title="Nobody would be changed">
            {result.same.length > 0
              ? 'Everybody who may be changed is so already.'
              : 'Nobody here can be changed.'}
          </EmptyState>
        }
      />
    </>
  );
}

const columnsOf = (part: Part, conflicts: boolean) => {
  if (part === 'refused' || part === 'same') return COLUMNS.left;
  return conflicts ? COLUMNS.meanwhile : COLUMNS.change;
};
const idOf = ({ id }: Line) => id;
const nameOf = ({ name }: Line) => name;

/** Lines are made when they come into view: there may be a hundred thousand. */
function useLines({ result, changes, names }: DryRunViewProps): Record<Part, RowSource<Line>> {
  return useMemo(() => {
    const { conflicts, same, refused } = result;
    const change = (one: Change): Line => {
      const meanwhile = conflicts.get(one.person.id);
      const note = meanwhile && `Changed ${shortDate(meanwhile.at)} by ${meanwhile.by}`;
      return { ...who(one.person), ...inWords(one, names), note };
    };
    return {
      change: sourceOf(changes, change),
      meanwhile: sourceOf(
        result.changes.filter(({ person }) => conflicts.has(person.id)),
        change,
      ),
      refused: sourceOf(refused, ({ person, why }) => ({ ...who(person), note: why })),
      same: sourceOf(same, (person) => ({ ...who(person), note: 'Needs no call' })),
    };
  }, [result, changes, names]);
}

const who = ({ id, name, email }: Person) => ({ id, name, email });

function sourceOf<Item>(items: readonly Item[], line: (item: Item) => Line): RowSource<Line> {
  return {
    length: items.length,
    at(index) {
      const item = items[index];
      return item && line(item);
    },
  };
}

/** What the change does to the billable licenses of the site, where it does anything. */
function Bill({ changes }: { changes: readonly Change[] }) {
  const { billable, complete } = useDirectory();
  const delta = billableDelta(changes);
  if (delta === 0) return null;
  const difference = `${delta > 0 ? '+' : '−'}${count(Math.abs(delta))}`;
  return (
    <p className="num">
      Billable licenses: <strong>{difference}</strong>
      {complete && `, ${count(billable)} → ${count(billable + delta)}`}
    </p>
  );
}

/** A person in the table of a dry run. */
interface Line {
  id: number;
  name: string;
  email: string;
  before?: string;
  after?: string;
  note?: string | undefined;
}

const WHO: readonly Column<Line>[] = [
  {
    id: 'name',
    header: 'Name',
    minWidth: 150,
    cell: ({ name }) => <span className="bulk-name">{name}</span>,
  },
  {
    id: 'email',
    header: 'E-mail',
    minWidth: 170,
    cell: ({ email }) => (
      <span className="bulk-soft" title={email}>
        {email}
      </span>
    ),
  },
];

const CHANGE: readonly Column<Line>[] = [...WHO, ...changeColumns<Line>(120)];

/** Who changes, from what to what, also by others meanwhile; who does not, and why. */
const COLUMNS: Record<'change' | 'meanwhile' | 'left', readonly Column<Line>[]> = {
  change: CHANGE,
  meanwhile: [
    ...CHANGE,
    {
      id: 'note',
      header: 'Changed meanwhile',
      minWidth: 150,
      small: 'line',
      cell: ({ note }) =>
        note && (
          <span className="bulk-note" title={note}>
            {note}
          </span>
        ),
    },
  ],
  left: [
    ...WHO,
    {
      id: 'note',
      header: 'Why',
      minWidth: 320,
      small: 'line',
      cell: ({ note }) => <span title={note}>{note}</span>,
    },
  ],
};
