import { defineArea } from '../../app/area/define-area.ts';
import { HelpButton, HelpHost } from './HelpButton.tsx';

export const helpArea = defineArea({
  name: 'help',
  palette: () => import('./palette.ts'),
  Host: HelpHost,
  TopBarItem: HelpButton,
});
