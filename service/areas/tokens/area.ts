import { defineArea } from '../../kernel/area/area.ts';
import { tokenHandlers } from './index.ts';
import { keyExpiryTask } from './key-expiry.ts';
import { keyUsageCleanupTask } from './key-usage.ts';

export const tokensArea = defineArea({
  name: 'tokens',
  handlers: tokenHandlers,
  tasks: (context) => [keyExpiryTask(context), keyUsageCleanupTask(context)],
  tables: {
    api_key: { backup: { leftOut: 'secrets' } },
    access_token: { backup: { leftOut: 'secrets' } },
    api_key_use: { backup: { leftOut: 'log of the installation' }, retention: '30 days' },
  },
  auditActions: {
    user: [
      'cli.api-key',
      'cli.key-revoke',
      'user.api-key-expire',
      'user.api-key-off',
      'user.api-key-on',
      'user.api-key-remind',
    ],
  },
});
