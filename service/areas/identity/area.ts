import { defineArea } from '../../kernel/area/area.ts';

export const identityArea = defineArea({
  name: 'identity',
  tables: {
    identity_provider: { backup: { leftOut: 'a secret encrypted for its installation' } },
    identity_attempt: { backup: { leftOut: 'secrets' } },
    identity_link: { backup: { leftOut: 'belongs to the identity provider' } },
  },
  auditActions: { user: ['user.federation-linked'], site: ['site.identity'] },
});
