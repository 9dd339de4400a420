import { FileText, UserPlus, Waypoints } from 'lucide-react';
import type { PaletteContribution } from '../../app/state/palette.ts';

const palette: PaletteContribution = {
  pages: [
    {
      label: 'Assignment graph',
      hint: 'Proxies',
      icon: Waypoints,
      href: '/proxies/graph',
      needs: 'listProxies',
    },
    {
      label: 'Acting reports',
      hint: 'Proxies',
      icon: FileText,
      href: '/proxies/reports',
      needs: 'listActingReports',
    },
    {
      label: 'Assign a proxy',
      hint: 'Proxies',
      icon: UserPlus,
      href: '/proxies/assign',
      needs: 'updateProxies',
    },
  ],
};

export default palette;
