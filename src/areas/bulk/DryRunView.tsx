import { useMemo, useState } from 'react';
import { useSession } from '../../api/session.ts';
import { BillableDelta } from '../../directory/BillableDelta.tsx';
import { formatShortDate } from '../../lib/dates/dates.ts';
import { formatNumber } from '../../lib/numbers.ts';
import { IrreversibleEffectsList } from '../../ui/dialog/confirm-irreversible.tsx';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../ui/feedback/EmptyState.tsx';
import { Toggle } from '../../ui/form/Toggle.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import type { RowSource } from '../../ui/table/row-source.ts';
import { PeopleRehearsal } from '../settings/index.ts';
import type { BulkAction } from './bulk-request.ts';
import { changeColumns } from './dry-run-parts.tsx';
import type { DryRun } from './dry-run.ts';
import type { PersonChange, Person } from './person.ts';
import { billableDelta } from './plan.ts';
import { EFFECT_TEXTS, formatChange, getOneWayDetails, formatPeople } from './texts.ts';
import type { GroupNames } from './texts.ts';

interface DryRunViewProps {
  action: BulkAction;
  result: DryRun;
  /** Changes that will be made: all, or without the conflicts. */
  changes: readonly PersonChange[];
  names: GroupNames;
  skipConflicts: boolean;
  onSkipConflicts: (leaveOut: boolean) => void;
}

type Section = 'change' | 'conflict' | 'refused' | 'unchanged';

const SECTION_LABELS: Record<Section, string> = {
  change: 'Will change',
  conflict: 'Changed by others',
  refused: 'Cannot be changed',
  unchanged: 'Unchanged',
};

/** Result of a dry run: changes with before and after, conflicts, refused people, and the effect on billing. */
export function DryRunView(props: DryRunViewProps) {
  const { action, result, changes, skipConflicts, onSkipConflicts } = props;
  const { conflicts, missing, blockedReason } = result;
  const { user: ownUser, site } = useSession();
  const [selectedSection, setSelectedSection] = useState<Section>('change');
  const rows = useRows(props);
  const sections = (Object.keys(SECTION_LABELS) as Section[]).filter(
    (one) => one === 'change' || rows[one].length > 0,
  );
  const section = sections.includes(selectedSection) ? selectedSection : 'change';
  const changedIds = useMemo(() => changes.map(({ person }) => person.id), [changes]);
  const oneWay = getOneWayDetails(action, changes.length, site.name);
  return (
    <>
      {oneWay === undefined ? <p>{EFFECT_TEXTS[action.kind]}</p> : <IrreversibleEffectsList {...oneWay} />}
      {action.kind === 'addressesOn' && <PeopleRehearsal userIds={changedIds} />}
      {blockedReason !== undefined && <Banner tone="warn" title={blockedReason} />}
      {conflicts.size > 0 && (
        <Banner
          tone="warn"
          title={`${formatPeople(conflicts.size)} ${conflicts.size === 1 ? 'was' : 'were'} changed by someone else in the meantime`}
        >
          <Toggle
            kind="checkbox"
            id="bulk-leave-out"
            label="Leave them out"
            checked={skipConflicts}
            onChange={onSkipConflicts}
          />
        </Banner>
      )}
      {changes.some(({ person }) => person.id === ownUser.id) && (
        <Banner title="This includes you">Anything you lose takes effect immediately.</Banner>
      )}
      <BillableDelta delta={billableDelta(changes)} />
      {missing > 0 && (
        <p>
          {formatPeople(missing)} selected {missing === 1 ? 'is' : 'are'} no longer on this site.
        </p>
      )}
      <fieldset className="bulk-parts">
        <legend className="visually-hidden">Shown people</legend>
        {sections.map((one) => (
          <button
            key={one}
            type="button"
            aria-pressed={one === section}
            onClick={() => setSelectedSection(one)}
          >
            {SECTION_LABELS[one]} <span className="num">{formatNumber(rows[one].length)}</span>
          </button>
        ))}
      </fieldset>
      <DataTable
        key={section}
        label={SECTION_LABELS[section]}
        columns={getColumns(section, conflicts.size > 0)}
        rows={rows[section]}
        rowId={getId}
        rowLabel={getName}
        empty={
          <EmptyState title="No changes to make">
            {result.unchanged.length > 0
              ? 'Everyone who can be changed already has these values.'
              : 'None of these people can be changed.'}
          </EmptyState>
        }
      />
    </>
  );
}

const getColumns = (section: Section, conflicts: boolean) => {
  if (section === 'refused' || section === 'unchanged') return COLUMNS.leftOut;
  return conflicts ? COLUMNS.conflict : COLUMNS.change;
};
const getId = ({ id }: ChangeRow) => id;
const getName = ({ name }: ChangeRow) => name;

/** Rows of each section. A row is built when it comes into view: there may be 100,000. */
function useRows({ result, changes, names }: DryRunViewProps): Record<Section, RowSource<ChangeRow>> {
  return useMemo(() => {
    const { conflicts, unchanged, refused } = result;
    const change = (one: PersonChange): ChangeRow => {
      const conflict = conflicts.get(one.person.id);
      const note = conflict && `Changed ${formatShortDate(conflict.changedAt)} by ${conflict.changedBy}`;
      return { ...getIdentity(one.person), ...formatChange(one, names), note };
    };
    return {
      change: createRowSource(changes, change),
      conflict: createRowSource(
        result.changes.filter(({ person }) => conflicts.has(person.id)),
        change,
      ),
      refused: createRowSource(refused, ({ person, why }) => ({ ...getIdentity(person), note: why })),
      unchanged: createRowSource(unchanged, (person) => ({
        ...getIdentity(person),
        note: 'No change needed',
      })),
    };
  }, [result, changes, names]);
}

const getIdentity = ({ id, name, email }: Person) => ({ id, name, email });

function createRowSource<Item>(
  items: readonly Item[],
  toRow: (item: Item) => ChangeRow,
): RowSource<ChangeRow> {
  return {
    length: items.length,
    at(index) {
      const item = items[index];
      return item && toRow(item);
    },
  };
}

/** Row of the table. */
interface ChangeRow {
  id: number;
  name: string;
  email: string;
  before?: string;
  after?: string;
  note?: string | undefined;
}

const IDENTITY_COLUMNS: readonly Column<ChangeRow>[] = [
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

const CHANGE_COLUMNS: readonly Column<ChangeRow>[] = [...IDENTITY_COLUMNS, ...changeColumns<ChangeRow>(120)];

/** Columns for changes, changes with conflicts, and people left out. */
const COLUMNS: Record<'change' | 'conflict' | 'leftOut', readonly Column<ChangeRow>[]> = {
  change: CHANGE_COLUMNS,
  conflict: [
    ...CHANGE_COLUMNS,
    {
      id: 'note',
      header: 'Changed by others',
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
  leftOut: [
    ...IDENTITY_COLUMNS,
    {
      id: 'note',
      header: 'Why',
      minWidth: 320,
      small: 'line',
      cell: ({ note }) => <span title={note}>{note}</span>,
    },
  ],
};
