import { ChevronDown, TriangleAlert } from 'lucide-react';
import { getLicenseName, licenseTypes } from '../../../../contract/rules/people/licenses.ts';
import { UnknownOutcomeError } from '../../../api/errors.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import { isBillable } from '../../../directory/engine/row.ts';
import { emailColumn, createNameColumn, statusColumn } from '../../../directory/person-columns.tsx';
import { cx } from '../../../ui/cx.ts';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { Spinner } from '../../../ui/Spinner.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { formatBillableHint } from '../model/billable-effect.ts';
import { useLicenseChange } from './LicenseChanges.tsx';

/** Columns of the list; ids are the sort keys of the directory. */
export const COLUMNS: readonly Column<DirectoryRow>[] = [
  createNameColumn('/users/$userId/license'),
  { ...emailColumn, hideable: true },
  {
    id: 'license',
    header: 'License',
    sortable: true,
    width: 290,
    hideable: false,
    small: 'line',
    cell: (row, place) => <LicenseCell row={row} tabIndex={place.tabIndex} />,
  },
  {
    id: 'billable',
    header: 'Billable',
    hideable: true,
    width: 84,
    cell: (row) => (isBillable(row) ? 'Billable' : <span className="person-none">—</span>),
  },
  { ...statusColumn, hideable: true },
];

interface LicenseCellProps {
  row: DirectoryRow;
  tabIndex: 0 | -1;
}

/** License of a row: a menu with the effect of each license on billing. */
function LicenseCell({ row, tabIndex }: LicenseCellProps) {
  const { chosen, reason, ...rest } = useLicenseChange(row.id);
  const currentTypeId = row.licenseTypeId;
  if (currentTypeId === undefined) return '…';
  if (reason !== undefined) return getLicenseName(currentTypeId);
  if (chosen && !chosen.error)
    return (
      <span className="lic-sending">
        <Spinner /> Changing to {getLicenseName(chosen.to)}
      </span>
    );
  const shownName = getLicenseName(chosen?.to ?? currentTypeId);
  const error = chosen?.error;
  const isUnknown = error instanceof UnknownOutcomeError;
  return (
    <span className={cx('lic', error && 'lic-refused')}>
      <MenuButton
        label={`License of ${row.name}: ${shownName}${error ? `, ${isUnknown ? 'possibly' : 'not'} changed. ${error.message}` : ''}`}
        variant="quiet"
        size="small"
        align="start"
        tabIndex={tabIndex}
        items={() => buildMenuItems({ ...rest, chosen, row, now: currentTypeId })}
      >
        {error && <TriangleAlert />}
        <span className="lic-name">{shownName}</span>
        <ChevronDown />
      </MenuButton>
      {error && <span className="lic-why">{isUnknown ? 'Possibly changed' : 'Not changed'}</span>}
    </span>
  );
}

type LicenseMenuContext = Omit<ReturnType<typeof useLicenseChange>, 'reason'> & {
  row: DirectoryRow;
  now: number;
};

function buildMenuItems({ chosen, choose, discard, billable, row, now }: LicenseMenuContext): MenuItems {
  const others = licenseTypes
    .filter(({ licenseTypeId }) => licenseTypeId !== now && licenseTypeId !== chosen?.to)
    .map(({ licenseTypeId: to, description }) => ({
      label: description,
      hint: formatBillableHint(now, to, billable),
      onSelect: () => choose(row, to),
    }));
  if (!chosen) return others;
  return [
    {
      label: `Try again: ${getLicenseName(chosen.to)}`,
      hint: chosen.error?.message,
      onSelect: () => choose(row, chosen.to),
    },
    {
      label: `Keep ${getLicenseName(now)}`,
      hint: 'Discards the refused change',
      onSelect: () => discard(row.id),
    },
    'line',
    ...others,
  ];
}
