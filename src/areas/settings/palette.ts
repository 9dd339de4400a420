import { MapPin, Palette, Settings, ShieldCheck } from 'lucide-react';
import type { PaletteContribution } from '../../app/state/palette.ts';

const palette: PaletteContribution = {
  pages: [
    {
      label: 'General settings',
      hint: 'Settings',
      icon: Settings,
      href: '/settings',
      needs: 'getSiteSettings',
    },
    {
      label: 'Approved addresses',
      hint: 'Settings',
      icon: MapPin,
      href: '/settings/addresses',
      needs: 'listApprovedAddresses',
    },
    {
      label: 'Two-factor coverage',
      hint: 'Settings',
      icon: ShieldCheck,
      href: '/settings/two-factor',
      needs: 'readTwoFactorCoverage',
    },
    {
      label: 'Appearance and mails',
      hint: 'Settings',
      icon: Palette,
      href: '/settings/appearance',
      needs: 'getSiteSettings',
    },
  ],
};

export default palette;
