import { Link } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { buttonClass } from '../../ui/button/button-class.ts';
import { writeEntriesView } from '../view.ts';
import type { EntriesView } from '../view.ts';

/** Leads from today's list to the same list as it was at a moment. */
export function PastLink({ type, view }: { type: string; view: EntriesView }) {
  return (
    <Link
      to="/entries/$type/past"
      params={{ type }}
      search={writeEntriesView(view)}
      className={buttonClass({ variant: 'quiet', size: 'small' })}
    >
      <History />
      As of a date
    </Link>
  );
}
