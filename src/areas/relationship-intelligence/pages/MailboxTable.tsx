import { UserRoundSearch } from 'lucide-react';
import { useId, useMemo, useState } from 'react';
import { useDirectory } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import { PersonLink } from '../../../directory/person-columns.tsx';
import { PersonPicker } from '../../../directory/PersonPicker.tsx';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Dialog } from '../../../ui/dialog/Dialog.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import type { MailboxSummary, PlanSummary } from '../planner/planner.ts';
import { useEnablement } from './use-enablement.ts';

type People = ReadonlyMap<number, DirectoryRow>;

interface MailboxRow extends MailboxSummary {
  key: string;
  person: DirectoryRow | undefined;
  /** Whether a user who is missing in the directory is not on the site. */
  isDirectoryComplete: boolean;
  onChoose: (mailbox: string) => void;
}

type Filter = 'all' | 'unknown' | 'notEnabled' | 'leftOut';

const getLeftOut = ({ tooOld, copies }: MailboxSummary): number => tooOld + copies;

const FILTERS: Readonly<Record<Filter, (row: MailboxSummary) => boolean>> = {
  all: () => true,
  unknown: ({ state }) => state === 'unknown',
  notEnabled: ({ state }) => state === 'notEnabled',
  leftOut: (row) => getLeftOut(row) > 0,
};
const FILTER_LABELS: Readonly<Record<Filter, string>> = {
  all: 'All',
  unknown: 'Not mapped',
  notEnabled: 'Not enabled',
  leftOut: 'Partly left out',
};
const FILTER_KEYS = ['all', 'unknown', 'notEnabled', 'leftOut'] as const;

const number = (value: number) => (
  <span className={value === 0 ? 'ri-zero num' : 'num'}>{formatNumber(value)}</span>
);

const COLUMNS: readonly Column<MailboxRow>[] = [
  {
    id: 'mailbox',
    header: 'Mailbox',
    minWidth: 170,
    cell: ({ mailbox, userId }) => mailbox ?? `User id ${userId}`,
  },
  {
    id: 'person',
    header: 'Person',
    minWidth: 140,
    small: 'line',
    cell: ({ person, state, userId, isDirectoryComplete }, { tabIndex }) => {
      if (state === 'unknown') return <span className="ri-warn">Unknown address</span>;
      if (!person)
        return isDirectoryComplete ? (
          <span className="ri-warn">User {userId} is not on this site</span>
        ) : (
          `User ${userId}`
        );
      return <PersonLink id={person.id} name={person.name} to="/users/$userId" tabIndex={tabIndex} />;
    },
  },
  { id: 'found', header: 'Found', width: 72, align: 'end', cell: ({ found }) => number(found) },
  { id: 'mended', header: 'Mended', width: 72, align: 'end', cell: ({ mended }) => number(mended) },
  { id: 'leftOut', header: 'Left out', width: 72, align: 'end', cell: (row) => number(getLeftOut(row)) },
  {
    id: 'requests',
    header: 'Requests',
    width: 130,
    align: 'end',
    small: 'aside',
    cell: (row, { tabIndex }) => <RequestsCell row={row} tabIndex={tabIndex} />,
  },
];

function RequestsCell({ row, tabIndex }: { row: MailboxRow; tabIndex: 0 | -1 }) {
  const { state, mailbox, requests, person } = row;
  if (state === 'unknown' && mailbox !== undefined)
    return (
      <Button
        size="small"
        tabIndex={tabIndex}
        onClick={() => row.onChoose(mailbox)}
        aria-label={`Choose person for ${mailbox}`}
      >
        Choose person
      </Button>
    );
  if (state === 'notEnabled' && person)
    return (
      <EnableButton people={[person]} label={`Enable ${person.name}`} text="Enable" tabIndex={tabIndex} />
    );
  return number(requests);
}

interface EnableButtonProps {
  people: readonly DirectoryRow[];
  label: string;
  text: string;
  tabIndex?: 0 | -1;
}

/** Enables people through a job once the user has agreed; the plan follows when it has ended. */
function EnableButton({ people, label, text, tabIndex = 0 }: EnableButtonProps) {
  const { ask, reason, isPending } = useEnablement();
  return (
    <Button
      size="small"
      tabIndex={tabIndex}
      aria-label={label}
      disabledReason={reason}
      pending={isPending}
      onClick={() =>
        void ask({ isEnabled: true, changing: people.map(({ id, name }) => ({ userId: id, name })) })
      }
    >
      {text}
    </Button>
  );
}

interface MailboxTableProps {
  summary: PlanSummary;
  people: People;
  onChoose: (mailbox: string, userId: number) => void;
}

/** The mailboxes of the files: those that need a decision first. */
export function MailboxTable({ summary, people, onChoose }: MailboxTableProps) {
  const { complete } = useDirectory();
  const [filter, setFilter] = useState<Filter>('all');
  const [choosing, setChoosing] = useState<string>();
  const rows = useMemo(
    () =>
      summary.mailboxes.map((mailbox): MailboxRow => {
        const { userId } = mailbox;
        return {
          ...mailbox,
          key: userId === undefined ? (mailbox.mailbox ?? '') : `user ${userId}`,
          person: userId === undefined ? undefined : people.get(userId),
          isDirectoryComplete: complete,
          onChoose: setChoosing,
        };
      }),
    [summary, people, complete],
  );
  const disabled = rows.flatMap(({ state, person }) => (state === 'notEnabled' && person ? [person] : []));
  const shown = rows.filter(FILTERS[filter]);
  return (
    <section className="ri-mailboxes">
      <div className="ri-mailboxes-bar">
        <SegmentedControl
          label="Mailboxes"
          options={FILTER_KEYS.map((value) => ({
            value,
            label: FILTER_LABELS[value],
            count: rows.filter(FILTERS[value]).length,
          }))}
          value={filter}
          onChange={setFilter}
        />
        {disabled.length > 1 && (
          <EnableButton
            people={disabled}
            label={`Enable ${pluralize(disabled.length, 'person', 'people')}`}
            text={`Enable ${formatNumber(disabled.length)}`}
          />
        )}
      </div>
      <DataTable
        label="Mailboxes"
        columns={COLUMNS}
        rows={shown}
        rowId={({ key }) => key}
        rowLabel={({ mailbox, key }) => mailbox ?? key}
        empty={
          <EmptyState icon={UserRoundSearch} title="No mailbox was found">
            No user of this site is among the senders and recipients of these files.
          </EmptyState>
        }
        onClearFilters={filter === 'all' ? undefined : () => setFilter('all')}
      />
      {choosing !== undefined && (
        <Dialog title="Choose person" onClose={() => setChoosing(undefined)}>
          <p className="ri-note">The items of {choosing} are imported for this person.</p>
          <PersonPicker
            label="Person"
            placeholder="Name, e-mail or id"
            // It was opened to choose.
            // oxlint-disable-next-line jsx-a11y/no-autofocus
            autoFocus
            getDisabledReason={() => undefined}
            onSelect={(userId) => {
              onChoose(choosing, userId);
              setChoosing(undefined);
            }}
          />
        </Dialog>
      )}
    </section>
  );
}

const MAX_NAMES = 50;

interface ExchangeNamesProps {
  names: PlanSummary['exchangeNames'];
  onReplace: (name: string, address: string) => void;
}

/** Directory names of Exchange that stand in place of addresses, with a field for the address of each. */
export function ExchangeNames({ names, onReplace }: ExchangeNamesProps) {
  return (
    <Card title={pluralize(names.length, 'Exchange name without address', 'Exchange names without address')}>
      <CardBody>
        <p className="ri-note">
          Mailboxes that were exported inside Exchange name colleagues by their place in its directory. Enter
          their addresses; e-mails from a name without one stay broken.
        </p>
        <ul className="ri-exchange">
          {names.slice(0, MAX_NAMES).map((one) => (
            <ExchangeName key={one.name} {...one} onReplace={onReplace} />
          ))}
        </ul>
        {names.length > MAX_NAMES && <p className="ri-note">And {names.length - MAX_NAMES} more.</p>}
      </CardBody>
    </Card>
  );
}

interface ExchangeNameProps {
  name: string;
  count: number;
  onReplace: ExchangeNamesProps['onReplace'];
}

function ExchangeName({ name, count, onReplace }: ExchangeNameProps) {
  const id = useId();
  const [address, setAddress] = useState('');
  const isComplete = /^\S+@\S+\.\S+$/.test(address.trim());
  return (
    <li>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete) onReplace(name, address.trim());
        }}
      >
        <label htmlFor={id} className="mono">
          {name} <small className="num">{formatNumber(count)}</small>
        </label>
        <input
          id={id}
          className="input"
          type="email"
          autoComplete="off"
          value={address}
          onChange={({ target }) => setAddress(target.value)}
        />
        <Button type="submit" disabledReason={isComplete ? undefined : 'Enter an e-mail address'}>
          Use
        </Button>
      </form>
    </li>
  );
}
