import { Activity, Copy, FolderSearch, Globe, MapPin, Settings2 } from 'lucide-react';
import type { UserActivityEntry } from '../../../contract/generated/types.gen.ts';
import { validateNetwork } from '../../../contract/rules/networks.ts';
import { toServiceError } from '../../api/errors.ts';
import { getUserActivity } from '../../api/generated/sdk/activity.gen.ts';
import { getPermission } from '../../api/session.ts';
import type { PaletteContext, PaletteContribution, PaletteItem } from '../../app/state/palette.ts';
import { readPastedTokens } from '../../lib/text/pasted-tokens.ts';
import { copyText } from '../../ui/button/CopyButton.tsx';
import { formatRowTime } from './model/format.ts';
import { getActorName } from './model/row.ts';

const MAX_PASTED = 10;
const ACTIVITY_ID = /^activity[\s:#]*([1-9]\d{0,14})$/i;

/** The row with this id; undefined when there is none. */
async function findRow(activityId: number, signal: AbortSignal): Promise<UserActivityEntry | undefined> {
  try {
    return (await getUserActivity({ path: { activityId }, signal })).data;
  } catch (error) {
    if (toServiceError(error).status === 404) return undefined;
    throw error;
  }
}

function toAddressItems(address: string, { navigate, session }: PaletteContext): PaletteItem[] {
  const items: PaletteItem[] = [];
  if (getPermission(session, 'queryUserActivity').allowed)
    items.push({
      label: `Activity from ${address}`,
      icon: Globe,
      run: () => void navigate({ to: '/activity', search: { ip: address, range: '90' } }),
    });
  if (getPermission(session, 'updateApprovedAddresses').allowed)
    items.push({
      label: `Approve ${address}`,
      hint: 'Shows who is affected before it is saved',
      icon: MapPin,
      run: () => void navigate({ to: '/settings/addresses', search: { add: address } }),
    });
  return items;
}

const palette: PaletteContribution = {
  pasteSources: [
    {
      name: 'Addresses',
      find(text, context) {
        const addresses = readPastedTokens(text).addresses.filter(
          (address) => validateNetwork(address) === undefined,
        );
        return {
          items: addresses.slice(0, MAX_PASTED).flatMap((address) => toAddressItems(address, context)),
          total: addresses.length,
        };
      },
    },
    {
      name: 'Request ids',
      find(text) {
        const { requestIds } = readPastedTokens(text);
        return {
          items: requestIds.slice(0, MAX_PASTED).map((id) => ({
            label: `Copy ${id}`,
            hint: 'The log of the service names it',
            icon: Copy,
            run: () => void copyText(id),
          })),
          total: requestIds.length,
        };
      },
    },
  ],
  pages: [
    {
      label: 'Investigations',
      hint: 'Activity',
      icon: FolderSearch,
      href: '/activity/investigations',
      needs: 'listInvestigations',
    },
    {
      label: 'Configuration log',
      hint: 'Activity',
      icon: Settings2,
      href: '/activity/configuration',
      needs: 'listConfigurationChanges',
    },
  ],
  sources: [
    {
      name: 'Addresses',
      find(typed, context) {
        if (validateNetwork(typed) !== undefined) return { items: [] };
        return { items: toAddressItems(typed, context) };
      },
    },
    {
      name: 'Activity',
      needs: 'getUserActivity',
      async find(typed, { navigate, signal }) {
        const id = ACTIVITY_ID.exec(typed)?.[1];
        if (id === undefined) return { items: [] };
        const activityId = Number(id);
        const row = await findRow(activityId, signal);
        if (!row) return { items: [] };
        const item: PaletteItem = {
          id,
          label: `${row.activityType}, ${getActorName(row)}`,
          hint: `Activity ${id}, ${formatRowTime(row.eventDate)}`,
          icon: Activity,
          run: () => void navigate({ to: '/activity/$activityId', params: { activityId } }),
        };
        return { items: [item] };
      },
    },
  ],
};

export default palette;
