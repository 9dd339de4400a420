import { licenseTypes } from '../../../../contract/rules/licenses.ts';
import { useAllowed } from '../../../api/session.ts';
import { openBulk } from '../../../bulk/index.ts';
import { BulkBar } from '../../../ui/table/BulkBar.tsx';
import type { RowId } from '../../../ui/table/columns.ts';

interface LicensesBulkProps {
  /** Everybody who matches. */
  ids: Iterable<number> & { length: number };
  selection: ReadonlySet<RowId>;
  onSelect: (next: ReadonlySet<RowId>) => void;
  /** The types that are offered, the most wanted first. */
  types: readonly number[];
}

/** Gives everybody selected one license; the dry run says before what that does. */
export function LicensesBulk({ ids, selection, onSelect, types }: LicensesBulkProps) {
  const { reason } = useAllowed('updateUserLicense');
  const userIds = () => [...selection].map(Number);
  return (
    <BulkBar
      count={selection.size}
      total={ids.length}
      onSelectAll={() => onSelect(new Set(ids))}
      onClear={() => onSelect(new Set())}
      actions={types.flatMap((licenseTypeId) => {
        const type = licenseTypes.find((one) => one.licenseTypeId === licenseTypeId);
        return type
          ? {
              label: `Set to ${type.description}`,
              disabledReason: reason,
              onSelect: () => openBulk({ action: { kind: 'license', licenseTypeId }, userIds: userIds() }),
            }
          : [];
      })}
    />
  );
}
