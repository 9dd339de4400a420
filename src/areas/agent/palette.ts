import { Ban, Bot, Eye, Pause, Settings, ScrollText, ScanEye } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import type { AgentKey } from '../../../contract/generated/types.gen.ts';
import { listAgentKeysOptions } from '../../api/generated/queries/agent.gen.ts';
import type { PaletteContext, PaletteContribution, PaletteItem } from '../../app/state/palette.ts';
import { requestAction } from '../../app/state/requested-action.ts';
import { rankByLabel } from '../../lib/text/rank.ts';

const MAX_KEYS = 6;

interface KeyCommand {
  action: 'pauseAgentKey' | 'revokeAgentKey';
  icon: LucideIcon;
  format: (name: string) => string;
  /** Whether the key is in a state in which the action is possible. */
  isPossible: (key: AgentKey) => boolean;
}

async function findKeys(
  target: string,
  { client, navigate }: PaletteContext,
  { action, icon, format, isPossible }: KeyCommand,
): Promise<PaletteItem[]> {
  const keys = await client.fetchQuery(listAgentKeysOptions({ query: {} }));
  const found = rankByLabel(
    keys.filter(isPossible).map((key) => ({ ...key, label: key.name })),
    target,
  );
  return found.slice(0, MAX_KEYS).map(({ id, name, userName }) => ({
    id: String(id),
    label: format(name),
    hint: userName,
    icon,
    run: () => void requestAction({ name: action, id }, () => navigate({ to: '/agent' })),
  }));
}

const palette: PaletteContribution = {
  pages: [
    { label: 'Agent keys', hint: 'Agent server', icon: Bot, href: '/agent', needs: 'getAgentSettings' },
    {
      label: 'Ledger of agent calls',
      hint: 'Agent server',
      icon: ScrollText,
      href: '/agent/ledger',
      needs: 'listAgentCalls',
    },
    {
      label: 'Fields of an entry that agents read',
      hint: 'Agent server',
      icon: Eye,
      href: '/agent/seen',
      needs: 'listAgentCalls',
    },
    {
      label: 'Preview as a person',
      hint: 'Agent server',
      icon: ScanEye,
      href: '/agent/preview',
      needs: 'previewAgentCall',
    },
    {
      label: 'Agent server settings',
      hint: 'Agent server',
      icon: Settings,
      href: '/agent/settings',
      needs: 'getAgentSettings',
    },
  ],
  commands: [
    {
      phrases: ['pause agent key', 'pause key', 'pause agent'],
      label: 'Pause an agent key',
      icon: Pause,
      needs: 'updateAgentKey',
      find: (target, context) =>
        findKeys(target, context, {
          action: 'pauseAgentKey',
          icon: Pause,
          format: (name) => `Pause the agent key ${name}`,
          isPossible: ({ state }) => state === 'Active',
        }),
    },
    {
      phrases: ['revoke agent key', 'revoke key', 'revoke agent'],
      label: 'Revoke an agent key',
      icon: Ban,
      needs: 'revokeAgentKey',
      find: (target, context) =>
        findKeys(target, context, {
          action: 'revokeAgentKey',
          icon: Ban,
          format: (name) => `Revoke the agent key ${name}`,
          isPossible: ({ state }) => state === 'Active' || state === 'Paused',
        }),
    },
  ],
};

export default palette;
