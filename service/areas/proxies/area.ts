import { defineArea } from '../../kernel/area/area.ts';
import { timeColumns, userColumns } from '../../kernel/backup-sheets.ts';
import { reportExportHandlers, reportExportJob } from './export.ts';
import { proxyHandlers } from './index.ts';
import { PROXY_MAIL_EXAMPLES } from './mails.ts';

export const proxiesArea = defineArea({
  name: 'proxies',
  handlers: { ...proxyHandlers, ...reportExportHandlers },
  jobKinds: [reportExportJob],
  mailExamples: PROXY_MAIL_EXAMPLES,
  tables: {
    proxy_assignment: { backup: { sheet: 'proxies' } },
    acting_report: { backup: { leftOut: 'log of the installation' } },
    acting_step: { backup: { leftOut: 'log of the installation' } },
  },
  sheets: {
    proxies: {
      name: 'proxies.csv',
      kind: 'proxies',
      from: 'proxy_assignment',
      keys: ['proxy_id', 'user_id'],
      columns: [
        ...userColumns('proxy_id', 'user_id'),
        ...timeColumns('created_at'),
        ...userColumns('created_by'),
      ],
    },
  },
  auditActions: { user: ['acting.begin', 'acting.end', 'proxy.change'] },
});
