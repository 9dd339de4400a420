import { defineArea } from '../../kernel/area/area.ts';
import { plainColumns, textColumns, timeColumns } from '../../kernel/backup-sheets.ts';
import { backgroundWorkHandlers } from './background-work.ts';
import { brandHandlers } from './brand.ts';
import { createFiguresTask, figureHandlers } from './figures.ts';
import { siteHandlers } from './handlers.ts';
import { mailPreviewHandlers } from './mail-previews.ts';

export const sitesArea = defineArea({
  name: 'sites',
  handlers: {
    ...siteHandlers,
    ...backgroundWorkHandlers,
    ...brandHandlers,
    ...mailPreviewHandlers,
    ...figureHandlers,
  },
  tasks: (context) => [createFiguresTask(context)],
  tables: {
    site: { backup: { sheet: 'site', columnsLeftOut: ['storage_quota'] } },
    site_brand: { backup: { sheet: 'siteBrand' } },
    site_storage: { backup: { leftOut: 'counted again from the files' } },
    site_figure: {
      backup: { leftOut: 'measured by the installation; a restored site is measured anew' },
      retention: '400 days',
    },
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
        { name: 'requires_acting_reason', format: 'plain', sinceFormat: 4 },
      ],
    },
    siteBrand: {
      name: 'settings/brand.csv',
      kind: 'settings',
      from: 'site_brand',
      isOptional: true,
      columns: [
        ...textColumns('color'),
        { name: 'logo', format: 'hex' },
        ...textColumns('logo_type'),
        ...plainColumns('logo_width', 'logo_height', 'edition'),
      ],
    },
  },
  auditActions: {
    site: [
      'cli.mail-retry',
      'cli.site-sessions-end',
      'cli.site-set',
      'site.administrator-link',
      'site.brand',
      'site.retry-background-work',
      'site.test-mail',
      'site.update',
    ],
  },
});
