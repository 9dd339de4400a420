import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Download, FileText, Upload } from 'lucide-react';
import type { Condition } from '../../../../contract/rules/query/condition.ts';
import { usePermission } from '../../../api/session.ts';
import { useRequestedAction } from '../../../app/state/requested-action.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { openExport } from '../../export/index.ts';
import { useSelectedStoredRows } from '../bulk/selected-rows.ts';
import type { EntriesExportRequest } from '../export/entries-export.ts';
import { useTimeZone } from '../model/zone.ts';
import type { EntriesView } from '../views/view.ts';
import { useFilterText } from './FilterChips.tsx';

interface ImportExportMenuProps {
  request: Omit<EntriesExportRequest, 'type' | 'total' | 'filter'> & {
    type: { id: number; apiName: string; pluralName: string };
  } & { total: number | undefined };
  view: EntriesView;
  condition: Condition | undefined;
}

/** Menu to import entries, and to export or report those of the list. */
export function ImportExportMenu({ request, view, condition }: ImportExportMenuProps) {
  const router = useRouter();
  const client = useQueryClient();
  const filter = useFilterText(view, condition);
  const zone = useTimeZone();
  const importPermission = usePermission('startEntryImport');
  const exportPermission = usePermission('startEntryExport');
  const reportPermission = usePermission('startReportRun');
  const range = useSelectedStoredRows();
  const { type, total } = request;
  const getExportRefusal = () => {
    if (condition === undefined) return 'This filter is not valid';
    if (total === undefined) return 'The list is still loading';
    return total === 0 ? 'Nothing matches' : undefined;
  };
  const startExport = () =>
    openExport(client, async () => {
      const { createEntriesExport } = await import('../export/entries-export.ts');
      const zones = [zone.name, 'UTC', zone.site, zone.own];
      return createEntriesExport({ ...request, total: total ?? 0, filter }, zones);
    });
  const exportRefusal = exportPermission.reason ?? getExportRefusal();
  useRequestedAction('exportEntries', total === undefined ? undefined : startExport, {
    id: type.id,
    disabledReason: exportRefusal,
  });
  return (
    <MenuButton
      label="Import and export"
      items={[
        {
          label: `Import ${type.pluralName}`,
          hint: 'From a CSV, XLSX or JSON file: create and change many',
          icon: Upload,
          disabledReason: importPermission.reason,
          onSelect: () =>
            void router.navigate({ to: '/entries/$type/import', params: { type: type.apiName } }),
        },
        {
          label: 'Export',
          hint: `${pluralize(total ?? 0, 'entry', 'entries')} as CSV, XLSX or JSON`,
          icon: Download,
          disabledReason: exportRefusal,
          onSelect: startExport,
        },
        {
          label: 'Generate report',
          hint: 'From a template, of the selected rows or the list',
          icon: FileText,
          disabledReason: reportPermission.reason ?? getExportRefusal(),
          onSelect: () =>
            void import('../export/open-report.ts').then(({ openReport }) =>
              openReport(router, type.apiName, { ...request, filter }, range),
            ),
        },
      ]}
    />
  );
}
