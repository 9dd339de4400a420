import { Activity, FileClock, Handshake, Settings } from 'lucide-react';
import type { PaletteContribution } from '../../app/state/palette.ts';

const palette: PaletteContribution = {
  pages: [
    {
      label: 'Import runs',
      hint: 'Imports',
      icon: FileClock,
      href: '/imports/runs',
      needs: 'listImportRuns',
    },
    {
      label: 'Import status',
      hint: 'Imports',
      icon: Activity,
      href: '/imports/status',
      needs: 'getImportStatus',
    },
    {
      label: 'Relationships',
      hint: 'Imports',
      icon: Handshake,
      href: '/imports/relationships',
      needs: 'listRelationships',
    },
    {
      label: 'Import settings',
      hint: 'Imports',
      icon: Settings,
      href: '/imports/settings',
      needs: 'getRelationshipSettings',
    },
  ],
};

export default palette;
