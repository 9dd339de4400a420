import { nameDocuments } from './document.ts';
import type { Document } from './document.ts';

/** Help texts of `docs/help` by their name. */
export const HELP_TEXTS = nameDocuments(
  import.meta.glob<Document>('../../../../docs/help/*.md', { eager: true, import: 'default' }),
);
