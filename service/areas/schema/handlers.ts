import { entryTypeHandlers } from './entry-types.ts';
import { fieldHandlers } from './fields.ts';
import { lookupHandlers } from './lookups.ts';

/** The operations of shapes 5. */
export const schemaHandlers = { ...entryTypeHandlers, ...fieldHandlers, ...lookupHandlers };
