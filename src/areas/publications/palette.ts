import { Send, Users } from 'lucide-react';
import type { PaletteContribution } from '../../app/state/palette.ts';

const palette: PaletteContribution = {
  pages: [
    {
      label: 'Destinations',
      hint: 'Publications',
      icon: Send,
      href: '/publications/destinations',
      needs: 'listDestinations',
    },
    {
      label: 'Consumers',
      hint: 'Publications',
      icon: Users,
      href: '/publications/consumers',
      needs: 'listConsumers',
    },
  ],
};

export default palette;
