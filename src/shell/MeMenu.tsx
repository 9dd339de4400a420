import { useRouter } from '@tanstack/react-router';
import { CircleUserRound, LogOut, UserRoundCog } from 'lucide-react';
import { signOutMutation } from '../api/generated/@tanstack/react-query.gen.ts';
import { getIdentitySignOut } from '../api/generated/sdk.gen.ts';
import type { Session } from '../api/generated/types.gen.ts';
import { useSession } from '../api/session.ts';
import { useWrite } from '../api/write.ts';
import { initials } from '../lib/initials.ts';
import { toast } from '../ui/feedback/toast.ts';
import { Avatar } from '../ui/layout/Avatar.tsx';
import { MenuButton } from '../ui/menu/MenuButton.tsx';
import type { MenuItems } from '../ui/menu/menu-items.ts';
import { setDensity, setTheme, useDensity, useTheme } from '../ui/theme.ts';
import { useStopActing } from './acting/use-stop.ts';
import { openWorkAs, useOwnPrincipals } from './acting/work-as.ts';
import { leaveSession } from './session.ts';
import { mayLeave } from './unsaved.ts';

const THEMES = [
  { value: 'system', label: 'Theme of the system' },
  { value: 'light', label: 'Light theme' },
  { value: 'dark', label: 'Dark theme' },
] as const;

const DENSITIES = [
  { value: 'compact', label: 'Compact rows' },
  { value: 'regular', label: 'Regular rows' },
  { value: 'comfortable', label: 'Comfortable rows' },
] as const;

/** Where the identity manager of the site ends its own session, asked while there is one here; undefined without. */
async function identityManagersEnd({ identityMode }: Session['site']): Promise<string | undefined> {
  if (identityMode === 'password') return undefined;
  const { url } = await getIdentitySignOut().then(
    ({ data }) => data,
    () => ({ url: null }),
  );
  return url ?? undefined;
}

/** Who is signed in, how the console looks for them, and the way out. */
export function MeMenu() {
  const router = useRouter();
  const { user, acting, site } = useSession();
  const theme = useTheme();
  const density = useDensity();
  const out = useWrite('signOut', signOutMutation());
  const principals = useOwnPrincipals();
  const { stop } = useStopActing();
  const name = `${user.firstName} ${user.lastName}`;

  const signOut = async () => {
    if (!(await mayLeave())) return;
    const away = await identityManagersEnd(site);
    out.mutate(
      {},
      {
        onSuccess: () => leaveSession(away),
        onError({ status, message }) {
          // The session was over already: that is what was asked for.
          if (status === 401) leaveSession(away);
          else toast({ tone: 'bad', title: 'Not signed out', description: message });
        },
      },
    );
  };

  const items: MenuItems = [
    {
      label: 'Your profile',
      hint: 'Password, second factor, sessions, API key',
      icon: CircleUserRound,
      onSelect: () => void router.navigate({ to: '/profile' }),
    },
    'line',
    ...THEMES.map(({ value, label }) => ({
      label,
      checked: theme === value,
      oneOf: true,
      onSelect: () => setTheme(value),
    })),
    'line',
    ...DENSITIES.map(({ value, label }) => ({
      label,
      checked: density === value,
      oneOf: true,
      onSelect: () => setDensity(value),
    })),
    'line',
    ...(acting
      ? [
          {
            label: `Stop working as ${acting.principal.fullName}`,
            icon: UserRoundCog,
            onSelect: () => void stop(),
          },
        ]
      : []),
    ...(principals.length > 0
      ? [
          {
            label: 'Work as…',
            hint: 'Somebody who trusts you with it',
            icon: UserRoundCog,
            onSelect: () => openWorkAs(),
          },
        ]
      : []),
    { label: 'Sign out', hint: `${name}, ${user.email}`, icon: LogOut, onSelect: () => void signOut() },
  ];
  return (
    <span className="top-me">
      <MenuButton
        label={`${initials(name)}: appearance and sign out of ${name}`}
        items={items}
        variant="quiet"
      >
        <Avatar name={name} id={user.id} />
      </MenuButton>
    </span>
  );
}
