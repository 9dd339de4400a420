import { FileDown } from 'lucide-react';
import { defineArea } from '../../app/area/define-area.ts';

export const exportHistoryArea = defineArea({
  name: 'export-history',
  navigation: [{ group: 'Data', path: '/exports', name: 'Exports', icon: FileDown, key: 'd' }],
  invalidations: { recordExport: [] },
});
