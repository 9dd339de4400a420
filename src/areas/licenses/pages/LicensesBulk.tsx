import { licenseTypes } from '../../../../contract/rules/licenses.ts';
import { useAllowed } from '../../../api/session.ts';
import { openBulk } from '../../bulk/index.ts';
import { BulkBar } from '../../../ui/table/BulkBar.tsx';
import type { RowId } from '../../../ui/table/columns.ts';
import { useMedia } from '../../../ui/use-media.ts';

// Under it four verbs with their licenses do not stand beside one another.
const NARROW = '(max-width: 1100px)';

interface LicensesBulkProps {
  /** Everybody who matches; undefined while that is not known. */
  ids: (Iterable<number> & { length: number }) | undefined;
  selection: ReadonlySet<RowId>;
  onSelect: (next: ReadonlySet<RowId>) => void;
  /** The types that are offered. */
  types: readonly number[];
}

/** Gives everybody selected one license; the dry run says before what that does. */
export function LicensesBulk({ ids, selection, onSelect, types }: LicensesBulkProps) {
  const { reason } = useAllowed('updateUserLicense');
  const narrow = useMedia(NARROW);
  const clear = () => onSelect(new Set());
  const actions = licenseTypes
    .filter(({ licenseTypeId }) => types.includes(licenseTypeId))
    .map(({ licenseTypeId, description }) => ({
      label: `Set to ${description}`,
      disabledReason: reason,
      onSelect: () =>
        openBulk({
          action: { kind: 'license', licenseTypeId },
          userIds: [...selection].map(Number),
          onBegin: clear,
        }),
    }));
  return (
    <BulkBar
      count={selection.size}
      total={ids?.length ?? 0}
      onSelectAll={() => onSelect(new Set(ids))}
      onClear={clear}
      actions={narrow ? [] : actions}
      more={narrow ? actions : []}
    />
  );
}
