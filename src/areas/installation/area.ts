import { ServerCog } from 'lucide-react';
import { defineArea } from '../../app/area/define-area.ts';

export const installationArea = defineArea({
  name: 'installation',
  navigation: [
    {
      group: 'Platform',
      path: '/installation',
      name: 'Installation',
      icon: ServerCog,
      key: 'v',
      isListed: ({ runsPlatform }) => runsPlatform === true,
    },
  ],
});
