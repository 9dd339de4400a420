import { Link } from '@tanstack/react-router';
import type { ChangedEntry } from '../../../api/generated/types.gen.ts';
import { Who } from '../history/Who.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import type { Tone } from '../../../ui/layout/tone.ts';
import type { Column } from '../../../ui/table/columns.ts';

export const idOf = ({ id }: ChangedEntry): number => id;
export const nameOf = ({ id, name }: ChangedEntry): string => (name.trim() === '' ? `Entry ${id}` : name);

function fateOf({ fate, mergedEntryId, isIndirect }: ChangedEntry): { tone: Tone; words: string } {
  if (fate === 'created') return { tone: 'ok', words: 'Created' };
  if (fate === 'gone') return { tone: 'bad', words: mergedEntryId === undefined ? 'Deleted' : 'Merged' };
  return isIndirect ? { tone: 'neutral', words: 'Changed indirectly' } : { tone: 'info', words: 'Changed' };
}

/** The columns of entries that have changed since a moment. */
export const columnsSince = (since: string): readonly Column<ChangedEntry>[] => [
  {
    id: 'name',
    header: 'Entry',
    minWidth: 240,
    cell: (entry, { tabIndex }) => (
      <Link
        to="/entries/$type/$entryId"
        params={{ type: String(entry.entryListId), entryId: entry.id }}
        tabIndex={tabIndex}
      >
        <bdi>{nameOf(entry)}</bdi>
      </Link>
    ),
  },
  {
    id: 'fate',
    header: 'What happened',
    width: 260,
    small: 'aside',
    cell: (entry, { tabIndex }) => {
      const { tone, words } = fateOf(entry);
      return (
        <span className="chg-fate">
          <Badge tone={tone}>{words}</Badge>
          {entry.mergedEntryId !== undefined && (
            <Link
              to="/entries/$type/$entryId"
              params={{ type: String(entry.entryListId), entryId: entry.mergedEntryId }}
              tabIndex={tabIndex}
            >
              into {entry.mergedEntryId}
            </Link>
          )}
          {entry.fate === 'changed' && (
            <Link
              to="/entries/$type/$entryId"
              params={{ type: String(entry.entryListId), entryId: entry.id }}
              search={{ at: since }}
              tabIndex={tabIndex}
            >
              Compare
              <span className="visually-hidden"> {nameOf(entry)} with before</span>
            </Link>
          )}
        </span>
      );
    },
  },
  {
    id: 'who',
    header: 'Who',
    width: 220,
    small: 'line',
    cell: ({ by, isIndirect }) =>
      isIndirect ? 'A calculation or a change elsewhere' : <Who {...(by && { by })} />,
  },
  {
    id: 'at',
    header: 'When',
    width: 150,
    small: 'line',
    cell: ({ at }, { tabIndex }) => <Moment at={at} tabIndex={tabIndex} />,
  },
];
