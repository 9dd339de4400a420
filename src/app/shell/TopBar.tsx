import { Link, useRouter } from '@tanstack/react-router';
import {
  CircleHelp,
  Menu,
  Search,
  Building2,
  ChevronsUpDown,
  CircleUserRound,
  LogOut,
  UserRoundCog,
} from 'lucide-react';
import { IconButton } from '../../ui/button/IconButton.tsx';
import { openOverlay } from './overlay.ts';
import { preloadPalette } from './Overlays.tsx';
import { ProductMark } from '../../ui/layout/ProductMark.tsx';
import { switchSiteMutation, signOutMutation } from '../../api/generated/@tanstack/react-query.gen.ts';
import { useAllowed, useSession } from '../../api/session.ts';
import { useWrite } from '../../api/write.ts';
import { toast } from '../../ui/feedback/toast.ts';
import { MenuButton } from '../../ui/menu/MenuButton.tsx';
import { startOnSite, leaveSession } from '../session/session.ts';
import { mayLeave } from '../../ui/form/unsaved.ts';
import { getIdentitySignOut } from '../../api/generated/sdk.gen.ts';
import type { Session } from '../../api/generated/types.gen.ts';
import { initials } from '../../lib/initials.ts';
import { Avatar } from '../../ui/layout/Avatar.tsx';
import type { MenuItems } from '../../ui/menu/menu-items.ts';
import { setDensity, setTheme, useDensity, useTheme } from '../../ui/theme.ts';
import { useStopActing } from '../acting/use-stop.ts';
import { openWorkAs, useOwnPrincipals } from '../acting/work-as.ts';
import './top-bar.css';

const MOD = navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl';

/** Product, site, search, help, me. */
export function TopBar({ onMenu }: { onMenu: () => void }) {
  return (
    <header className="top">
      <div className="top-start">
        <span className="top-burger">
          <IconButton label="Navigation" icon={Menu} onClick={onMenu} aria-haspopup="dialog" />
        </span>
        <Link to="/" className="top-home">
          <ProductMark />
        </Link>
        <SiteSwitcher />
      </div>
      <button
        type="button"
        className="top-search"
        aria-keyshortcuts="Control+K Meta+K"
        aria-haspopup="dialog"
        onPointerEnter={preloadPalette}
        onFocus={preloadPalette}
        onClick={() => openOverlay('palette')}
      >
        <Search />
        <span className="top-search-text">Search people, pages, actions</span>
        <kbd className="kbd" aria-hidden>
          {MOD} K
        </kbd>
      </button>
      <div className="top-end">
        <IconButton label="Keyboard shortcuts" icon={CircleHelp} onClick={() => openOverlay('keys')} />
        <MeMenu />
      </div>
    </header>
  );
}

/** The site this session works on; a menu where there is another one to go to. */
function SiteSwitcher() {
  const { site, sites, isFederated } = useSession();
  const allowed = useAllowed('switchSite');
  const reason = isFederated
    ? 'Your organization opened this site alone: sign in there yourself'
    : allowed.reason;
  const move = useWrite('switchSite', switchSiteMutation());

  const go = async (siteId: number) => {
    if (!(await mayLeave())) return;
    move.mutate(
      { body: { siteId } },
      {
        onSuccess: startOnSite,
        onError: ({ message }) =>
          toast({ tone: 'bad', title: 'The site was not switched', description: message }),
      },
    );
  };

  const name = (
    <span className="top-site">
      <span className="top-site-name">{site.name}</span> <span className="top-site-slug">{site.slug}</span>
    </span>
  );
  if (sites.length < 2) return name;
  const items = sites.map(({ id, name: label, slug, role }) => ({
    label,
    hint: role ? `${slug}, ${role}` : slug,
    icon: Building2,
    disabledReason: id === site.id ? 'You are on this site' : reason,
    onSelect: () => void go(id),
  }));
  return (
    <MenuButton label={`${site.name} ${site.slug}, switch site`} items={items} align="start" variant="quiet">
      {name}
      <ChevronsUpDown />
    </MenuButton>
  );
}

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
function MeMenu() {
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
