import type { QueryClient } from '@tanstack/react-query';
import type { RegisteredRouter } from '@tanstack/react-router';
import type { LucideIcon } from 'lucide-react';
import { useEffect } from 'react';
import type { EntryTypeVm, Session } from '../../../contract/generated/types.gen.ts';
import type { CAPABILITIES } from '../../api/capabilities.gen.ts';
import type { Tone } from '../../ui/layout/Badge.tsx';
import { createStore, useStore } from '../../ui/store.ts';

type Operation = keyof typeof CAPABILITIES;

/** An item of the palette. */
export interface PaletteItem {
  /** Unique among items with the same label; without it the label and the hint identify the item. */
  id?: string;
  label: string;
  hint?: string | undefined;
  icon?: LucideIcon | undefined;
  /** Id of the person that the item stands for, shown with their avatar. */
  personId?: number;
  /** Entry type that the item stands for or belongs to, shown with its tile unless the item has an icon. */
  type?: Pick<EntryTypeVm, 'id' | 'icon'> | undefined;
  /** State worth knowing before it is chosen, such as Inactive. */
  badge?: { text: string; tone: Tone } | undefined;
  run: (() => void) | { fills: string };
}

/** What a search in the palette may use. */
export interface PaletteContext {
  client: QueryClient;
  session: Session;
  navigate: RegisteredRouter['navigate'];
  signal: AbortSignal;
}

/** Results of a search. */
export interface PaletteResults {
  items: readonly PaletteItem[];
  /** Number of all matches; without it the items are all there are, or `hasMore` says that there are others. */
  total?: number;
  hasMore?: boolean;
}

/** A source of search results, for example people. */
export interface PaletteSource {
  /** Heading of the results. */
  name: string;
  /** The operation without which there is nothing to find. */
  needs?: Operation;
  /** Whether the results are shown only where nothing else was found. */
  isLast?: boolean;
  find: (typed: string, context: PaletteContext) => PaletteResults | Promise<PaletteResults>;
}

/** A command that applies to a target named after it, as in "deactivate dana". */
export interface TargetCommand {
  /** Words before the target; the first starts a text that fills the field. */
  phrases: readonly [string, ...string[]];
  /** Name of the command without a target: "Deactivate a user". */
  label: string;
  icon: LucideIcon;
  needs: Operation;
  /** The command for each target that matches. */
  find: (target: string, context: PaletteContext) => Promise<readonly PaletteItem[]>;
}

/** A page or tab that the navigation has no entry for. */
interface PalettePage {
  label: string;
  /** Page that it belongs to. */
  hint?: string;
  icon: LucideIcon;
  /** Path with search parameters. */
  href: string;
  needs?: Operation;
  /** Whether the page is for the user, where no operation decides it. */
  isListed?: (session: Session) => boolean;
}

/** What an area adds to the palette; loaded with the palette (`palette` of the area). */
export interface PaletteContribution {
  pages?: readonly PalettePage[];
  commands?: readonly TargetCommand[];
  sources?: readonly PaletteSource[];
  /** What the area recognizes in a pasted text. */
  pasteSources?: readonly PaletteSource[];
}

/** Text with which the palette opens, to recognize what it names. */
export const pastedText = createStore<string | undefined>(undefined);

/** Whether a pasted text is more than a search: several lines or cells, or longer than a name. */
export const isPastedList = (text: string): boolean => /[\n\t]/.test(text.trim()) || text.trim().length > 80;

const actions = createStore<readonly PaletteItem[]>([]);

export const usePaletteActions = (): readonly PaletteItem[] => useStore(actions);

/** Adds actions to the palette while the component is mounted; the list must be constant or memoized. */
export function usePaletteActionsOfPage(items: readonly PaletteItem[]): void {
  useEffect(() => {
    actions.set([...actions.get(), ...items]);
    return () => actions.set(actions.get().filter((item) => !items.includes(item)));
  }, [items]);
}
