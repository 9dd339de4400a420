import { Gauge } from 'lucide-react';
import type { PaletteContribution } from '../../app/state/palette.ts';

const palette: PaletteContribution = {
  pages: [{ label: 'Quality', hint: 'Help', icon: Gauge, href: '/help/quality' }],
};

export default palette;
