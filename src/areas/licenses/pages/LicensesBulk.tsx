import { licenseTypes } from '../../../../contract/rules/people/licenses.ts';
import { usePermission } from '../../../api/session.ts';
import { BulkBar } from '../../../ui/table/BulkBar.tsx';
import type { RowId } from '../../../ui/table/columns.ts';
import { useMedia } from '../../../ui/use-media.ts';
import { openBulk } from '../../bulk/index.ts';

// Below this width the actions move into the menu.
const NARROW_MEDIA = '(max-width: 1100px)';

interface LicensesBulkProps {
  /** All matching users; undefined while unknown. */
  ids: (Iterable<number> & { length: number }) | undefined;
  selection: ReadonlySet<RowId>;
  onSelect: (next: ReadonlySet<RowId>) => void;
  /** License types to offer. */
  types: readonly number[];
}

/** Sets the license of all selected users; a dry run shows the effect first. */
export function LicensesBulk({ ids, selection, onSelect, types }: LicensesBulkProps) {
  const { reason } = usePermission('updateUserLicense');
  const narrow = useMedia(NARROW_MEDIA);
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
          onStart: clear,
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
