import type { EntryTypeIcon } from '../../generated/types.gen.ts';

/** Icon of entry types that are created without one, and of those created before types had icons (migration 0049). */
export const DEFAULT_TYPE_ICON: EntryTypeIcon = 'table';
