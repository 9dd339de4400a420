import { Link } from '@tanstack/react-router';
import type { NamedEntryVm } from '../../../api/generated/types.gen.ts';

/** An entry by its name, leading to it; one that is gone has a page too. */
export function EntryName({ entry }: { entry: NamedEntryVm }) {
  return (
    <Link to="/entries/$type/$entryId" params={{ type: String(entry.entryListId), entryId: entry.id }}>
      <bdi>{entry.name.trim() === '' ? `Entry ${entry.id}` : entry.name}</bdi>
    </Link>
  );
}
