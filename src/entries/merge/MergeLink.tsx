import { Link } from '@tanstack/react-router';
import { GitMerge } from 'lucide-react';
import { can, useAllowed, useSession } from '../../api/session.ts';
import { buttonClass } from '../../ui/button/button-class.ts';
import { writeMergeView } from './merge-view.ts';

/** Leads to where an entry and its duplicates become one; for whoever may do that. */
export function MergeLink({ type, entryId }: { type: string; entryId: number }) {
  const { allowed } = useAllowed('mergeEntries');
  const session = useSession();
  if (!allowed || !can(session, ['Delete Data'])) return null;
  return (
    <Link
      to="/entries/$type/merge"
      params={{ type }}
      search={writeMergeView({ ids: [entryId], stays: undefined })}
      className={buttonClass()}
    >
      <GitMerge />
      Merge duplicates
    </Link>
  );
}
