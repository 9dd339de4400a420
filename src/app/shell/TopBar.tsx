import { Link, useRouter } from '@tanstack/react-router';
import { Menu, Search, Building2, ChevronsUpDown, CircleUserRound, LogOut, UserRoundCog } from 'lucide-react';
import type { Session } from '../../../contract/generated/types.gen.ts';
import { switchSiteMutation, signOutMutation } from '../../api/generated/queries/session.gen.ts';
import { getIdentitySignOut } from '../../api/generated/sdk/session.gen.ts';
import { usePermission, useSession } from '../../api/session.ts';
import { useWrite } from '../../api/write.ts';
import { getInitials } from '../../lib/text/initials.ts';
import { IconButton } from '../../ui/button/IconButton.tsx';
import { confirmLeave } from '../../ui/dialog/unsaved-work.ts';
import { Avatar } from '../../ui/layout/Avatar.tsx';
import { ProductMark } from '../../ui/layout/ProductMark.tsx';
import type { MenuItems } from '../../ui/menu/menu-items.ts';
import { MenuButton } from '../../ui/menu/MenuButton.tsx';
import { MODIFIER_KEY } from '../../ui/shortcuts/shortcuts.ts';
import { setDensity, setTheme, useDensity, useTheme } from '../../ui/style/theme.ts';
import { useStopActing, openWorkAsDialog, useOwnPrincipals } from '../acting/acting.ts';
import { preloadWorkAsDialog } from '../acting/ActingHost.tsx';
import type { AreaRegistry } from '../area/collect-areas.ts';
import { useSiteBrand } from '../session/brand.ts';
import { reloadOnSite, leaveSession } from '../session/session.ts';
import { toastFailedWrite } from '../state/failed-write.ts';
import { openOverlay } from '../state/overlay.ts';
import { preloadPalette } from './Overlays.tsx';
import './top-bar.css';

interface TopBarProps {
  onMenu: () => void;
  /** Buttons of areas. */
  items: AreaRegistry['topBarItems'];
}

/** Top bar: product, site, search, buttons of areas, help, user menu. */
export function TopBar({ onMenu, items }: TopBarProps) {
  return (
    <header className="top">
      <div className="top-start">
        <span className="top-burger">
          <IconButton label="Navigation" icon={Menu} onClick={onMenu} aria-haspopup="dialog" />
        </span>
        <Link to="/" className="top-home">
          <ProductMark brand={useSiteBrand()} />
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
        <span className="top-search-text">Search people, entries, pages</span>
        <kbd className="kbd" aria-hidden>
          {MODIFIER_KEY} K
        </kbd>
      </button>
      <div className="top-end">
        {items.map(({ name, TopBarItem }) => (
          <TopBarItem key={name} />
        ))}
        <UserMenu />
      </div>
    </header>
  );
}

/** Current site; a menu if the user is a member of several sites. */
function SiteSwitcher() {
  const { site, sites, isFederated } = useSession();
  const allowed = usePermission('switchSite');
  const reason = isFederated
    ? 'Your organization signed you in to this site only: sign in to the other site separately'
    : allowed.reason;
  const switchSite = useWrite('switchSite', switchSiteMutation());

  const go = async (siteId: number) => {
    if (!(await confirmLeave())) return;
    switchSite.mutate(
      { body: { siteId } },
      {
        onSuccess: reloadOnSite,
        onError: (thrown) => toastFailedWrite('The site', 'switched', thrown),
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
    // Sites can have the same name.
    id: slug,
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
  { value: 'system', label: 'System theme' },
  { value: 'light', label: 'Light theme' },
  { value: 'dark', label: 'Dark theme' },
] as const;

const DENSITIES = [
  { value: 'compact', label: 'Compact rows' },
  { value: 'regular', label: 'Regular rows' },
  { value: 'comfortable', label: 'Comfortable rows' },
] as const;

/** Reads the address at which the identity manager ends its own session; must be called before signing out. */
async function getIdentityManagerSignOutUrl({ identityMode }: Session['site']): Promise<string | undefined> {
  if (identityMode === 'password') return undefined;
  const { url } = await getIdentitySignOut().then(
    ({ data }) => data,
    () => ({ url: null }),
  );
  return url ?? undefined;
}

/** Menu of the user: profile, appearance, acting and sign-out. */
function UserMenu() {
  const router = useRouter();
  const { user, acting, site } = useSession();
  const theme = useTheme();
  const density = useDensity();
  const signOutWrite = useWrite('signOut', signOutMutation());
  const principals = useOwnPrincipals();
  const { stop } = useStopActing();
  const name = `${user.firstName} ${user.lastName}`;

  const signOut = async () => {
    if (!(await confirmLeave())) return;
    const redirectUrl = await getIdentityManagerSignOutUrl(site);
    signOutWrite.mutate(
      {},
      {
        onSuccess: () => leaveSession(redirectUrl),
        onError(thrown) {
          // The session had already ended.
          if (thrown.status === 401) leaveSession(redirectUrl);
          else toastFailedWrite('Your session', 'ended', thrown);
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
      isRadio: true,
      onSelect: () => setTheme(value),
    })),
    'line',
    ...DENSITIES.map(({ value, label }) => ({
      label,
      checked: density === value,
      isRadio: true,
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
            hint: 'A user who assigned you as their proxy',
            icon: UserRoundCog,
            preload: preloadWorkAsDialog,
            onSelect: () => openWorkAsDialog(),
          },
        ]
      : []),
    { label: 'Sign out', hint: `${name}, ${user.email}`, icon: LogOut, onSelect: () => void signOut() },
  ];
  return (
    <span className="top-me">
      <MenuButton
        label={`${getInitials(name)}: appearance and sign out of ${name}`}
        items={items}
        variant="quiet"
      >
        <Avatar name={name} id={user.id} />
      </MenuButton>
    </span>
  );
}
