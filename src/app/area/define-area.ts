import type { QueryClient } from '@tanstack/react-query';
import type { LucideIcon } from 'lucide-react';
import type { ComponentType } from 'react';
import type { Session } from '../../../contract/generated/types.gen.ts';
import type { CAPABILITIES } from '../../api/capabilities.gen.ts';
import type { Invalidations } from '../../api/invalidation.ts';
import type { SessionIdentity } from '../../api/session-state.ts';
import type { PaletteContribution } from '../state/palette.ts';

/** Groups of the side navigation, from top to bottom; the entries of the first stand without a heading. */
export const NAVIGATION_GROUPS = ['', 'People', 'Data', 'Connections', 'Site', 'Platform'] as const;

/** A page that the side navigation, the palette and the keyboard shortcut `g` + `key` lead to. */
export interface NavigationEntry {
  /** Absent for a page that a `TopBarItem` leads to instead of the side navigation. */
  group?: (typeof NAVIGATION_GROUPS)[number];
  path: string;
  name: string;
  icon: LucideIcon;
  /** Second key after `g`; unique among all entries. */
  key: string;
  /** The read operation without which the page has nothing to show; its capabilities open the page. */
  needs?: keyof typeof CAPABILITIES;
  /** Whether the entry is listed at all; without it, always. */
  isListed?: (session: Pick<Session, 'runsPlatform'>) => boolean;
}

/** A palette command that leads to a page, offered to those who may use the operation. */
export interface PaletteCommand {
  label: string;
  icon: LucideIcon;
  to: string;
  needs: keyof typeof CAPABILITIES;
}

/** Everything an area adds to the console; `app/registry.ts` collects it. */
export interface AreaDefinition {
  name: string;
  navigation?: readonly NavigationEntry[];
  commands?: readonly PaletteCommand[];
  /** What the palette finds in the area; loaded when the palette is opened. */
  palette?: () => Promise<{ default: PaletteContribution }>;
  /** The reads that each write of the area makes stale. */
  invalidations?: Partial<Invalidations>;
  /** Sentences for audit actions of the area, without the full stop, by action (`group.assign`). */
  auditSentences?: Readonly<Record<string, string>>;
  /** Mounted once in the frame of a signed-in user: dialogs that open over any page. */
  Host?: ComponentType;
  /** Button of the top bar, before those of the frame. */
  TopBarItem?: ComponentType;
  /** Registers job kinds and undo file formats; called once before the first render. */
  register?: () => void;
  /**
   * Resumes the jobs that a reload of the page interrupted; called once for a signed-in user, when the page is idle, and
   * not while acting.
   */
  resumeJobs?: (client: QueryClient, identity: SessionIdentity) => Promise<void>;
  /** Removes what the area stores in the browser; called at sign-out. */
  clearStorage?: () => Promise<void>;
}

/** Checks an area's definition and keeps the literal types of its parts. */
export const defineArea = <const Definition extends AreaDefinition>(definition: Definition): Definition =>
  definition;
