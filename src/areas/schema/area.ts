import { ENTRY_READS, ENTRY_TYPE_READS, FIELD_READS } from '../../api/read-groups.ts';
import { defineArea } from '../../app/area/define-area.ts';

export const schemaArea = defineArea({
  name: 'schema',
  // A schema change raises the site's schemaVersion, which the session holds.
  invalidations: {
    createEntryType: [...ENTRY_TYPE_READS, 'getSession'],
    updateEntryType: [...ENTRY_TYPE_READS, ...FIELD_READS, 'getSession'],
    deleteEntryType: [...ENTRY_TYPE_READS, ...FIELD_READS, ...ENTRY_READS, 'getSession'],
    extendSchema: [...ENTRY_TYPE_READS, ...FIELD_READS, ...ENTRY_READS, 'getSession'],
    createField: [...FIELD_READS, ...ENTRY_READS, 'getSession'],
    updateField: [...FIELD_READS, 'listCalculationFailures', ...ENTRY_READS, 'getSession'],
    deleteField: [...FIELD_READS, ...ENTRY_READS, 'getSession'],
  },
});
