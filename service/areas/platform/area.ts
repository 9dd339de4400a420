import { defineArea } from '../../kernel/area/area.ts';
import { platformHandlers } from './handlers.ts';

export const platformArea = defineArea({
  name: 'platform',
  handlers: platformHandlers,
  auditActions: { site: ['site.create'], user: ['cli.platform-grant', 'cli.platform-revoke'] },
});
