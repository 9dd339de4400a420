import { useRouter } from '@tanstack/react-router';
import { MailPlus } from 'lucide-react';
import { useMemo } from 'react';
import { usePaletteActionsOfPage } from '../../app/state/palette.ts';
import { useInviteAction } from './model/use-invite-action.ts';

/** Offers inviting or adding people in the palette, under the name that fits the user's capabilities. */
export function InvitationsHost() {
  const router = useRouter();
  const { label, reason } = useInviteAction();
  usePaletteActionsOfPage(
    useMemo(
      () =>
        reason === undefined
          ? [{ label, icon: MailPlus, run: () => void router.navigate({ to: '/invitations/new' }) }]
          : [],
      [label, reason, router],
    ),
  );
  return null;
}
