import { defineArea } from '../../kernel/area/area.ts';
import { plainColumns, textColumns, timeColumns } from '../../kernel/backup-sheets.ts';
import { backgroundWorkHandlers } from './background-work.ts';
import { siteHandlers } from './handlers.ts';

export const sitesArea = defineArea({
  name: 'sites',
  handlers: { ...siteHandlers, ...backgroundWorkHandlers },
  tables: {
    site: { backup: { sheet: 'site', columnsLeftOut: ['schema_stamp', 'storage_quota'] } },
    site_storage: { backup: { leftOut: 'counted again from the files' } },
    platform_administrator: { backup: { leftOut: 'belongs to the installation, not to a site' } },
  },
  sheets: {
    site: {
      name: 'settings.csv',
      kind: 'settings',
      from: 'site',
      columns: [
        ...textColumns('slug', 'name', 'identity_mode', 'dedicated_domain', 'time_zone'),
        ...plainColumns('may_manage_existing_users', 'schema_version'),
        ...timeColumns('created_at'),
        { name: 'has_agent_server', format: 'plain', sinceFormat: 2 },
      ],
    },
  },
  auditActions: {
    site: [
      'cli.mail-retry',
      'cli.site-sessions-end',
      'cli.site-set',
      'site.administrator-link',
      'site.retry-background-work',
      'site.update',
    ],
  },
});
