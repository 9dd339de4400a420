import { useRouter } from '@tanstack/react-router';
import { Download, Upload } from 'lucide-react';
import type { Condition } from '../../../../contract/rules/query/tree.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { entriesSource } from '../export/source.ts';
import type { EntriesRequest } from '../export/source.ts';
import type { EntriesView } from '../model/view.ts';
import { OWN_ZONE, useZone } from '../model/zone.ts';
import { openExport } from '../../export/index.ts';
import { counted } from '../../../lib/numbers.ts';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { useFilterWords } from './use-filter-words.ts';

interface FilesMenuProps {
  request: Omit<EntriesRequest, 'zone' | 'total' | 'filter'> & { total: number | undefined };
  view: EntriesView;
  condition: Condition | undefined;
}

/** Import and export of the entries of a type; what is exported is what the list holds. */
export function FilesMenu({ request, view, condition }: FilesMenuProps) {
  const router = useRouter();
  const filter = useFilterWords(view, condition);
  const { site } = useSession();
  const zone = useZone();
  const importing = useAllowed('updateEntries');
  const exporting = useAllowed('recordExport');
  const { type, total } = request;
  const unaskable = condition === undefined ? 'This filter cannot be asked' : undefined;
  const unread = total === undefined ? 'The list is still being read' : undefined;
  const none = total === 0 ? 'Nothing matches' : undefined;
  return (
    <MenuButton
      label="Import and export"
      items={[
        {
          label: `Import ${type.pluralName}`,
          hint: 'From a CSV, XLSX or JSON file: create and change many',
          icon: Upload,
          disabledReason: importing.reason,
          onSelect: () =>
            void router.navigate({ to: '/entries/$type/import', params: { type: type.apiName } }),
        },
        {
          label: 'Export',
          hint: `${counted(total ?? 0, 'entry', 'entries')} as CSV, XLSX or JSON`,
          icon: Download,
          disabledReason: exporting.reason ?? unaskable ?? unread ?? none,
          onSelect: () =>
            openExport(
              entriesSource({ ...request, total: total ?? 0, filter }, [
                zone.name,
                'UTC',
                site.timeZone,
                OWN_ZONE,
              ]),
            ),
        },
      ]}
    />
  );
}
