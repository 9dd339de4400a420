import { useRouter } from '@tanstack/react-router';
import { AtSign, Ban, CalendarPlus, Send, UserRound } from 'lucide-react';
import type { InvitationInfoResponse } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import type { MenuItemData, MenuItems } from '../../../ui/menu/menu-items.ts';
import { copyText } from '../users/-copy.ts';
import { against } from './-acts.ts';
import type { Act } from './-acts.ts';
import { useActs } from './-use-acts.ts';

type Invitations = readonly InvitationInfoResponse[];

interface Items {
  onExtend: (those: Invitations) => void;
  /** Called when something has begun with several. */
  onBegin: () => void;
}

const NOBODY: Record<Act, string> = {
  resend: 'None selected is pending or expired',
  revoke: 'None selected is pending',
  extend: 'None selected has an end to move',
};

/** What can be done with an invitation, or with several that are selected: the same acts with the same reasons. */
export function useInvitationItems({ onExtend, onBegin }: Items) {
  const router = useRouter();
  const acts = useActs();
  const may: Record<Act, string | undefined> = {
    resend: useAllowed('resendInvitation').reason,
    revoke: useAllowed('revokeInvitation').reason,
    extend: useAllowed('extendInvitation').reason,
  };

  const itemsFor = (those: Invitations) => {
    const reason = (act: Act): string | undefined => {
      const reasons = those.map((one) => against(act, one));
      const off = reasons.length === 1 ? reasons[0] : NOBODY[act];
      return may[act] ?? (reasons.includes(undefined) ? undefined : off);
    };
    const resend: MenuItemData = {
      label: 'Send again',
      icon: Send,
      disabledReason: reason('resend'),
      onSelect() {
        acts.resend(those);
        onBegin();
      },
    };
    const extend: MenuItemData = {
      label: 'Extend…',
      icon: CalendarPlus,
      disabledReason: reason('extend'),
      onSelect: () => onExtend(those),
    };
    const revoke: MenuItemData = {
      label: 'Revoke…',
      icon: Ban,
      danger: true,
      disabledReason: reason('revoke'),
      onSelect: () => void acts.revoke(those).then((begun) => begun && onBegin()),
    };
    return { resend, extend, revoke };
  };

  return {
    bulk: (those: Invitations): MenuItemData[] => {
      const { resend, extend, revoke } = itemsFor(those);
      return [resend, extend, revoke];
    },
    row: (one: InvitationInfoResponse): MenuItems => {
      const { resend, extend, revoke } = itemsFor([one]);
      const { userId, email } = one;
      const open: MenuItemData = {
        label: 'Open the user',
        icon: UserRound,
        disabledReason: userId ? undefined : 'Nobody has accepted it yet',
        onSelect: () => void (userId && router.navigate({ to: '/users/$userId', params: { userId } })),
      };
      const copy: MenuItemData = { label: 'Copy e-mail', icon: AtSign, onSelect: () => void copyText(email) };
      return [resend, extend, open, copy, 'line', revoke];
    },
  };
}
