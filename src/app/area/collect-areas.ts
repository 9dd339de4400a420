import type { ComponentType } from 'react';
import type { Capability, Session } from '../../../contract/generated/types.gen.ts';
import { CAPABILITIES } from '../../api/capabilities.gen.ts';
import type { Invalidations } from '../../api/invalidation.ts';
import { hasAnyCapability, formatMissingCapabilities } from '../../api/session.ts';
import { NAVIGATION_GROUPS } from './define-area.ts';
import type { AreaDefinition, NavigationEntry, PaletteCommand } from './define-area.ts';

interface NavigationGroup {
  name: (typeof NAVIGATION_GROUPS)[number];
  entries: readonly NavigationEntry[];
}

/** The parts of all areas, in the shape in which the frame uses them. */
export interface AreaRegistry {
  areas: readonly AreaDefinition[];
  /** Navigation entries by group, without groups that have none. */
  navigation: readonly NavigationGroup[];
  entries: readonly NavigationEntry[];
  commands: readonly PaletteCommand[];
  invalidations: Partial<Invalidations>;
  auditSentences: Readonly<Record<string, string>>;
  hosts: readonly { name: string; Host: ComponentType }[];
  topBarItems: readonly { name: string; TopBarItem: ComponentType }[];
}

/**
 * Collects the parts of all areas.
 * @throws Error where two areas list the same path, shortcut key, write operation or audit action
 */
export function collectAreas(areas: readonly AreaDefinition[]): AreaRegistry {
  const entries = areas.flatMap(({ navigation = [] }) => navigation);
  assertUnique(
    'navigation path',
    entries.map(({ path }) => path),
  );
  assertUnique(
    'shortcut key',
    entries.map(({ key }) => key),
  );
  assertUnique(
    'write operation',
    areas.flatMap(({ invalidations = {} }) => Object.keys(invalidations)),
  );
  assertUnique(
    'audit action',
    areas.flatMap(({ auditSentences = {} }) => Object.keys(auditSentences)),
  );
  const allInvalidations: Partial<Invalidations> = {};
  const allSentences: Record<string, string> = {};
  for (const { invalidations, auditSentences } of areas) {
    Object.assign(allInvalidations, invalidations);
    Object.assign(allSentences, auditSentences);
  }
  return {
    areas,
    entries,
    navigation: NAVIGATION_GROUPS.map((name) => ({
      name,
      entries: entries.filter(({ group }) => group === name),
    })).filter((group) => group.entries.length > 0),
    commands: areas.flatMap(({ commands = [] }) => commands),
    invalidations: allInvalidations,
    auditSentences: allSentences,
    hosts: areas.flatMap(({ name, Host }) => (Host ? [{ name, Host }] : [])),
    topBarItems: areas.flatMap(({ name, TopBarItem }) => (TopBarItem ? [{ name, TopBarItem }] : [])),
  };
}

function assertUnique(what: string, values: readonly string[]): void {
  const repeated = values.find((value, at) => values.indexOf(value) !== at);
  if (repeated !== undefined) throw new Error(`Two areas list the ${what} "${repeated}"`);
}

type Holder = Pick<Session, 'capabilities' | 'runsPlatform'>;

/** Formats why a page is not available to this user; undefined if it is. The entry stays listed either way. */
export function closedReason(
  session: Pick<Session, 'capabilities'>,
  entry: NavigationEntry,
): string | undefined {
  const anyOf: readonly Capability[] = entry.needs === undefined ? [] : CAPABILITIES[entry.needs];
  return hasAnyCapability(session, anyOf) ? undefined : formatMissingCapabilities(anyOf);
}

/** Whether a navigation entry is listed for this user. */
export const isListed = (session: Holder, entry: NavigationEntry): boolean =>
  entry.isListed?.(session) ?? true;
