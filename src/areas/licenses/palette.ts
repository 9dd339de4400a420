import { BadgeMinus } from 'lucide-react';
import type { PaletteContribution } from '../../app/state/palette.ts';

const palette: PaletteContribution = {
  pages: [
    {
      label: 'Unused licenses',
      hint: 'Licenses',
      icon: BadgeMinus,
      href: '/licenses/unused',
      needs: 'listUnusedLicenses',
    },
  ],
};

export default palette;
