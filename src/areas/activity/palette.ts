import { Copy, FolderSearch, Globe, MapPin, Settings2 } from 'lucide-react';
import { validateNetwork } from '../../../contract/rules/networks.ts';
import { getPermission } from '../../api/session.ts';
import type { PaletteContext, PaletteContribution, PaletteItem } from '../../app/state/palette.ts';
import { readPastedTokens } from '../../lib/text/pasted-tokens.ts';
import { copyText } from '../../ui/button/CopyButton.tsx';

const MAX_PASTED = 10;

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
  ],
};

export default palette;
