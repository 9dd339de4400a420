import { hasAnyCapability, useSession } from '../../../api/session.ts';
import { Toggle } from '../../../ui/form/Toggle.tsx';

/** Whose reports or schedules a list shows: the user's own, or those of everyone for those who may see them. */
export function useOwnerFilter(everyone: boolean | undefined): { owner: 'all' | 'own'; mayListAll: boolean } {
  const mayListAll = hasAnyCapability(useSession(), ['View Activity', 'Manage Report Templates']);
  return { owner: everyone === true && mayListAll ? 'all' : 'own', mayListAll };
}

/** Switch to the reports or schedules of everyone. */
export const OwnerToggle = ({
  owner,
  onChange,
}: {
  owner: 'all' | 'own';
  onChange: (search: { everyone?: true }) => void;
}) => (
  <Toggle
    kind="switch"
    id="reports-everyone"
    label="Of all users"
    checked={owner === 'all'}
    onChange={(isOn) => onChange(isOn ? { everyone: true } : {})}
  />
);
