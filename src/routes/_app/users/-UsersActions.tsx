import { useRouter } from '@tanstack/react-router';
import { Download, Upload } from 'lucide-react';
import { useAllowed } from '../../../api/session.ts';
import type { FoundPeople } from '../../../directory/directory.ts';
import { useDirectory } from '../../../directory/directory.ts';
import { filterWords } from '../../../export/filter-words.ts';
import { openExport } from '../../../export/index.ts';
import { counted } from '../../../lib/numbers.ts';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { NewUserLink } from './-NewUserLink.tsx';
import { writeView } from './-view.ts';
import type { UsersView } from './-view.ts';

interface UsersActionsProps {
  found: FoundPeople | undefined;
  view: UsersView;
}

/** What the list as a whole offers: one more user, many from a file, and those who are shown as a file. */
export function UsersActions({ found, view }: UsersActionsProps) {
  const router = useRouter();
  const { groups, complete } = useDirectory();
  const creating = useAllowed('createUser');
  const { reason: notNow } = useAllowed('recordExport');
  // Whoever may do one of these has a use for a file; rows that need another are refused one by one.
  const mayImport = [
    creating,
    useAllowed('updateUser'),
    useAllowed('updateUserLicense'),
    useAllowed('assignGroups'),
  ].some(({ allowed }) => allowed);
  const matching = found?.ids ?? [];
  // Before everybody has been read, the file would lack people without a word.
  const early = complete ? undefined : 'Everybody is still being read';
  const nobody = matching.length === 0 ? 'Nobody matches' : undefined;
  return (
    <>
      <MenuButton
        label="Import and export"
        items={[
          {
            label: 'Import users',
            hint: 'From a CSV file: create and change many',
            icon: Upload,
            disabledReason: mayImport ? undefined : creating.reason,
            onSelect: () => void router.navigate({ to: '/users/import' }),
          },
          {
            label: 'Export',
            hint: `${counted(matching.length, 'person', 'people')} as CSV or XLSX`,
            icon: Download,
            disabledReason: notNow ?? early ?? nobody,
            onSelect: () =>
              openExport({
                userIds: [...matching],
                filter: filterWords(view, groups),
                search: writeView(view),
              }),
          },
        ]}
      />
      <NewUserLink />
    </>
  );
}
