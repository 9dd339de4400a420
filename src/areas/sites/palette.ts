import { Building2 } from 'lucide-react';
import type { PaletteContribution } from '../../app/state/palette.ts';

const palette: PaletteContribution = {
  pages: [
    {
      label: 'New site',
      hint: 'Sites',
      icon: Building2,
      href: '/sites/new',
      isListed: ({ runsPlatform }) => runsPlatform === true,
    },
  ],
};

export default palette;
