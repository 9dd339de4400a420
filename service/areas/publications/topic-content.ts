import type { NewTopicDefinition } from '../../../contract/generated/types.gen.ts';
import type { FieldError } from '../../kernel/api-error.ts';
import type { SiteSchema } from '../schema/index.ts';

/** Types and fields of a list that do not exist, or that it names twice. `prefix` stands before the paths. Pure. */
export function listContentIssues(
  schema: SiteSchema,
  { entryTypes }: Pick<NewTopicDefinition, 'entryTypes'>,
  prefix = '',
): FieldError[] {
  return entryTypes.flatMap(({ entryTypeId, fieldIds = [] }, index): FieldError[] => {
    const path = `${prefix}entryTypes.${index}`;
    const type = schema.typesById.get(entryTypeId);
    if (!type) return [{ path: `${path}.entryTypeId`, message: `Entry type ${entryTypeId} does not exist` }];
    if (entryTypes.findIndex((each) => each.entryTypeId === entryTypeId) < index)
      return [{ path: `${path}.entryTypeId`, message: `Entry type ${entryTypeId} is named twice` }];
    const fields = new Set(type.fields.map(({ id }) => id));
    return fieldIds.flatMap((id, at): FieldError[] => {
      const fieldPath = `${path}.fieldIds.${at}`;
      if (!fields.has(id))
        return [{ path: fieldPath, message: `${type.apiName} has no field with id ${id}` }];
      return fieldIds.indexOf(id) < at ? [{ path: fieldPath, message: `Field ${id} is named twice` }] : [];
    });
  });
}
