import { GitCompareArrows, ChevronDown } from 'lucide-react';
import { useId } from 'react';
import { Button, Select, SelectValue } from 'react-aria-components';
import { haveOneScope, previousOf } from '../download/list.ts';
import type { Backup } from '../download/list.ts';
import { counted, count } from '../../../lib/numbers.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { SMALL, useMedia } from '../../../ui/use-media.ts';
import { useComparison } from './use-comparison.ts';
import { contentsWords, noFileWords } from '../model/words.ts';
import { sizeWords } from '../download/units.ts';
import { shortDate } from '../../../lib/dates.ts';
import { OptionList } from '../../../ui/form/options.tsx';
import type { Amount, MemberChange } from '../download/compare.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../ui/layout/tone.ts';
import type { Column } from '../../../ui/table/columns.ts';
import '../../../ui/form/form.css';
import './backups.css';

interface CompareTabProps {
  backup: Backup;
  all: readonly Backup[];
  /** The file name to compare with; empty: the one before. */
  other: string;
  onOther: (fileName: string) => void;
}

const nameOf = ({ name }: { name: string }) => name;

// A list to choose from is drawn whole.
const MOST = 200;

const offered = (choices: readonly Backup[], chosen: Backup): readonly Backup[] => {
  const newest = choices.slice(0, MOST);
  return newest.includes(chosen) ? newest : [...newest, chosen];
};

/** What this backup has more, less or otherwise than another one, without restoring either. */
export function CompareTab({ backup, all, other, onOther }: CompareTabProps) {
  const choices = all.filter((one) => one.status === 'Ready' && one.fileName !== backup.fileName);
  const chosen = choices.find((one) => one.fileName === other) ?? previousOf(all, backup) ?? choices[0];
  const noFile = noFileWords(backup);
  if (noFile !== undefined || !chosen)
    return (
      <EmptyState icon={GitCompareArrows} title="Nothing to compare">
        {noFile === undefined ? 'This is the only backup that is ready.' : `${noFile}.`}
      </EmptyState>
    );
  return (
    <>
      <OtherSelect
        choices={offered(choices, chosen)}
        left={Math.max(0, choices.length - MOST)}
        value={chosen.fileName}
        onChange={onOther}
      />
      <Compared backup={backup} chosen={chosen} />
    </>
  );
}

function Compared({ backup, chosen }: { backup: Backup; chosen: Backup }) {
  const small = useMedia(SMALL);
  const isOlder = (chosen.createdDate ?? '') <= (backup.createdDate ?? '');
  const [before, after] = isOlder ? [chosen, backup] : [backup, chosen];
  // Between two that were not asked for the same, everything jumps.
  const isAlike = haveOneScope(before, after);
  const { changes, jumps, error, retry, isFetching } = useComparison(before, after);
  return (
    <>
      {!isAlike && (
        <Banner title="They were not asked for the same">
          Before: {contentsWords(before)}. After: {contentsWords(after)}. What one of them was not asked for
          is no loss.
        </Banner>
      )}
      {isAlike && jumps.length > 0 && (
        <Banner
          tone="warn"
          title={`${counted(jumps.length, 'member jumps', 'members jump')} from one backup to the next`}
        >
          {jumps.length === 1 ? 'It stands' : 'They stand'} first. Where nobody cleaned up or imported, look
          whether data are missing.
        </Banner>
      )}
      <DataTable
        label="Differences"
        columns={small ? SMALL_CHANGE_COLUMNS : CHANGE_COLUMNS}
        rows={changes}
        rowId={nameOf}
        rowLabel={nameOf}
        error={error}
        onRetry={retry}
        refetching={isFetching && error !== undefined}
        empty={<EmptyState icon={GitCompareArrows} title="Both are empty" />}
        footer={
          <span>
            Before: {before.fileName} · After: {after.fileName}
          </span>
        }
      />
    </>
  );
}

interface OtherSelectProps {
  choices: readonly Backup[];
  /** How many older ones are not among them. */
  left: number;
  value: string;
  onChange: (fileName: string) => void;
}

const hintOf = ({ createdDate, size }: Backup): string =>
  [
    ...(createdDate === undefined ? [] : [shortDate(createdDate)]),
    ...(typeof size === 'number' ? [sizeWords(size)] : []),
  ].join(', ');

/** Which backup to compare with. */
function OtherSelect({ choices, left, value, onChange }: OtherSelectProps) {
  const id = useId();
  return (
    <div className="backup-other">
      <label id={`${id}-label`} htmlFor={id}>
        Compared with
      </label>
      <Select
        aria-labelledby={`${id}-label`}
        value={value}
        onChange={(key) => {
          if (typeof key === 'string') onChange(key);
        }}
      >
        <Button id={id} className="input select-trigger">
          <SelectValue className="select-value">{value}</SelectValue>
          <ChevronDown />
        </Button>
        <OptionList
          label="Compared with"
          options={choices.map((one) => ({ value: one.fileName, label: one.fileName, hint: hintOf(one) }))}
        />
      </Select>
      {left > 0 && (
        <span className="field-hint">{count(left)} older ones: open one of them to compare it.</span>
      )}
    </div>
  );
}

const WORDS: Record<MemberChange['change'], { label: string; tone: Tone }> = {
  added: { label: 'New', tone: 'info' },
  gone: { label: 'Gone', tone: 'warn' },
  changed: { label: 'Changed', tone: 'neutral' },
  same: { label: 'The same', tone: 'neutral' },
};

const ALL_FILES = 'Files of entries';
const signed = new Intl.NumberFormat(undefined, { signDisplay: 'exceptZero' });

const rowsIn = (amount: Amount | undefined): string =>
  amount?.rows === undefined ? '—' : count(amount.rows);
const sizeIn = (amount: Amount | undefined): string => (amount ? sizeWords(amount.size) : '—');

function difference({ before, after }: MemberChange): string {
  const [from, to] = [before?.rows ?? 0, after?.rows ?? 0];
  return from === to ? '' : signed.format(to - from);
}

const NAMED: readonly Column<MemberChange>[] = [
  {
    id: 'name',
    header: 'Member',
    minWidth: 190,
    cell: ({ name, title, kind }) => (
      <span title={name}>{kind === 'file' ? ALL_FILES : (title ?? name)}</span>
    ),
  },
  {
    id: 'change',
    header: 'Change',
    width: 190,
    small: 'aside',
    cell: ({ change, jump }) =>
      jump === undefined ? (
        <Badge tone={WORDS[change].tone}>{WORDS[change].label}</Badge>
      ) : (
        <Badge tone="warn">{jump}</Badge>
      ),
  },
];

/** What differs between two backups, member by member. */
const CHANGE_COLUMNS: readonly Column<MemberChange>[] = [
  ...NAMED,
  { id: 'before', header: 'Records before', width: 124, align: 'end', cell: ({ before }) => rowsIn(before) },
  { id: 'after', header: 'After', width: 104, align: 'end', cell: ({ after }) => rowsIn(after) },
  { id: 'difference', header: 'Difference', width: 104, align: 'end', cell: difference },
  {
    id: 'size-before',
    header: 'Size before',
    width: 108,
    align: 'end',
    cell: ({ before }) => sizeIn(before),
  },
  { id: 'size-after', header: 'Size after', width: 100, align: 'end', cell: ({ after }) => sizeIn(after) },
];

/** The same on a phone: before and after in one line. */
const SMALL_CHANGE_COLUMNS: readonly Column<MemberChange>[] = [
  ...NAMED,
  {
    id: 'amounts',
    header: 'Before and after',
    small: 'line',
    cell: ({ before, after }) =>
      `${rowsIn(before)} → ${rowsIn(after)} records · ${sizeIn(before)} → ${sizeIn(after)}`,
  },
];
