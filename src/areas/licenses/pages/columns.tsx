import { ChevronDown, TriangleAlert } from 'lucide-react';
import type { DirectoryRow } from '../../../directory/row.ts';
import { isBillable } from '../../../directory/row.ts';
import type { Column } from '../../../ui/table/columns.ts';
import { EMAIL, nameColumn, STATUS } from '../../../directory/person-columns.tsx';
import { licenseName, licenseTypes } from '../../../../contract/rules/licenses.ts';
import { cx } from '../../../ui/cx.ts';
import { Spinner } from '../../../ui/feedback/Spinner.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { billableHint } from '../model/billable-effect.ts';
import { useLicenseChange } from './changes.tsx';

/** The columns of the list; ids are the keys that the directory sorts by. */
export const COLUMNS: readonly Column<DirectoryRow>[] = [
  nameColumn('/users/$userId/license'),
  { ...EMAIL, hideable: true },
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
  { ...STATUS, hideable: true },
];

interface LicenseCellProps {
  row: DirectoryRow;
  tabIndex: 0 | -1;
}

/** The license in its row: a menu says what each other one would do to the bill, and sends what is chosen. */
function LicenseCell({ row, tabIndex }: LicenseCellProps) {
  const { chosen, reason, ...rest } = useLicenseChange(row.id);
  const now = row.licenseTypeId;
  if (now === undefined) return '…';
  if (reason !== undefined) return licenseName(now);
  if (chosen && !chosen.error)
    return (
      <span className="lic-sending">
        <Spinner /> Changing to {licenseName(chosen.to)}
      </span>
    );
  const shown = licenseName(chosen?.to ?? now);
  const refused = chosen?.error;
  return (
    <span className={cx('lic', refused && 'lic-refused')}>
      <MenuButton
        label={`License of ${row.name}: ${shown}${refused ? `, not changed. ${refused.message}` : ''}`}
        variant="quiet"
        size="small"
        align="start"
        tabIndex={tabIndex}
        items={() => itemsFor({ ...rest, chosen, row, now })}
      >
        {refused && <TriangleAlert />}
        <span className="lic-name">{shown}</span>
        <ChevronDown />
      </MenuButton>
      {refused && <span className="lic-why">Not changed</span>}
    </span>
  );
}

type Offer = Omit<ReturnType<typeof useLicenseChange>, 'reason'> & { row: DirectoryRow; now: number };

function itemsFor({ chosen, choose, discard, billable, row, now }: Offer): MenuItems {
  const others = licenseTypes
    .filter(({ licenseTypeId }) => licenseTypeId !== now && licenseTypeId !== chosen?.to)
    .map(({ licenseTypeId: to, description }) => ({
      label: description,
      hint: billableHint(now, to, billable),
      onSelect: () => choose(row, to),
    }));
  if (!chosen) return others;
  return [
    {
      label: `Try again: ${licenseName(chosen.to)}`,
      hint: chosen.error?.message,
      onSelect: () => choose(row, chosen.to),
    },
    {
      label: `Keep ${licenseName(now)}`,
      hint: 'Gives the refused change up',
      onSelect: () => discard(row.id),
    },
    'line',
    ...others,
  ];
}
