import type { Amount, MemberChange } from '../../../backups/compare.ts';
import { sizeWords } from '../../../backups/units.ts';
import { count } from '../../../lib/numbers.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../ui/layout/tone.ts';
import type { Column } from '../../../ui/table/columns.ts';

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
export const CHANGE_COLUMNS: readonly Column<MemberChange>[] = [
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
export const SMALL_CHANGE_COLUMNS: readonly Column<MemberChange>[] = [
  ...NAMED,
  {
    id: 'amounts',
    header: 'Before and after',
    small: 'line',
    cell: ({ before, after }) =>
      `${rowsIn(before)} → ${rowsIn(after)} records · ${sizeIn(before)} → ${sizeIn(after)}`,
  },
];
