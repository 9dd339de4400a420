import { History, Table2 } from 'lucide-react';
import { ENTRY_READS, ENTRY_TYPE_READS, VIEW_READS } from '../../api/read-groups.ts';
import { defineArea } from '../../app/area/define-area.ts';
import { EntriesHost } from './EntriesHost.tsx';

export const entriesArea = defineArea({
  name: 'entries',
  palette: () => import('./palette.ts'),
  navigation: [
    { group: 'Data', path: '/entries', name: 'Entries', icon: Table2, key: 'e', needs: 'listEntryTypes' },
    {
      group: 'Data',
      path: '/changes',
      name: 'Changes',
      icon: History,
      key: 'c',
      needs: 'listChangedEntries',
    },
  ],
  invalidations: {
    createEntries: [...ENTRY_READS, ...ENTRY_TYPE_READS],
    updateEntries: [...ENTRY_READS, ...ENTRY_TYPE_READS],
    deleteEntries: [...ENTRY_READS, ...ENTRY_TYPE_READS],
    mergeEntries: [...ENTRY_READS, ...ENTRY_TYPE_READS],
    restoreEntries: [...ENTRY_READS, ...ENTRY_TYPE_READS],
    createView: VIEW_READS,
    updateView: VIEW_READS,
    deleteView: VIEW_READS,
  },
  Host: EntriesHost,
});
