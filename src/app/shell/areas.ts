import {
  Activity,
  Archive,
  BadgeCheck,
  Bot,
  Building2,
  FileDown,
  FileText,
  History,
  Inbox,
  LayoutDashboard,
  Mail,
  Radio,
  Settings,
  Table2,
  UserRoundCog,
  Users,
  UsersRound,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';

/** A place of the console that the navigation, the palette and the shortcuts lead to. */
export interface Area {
  path: string;
  name: string;
  icon: LucideIcon;
  /** The second key after `g`. */
  key: string;
}

export interface AreaGroup {
  name: string | undefined;
  areas: readonly Area[];
}

/** Every area of the specification, in the order and groups of the side navigation. */
export const AREA_GROUPS: readonly AreaGroup[] = [
  { name: undefined, areas: [{ path: '/', name: 'Overview', icon: LayoutDashboard, key: 'o' }] },
  {
    name: 'People',
    areas: [
      { path: '/users', name: 'Users', icon: Users, key: 'u' },
      { path: '/licenses', name: 'Licenses', icon: BadgeCheck, key: 'l' },
      { path: '/groups', name: 'Groups', icon: UsersRound, key: 'g' },
      { path: '/proxies', name: 'Proxies', icon: UserRoundCog, key: 'x' },
      { path: '/invitations', name: 'Invitations', icon: Mail, key: 'i' },
      { path: '/activity', name: 'Activity', icon: Activity, key: 'a' },
    ],
  },
  {
    name: 'Data',
    areas: [
      { path: '/entries', name: 'Entries', icon: Table2, key: 'e' },
      { path: '/changes', name: 'Changes', icon: History, key: 'c' },
      { path: '/reports', name: 'Reports', icon: FileText, key: 'r' },
      { path: '/exports', name: 'Exports', icon: FileDown, key: 'd' },
      { path: '/backups', name: 'Backups', icon: Archive, key: 'b' },
    ],
  },
  {
    name: 'Connections',
    areas: [
      { path: '/imports', name: 'Imports', icon: Inbox, key: 'm' },
      { path: '/publications', name: 'Publications', icon: Radio, key: 'p' },
      { path: '/agent', name: 'Agent server', icon: Bot, key: 't' },
    ],
  },
  { name: 'Site', areas: [{ path: '/settings', name: 'Settings', icon: Settings, key: 's' }] },
  { name: 'Platform', areas: [{ path: '/sites', name: 'Sites', icon: Building2, key: 'w' }] },
];

export const AREAS: readonly Area[] = AREA_GROUPS.flatMap((group) => group.areas);
