import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { findEntriesOptions } from '../../../api/generated/queries/entry-history.gen.ts';
import { formatShortDate } from '../../../lib/dates/dates.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { useSchema } from '../model/schema.ts';

interface EntryIdNoticeProps {
  entryId: number;
  /** Entry type of the list. */
  typeId: number;
  /** Whether a notice is shown for an id without an entry as well. */
  isExpected: boolean;
}

const formatName = ({ id, name }: { id: number; name: string }): string =>
  name.trim() === '' ? `Entry ${id}` : name;

const linkTo = (target: { id: number; entryListId: number }, text: ReactNode): ReactNode => (
  <Link
    to="/entries/$type/$entryId"
    params={{ type: String(target.entryListId), entryId: target.id }}
    className={buttonClass({ size: 'small' })}
  >
    {text}
  </Link>
);

/**
 * Says what an entry id stands for: an entry of this or another type, or one that was merged or deleted, with a link to
 * what became of it. Loaded when it is needed.
 */
export default function EntryIdNotice({ entryId, typeId, isExpected }: EntryIdNoticeProps) {
  const { typeById } = useSchema();
  const { data } = useQuery(findEntriesOptions({ body: { ids: [entryId] } }));
  if (!data) return null;
  const [entry] = data.entries;
  if (!entry)
    return isExpected ? (
      <Banner tone="warn" title={`Entry ${entryId} does not exist`}>
        No entry has ever had this id.
      </Banner>
    ) : null;
  const when = entry.deleted === undefined ? '' : ` ${formatShortDate(entry.deleted)}`;
  const { survivor } = entry;
  if (survivor)
    return (
      <Banner
        title={`Entry ${entryId} was merged into ${formatName(survivor)}${when}`}
        actions={
          <>
            {linkTo(survivor, `Open ${formatName(survivor)}`)}
            {linkTo(entry, 'Show its history')}
          </>
        }
      >
        {survivor.isDeleted
          ? `${formatName(survivor)} has been deleted since. `
          : `Its values are in ${formatName(survivor)}. `}
        Its name was {formatName(entry)}.
      </Banner>
    );
  if (entry.isDeleted)
    return (
      <Banner
        tone="warn"
        title={`Entry ${entryId} was deleted${when}`}
        actions={linkTo(entry, 'Show its history')}
      >
        Its name was {formatName(entry)}.
      </Banner>
    );
  const type = typeById.get(entry.entryListId);
  return (
    <Banner title={`${entryId} is the id of ${formatName(entry)}`} actions={linkTo(entry, 'Open entry')}>
      {entry.entryListId === typeId
        ? 'The search looks for names; the id leads to the entry.'
        : `It is not in this list: its type is ${type?.singularName ?? 'another one'}.`}
    </Banner>
  );
}
