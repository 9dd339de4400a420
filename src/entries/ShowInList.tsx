import { Link } from '@tanstack/react-router';
import { Table2 } from 'lucide-react';
import type { EntryTypeVm } from '../api/generated/types.gen.ts';
import { buttonClass } from '../ui/button/button-class.ts';
import { lastView } from './last-view.ts';
import { writeEntriesView, writePointed } from './view.ts';

/** Leads from an entry to its place in the list that one came from: its search, filter, order and columns. */
export const ShowInList = ({ type, entryId }: { type: EntryTypeVm; entryId: number }) => (
  <Link
    to="/entries/$type"
    params={{ type: type.apiName }}
    search={{ ...writeEntriesView(lastView(type.id)), ...writePointed({ entryId, field: '' }) }}
    className={buttonClass()}
  >
    <Table2 />
    Show in the list
  </Link>
);
