import { LayoutDashboard } from 'lucide-react';
import { defineArea } from '../../app/area/define-area.ts';

export const overviewArea = defineArea({
  name: 'overview',
  navigation: [{ group: '', path: '/', name: 'Overview', icon: LayoutDashboard, key: 'o' }],
});
