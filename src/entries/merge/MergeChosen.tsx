import { useNavigate } from '@tanstack/react-router';
import { GitMerge } from 'lucide-react';
import { can, useAllowed, useSession } from '../../api/session.ts';
import { count } from '../../lib/numbers.ts';
import { Button } from '../../ui/button/Button.tsx';
import { useChosenRows } from '../bulk/chosen.ts';
import { rowsAtHand } from '../grid/rows-between.ts';
import { MOST_AT_ONCE, writeMergeView } from './merge-view.ts';

/** Leads the few rows that are selected in the grid to where they become one; for whoever may do that. */
export function MergeChosen({ type }: { type: string }) {
  const { allowed } = useAllowed('mergeEntries');
  const session = useSession();
  const navigate = useNavigate();
  const chosen = useChosenRows();
  if (!allowed || !can(session, ['Delete Data']) || !chosen) return null;
  const number = chosen.bottom - chosen.top + 1;
  if (number > MOST_AT_ONCE) return null;
  const merge = () => {
    // Few rows that somebody has just selected are there.
    const ids = rowsAtHand(chosen.rows, chosen.top, chosen.bottom, [])?.map(({ EntryId }) => EntryId) ?? [];
    void navigate({
      to: '/entries/$type/merge',
      params: { type },
      search: writeMergeView({ ids, stays: undefined }),
    });
  };
  return (
    <Button size="small" icon={GitMerge} onClick={merge}>
      Merge {count(number)} selected
    </Button>
  );
}
