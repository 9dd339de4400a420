import { defineArea } from '../../kernel/area/area.ts';
import { schemaImpactHandlers } from './impact.ts';

/** Reads across areas what uses the schema. It is an area of its own because it depends on those that use it. */
export const schemaImpactArea = defineArea({
  name: 'schema-impact',
  handlers: schemaImpactHandlers,
});
