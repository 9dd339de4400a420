import { defineArea } from '../../kernel/area/area.ts';
import { accessHandlers } from './index.ts';

export const accessArea = defineArea({
  name: 'access',
  handlers: accessHandlers,
  tables: {
    authenticator: { backup: { leftOut: 'secrets' } },
    recovery_code: { backup: { leftOut: 'secrets' } },
    passkey: { backup: { leftOut: 'secrets' } },
    passkey_challenge: { backup: { leftOut: 'secrets' } },
    known_device: { backup: { leftOut: 'secrets' } },
  },
  auditActions: {
    user: [
      'cli.sessions-end',
      'cli.two-factor-reset',
      'user.authenticator',
      'user.end-sessions',
      'user.passkey-added',
      'user.passkey-removed',
      'user.recovery-codes',
      'user.two-factor-reset',
    ],
  },
});
