import { z } from 'zod';
import type {
  NewTopicDefinition,
  TopicDefinition,
  TopicEntryType,
} from '../../../../contract/generated/types.gen.ts';

/** Form of a custom topic. The service checks the same rules, and that types and fields exist. */
export const topicSchema = z.object({
  name: z
    .string()
    .trim()
    .min(1, 'Enter a name')
    .max(100, 'The name has at most 100 characters')
    .regex(/^[a-z][a-z0-9-]*$/, 'Use lower-case letters, digits and hyphens, and begin with a letter')
    .refine(
      (name) => !name.startsWith('default-'),
      'Names that begin with “default-” are those of default topics',
    ),
  format: z.enum(['Rows', 'Cells']),
  entryTypes: z
    .array(z.object({ entryTypeId: z.number(), fieldIds: z.array(z.number()).exactOptional() }))
    .min(1, 'Choose at least one entry type or field')
    .max(100, 'A topic has at most 100 entry types'),
});

export type TopicValues = z.infer<typeof topicSchema>;

/** Values of the form for a topic, or for a new one. */
export const toTopicValues = (topic?: TopicDefinition): TopicValues => ({
  name: topic?.name ?? '',
  format: topic?.format ?? 'Rows',
  entryTypes: topic?.entryTypes ?? [],
});

/** The definition that can be rehearsed, whatever its name will be; undefined while nothing is chosen. */
export function toRehearsed({
  format,
  entryTypes,
}: Partial<Record<keyof TopicValues, unknown>>): NewTopicDefinition | undefined {
  const { data } = topicSchema.safeParse({ name: 'rehearsal', format, entryTypes });
  return data;
}

/** Chosen fields of an entry type: all, also later ones, or some. */
export type Choice = 'all' | ReadonlySet<number>;

/** What of an entry type is chosen; an empty set for nothing. */
export function getChoice(entryTypes: readonly TopicEntryType[], typeId: number): Choice {
  const chosen = entryTypes.find(({ entryTypeId }) => entryTypeId === typeId);
  if (!chosen) return new Set();
  return chosen.fieldIds ? new Set(chosen.fieldIds) : 'all';
}

/** The entry types after choosing all or none of the fields of a type. */
export const chooseType = (
  entryTypes: readonly TopicEntryType[],
  typeId: number,
  isChosen: boolean,
): TopicEntryType[] => replaceType(entryTypes, typeId, isChosen ? { entryTypeId: typeId } : undefined);

/**
 * The entry types after choosing a field, or not. Leaving out a field of a type that was chosen as a whole keeps its other
 * fields, `allIds` without it.
 */
export function chooseField(
  entryTypes: readonly TopicEntryType[],
  typeId: number,
  fieldId: number,
  { isChosen, allIds }: { isChosen: boolean; allIds: readonly number[] },
): TopicEntryType[] {
  const choice = getChoice(entryTypes, typeId);
  const fieldIds = (choice === 'all' ? [...allIds] : [...choice]).filter((id) => id !== fieldId);
  if (isChosen) fieldIds.push(fieldId);
  return replaceType(entryTypes, typeId, fieldIds.length > 0 ? { entryTypeId: typeId, fieldIds } : undefined);
}

/** Replaces a type where it stands, so that the paths of errors stay true. */
function replaceType(
  entryTypes: readonly TopicEntryType[],
  typeId: number,
  next: TopicEntryType | undefined,
): TopicEntryType[] {
  const isKnown = entryTypes.some(({ entryTypeId }) => entryTypeId === typeId);
  if (!isKnown) return next ? [...entryTypes, next] : [...entryTypes];
  return entryTypes.flatMap((type) => (type.entryTypeId === typeId ? (next ?? []) : type));
}
