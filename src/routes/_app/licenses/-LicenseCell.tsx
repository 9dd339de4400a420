import { ChevronDown, TriangleAlert } from 'lucide-react';
import { licenseName, licenseTypes } from '../../../../contract/rules/licenses.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { cx } from '../../../ui/cx.ts';
import { Spinner } from '../../../ui/feedback/Spinner.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { billableHint } from './-billable-effect.ts';
import { useLicenseChange } from './-changes.tsx';

interface LicenseCellProps {
  row: DirectoryRow;
  tabIndex: 0 | -1;
}

/** The license in its row: a menu says what each other one would do to the bill, and sends what is chosen. */
export function LicenseCell({ row, tabIndex }: LicenseCellProps) {
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
