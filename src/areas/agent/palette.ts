import { Bot, Eye, Settings, ScrollText, ScanEye } from 'lucide-react';
import type { PaletteContribution } from '../../app/state/palette.ts';

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
      label: 'Seen of an entry',
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
};

export default palette;
